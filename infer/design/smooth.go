package design

import "strings"

// Smooth is the penalised part of a smooth term s(x): neighbouring columns of a design whose coefficients are
// independent normal with one standard deviation, a parameter. Its unpenalised part are ordinary columns. Those of a
// Gaussian process gp(x) have standard deviations that its length scale decides with that of the process, those of
// areas and of random walks independent parts of these effects.
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
	// Structure is icar, escar, bym2, rw or cov of car(), rw() and gr(g, cov = A), empty of others. Shares are those of
	// escar and bym2, in the order of the columns; see prior.Share.
	Structure string
	Shares    []float64
	// Distances are the least positive and the largest distance of two points of a Gaussian process, in the unit of its
	// length scale.
	Distances [2]float64
	// First and Last are the first penalised column of the design and the one behind the last.
	First, Last int
}

// SDName returns the name of the standard deviation.
func (s *Smooth) SDName() string {
	switch {
	case s.Structure == "rw":
		return "sdrw_" + s.Name
	case s.Structure == "cov":
		return "sd_" + s.Name + "__Intercept"
	case s.Structure != "":
		return "sdcar" + s.predictor()
	case s.Frequencies != nil:
		return "sdgp_" + s.Name
	}
	return "sds_" + s.Name
}

// SecondName returns the name of the parameter that divides the standard deviation among the columns: the length scale
// of a Gaussian process, car of escar and rhocar of bym2. It is empty if there is none.
func (s *Smooth) SecondName() string {
	switch {
	case s.Frequencies != nil:
		return "lscale_" + s.Name
	case s.Shares == nil:
		return ""
	case s.Structure == "escar":
		return "car" + s.predictor()
	}
	return "rhocar" + s.predictor()
}

// InMessages returns the name in messages of a smooth with a second parameter.
func (s *Smooth) InMessages() string {
	if s.Frequencies != nil {
		return "a Gaussian process"
	}
	return s.Term
}

// Coefficients returns how the names of the coefficients begin, before that of the smooth.
func (s *Smooth) Coefficients() string {
	switch {
	case s.Structure == "rw":
		return "rw_"
	case s.Structure == "cov":
		return "z_"
	case s.Structure != "":
		return "b"
	case s.Frequencies != nil:
		return "gp_"
	}
	return "s_"
}

// predictor is the further predictor that car() belongs to, as it ends the names of brms: _sigma; empty of the first.
func (s *Smooth) predictor() string {
	if name := strings.TrimSuffix(s.Name, "car"); name != "" {
		return "_" + strings.TrimSuffix(name, "_")
	}
	return ""
}
