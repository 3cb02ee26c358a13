package design

// Smooth is the penalised part of a smooth term s(x): neighbouring columns of a design whose coefficients are
// independent normal with one standard deviation, a parameter. Its unpenalised part are ordinary columns. Those of a
// Gaussian process gp(x) have standard deviations that its length scale decides with that of the process.
type Smooth struct {
	// Name is that of brms, as "sx_1": sds_sx_1 is the standard deviation and s_sx_1[1] the first coefficient. That of
	// gp(x) is "gpx", with sdgp_gpx, lscale_gpx and gp_gpx[1].
	Name string
	// Term is the term as written, as "s(x)" or "s(x, by = f)", with the level of a factor, as "s(x):fa".
	Term string
	// Frequencies are those of the basis functions of a Gaussian process gp(x), in the order of the columns; nil for s(x).
	// Numbers is how many numbers it is along. See prior.Length.
	Frequencies []float64
	Numbers     int
	// Distances are the least positive and the largest distance of two points of a Gaussian process, in the unit of its
	// length scale.
	Distances [2]float64
	// First and Last are the first penalised column of the design and the one behind the last.
	First, Last int
}

// SDName returns the name of the standard deviation.
func (s *Smooth) SDName() string {
	if s.Frequencies != nil {
		return "sdgp_" + s.Name
	}
	return "sds_" + s.Name
}

// LengthName returns the name of the length scale of a Gaussian process.
func (s *Smooth) LengthName() string { return "lscale_" + s.Name }
