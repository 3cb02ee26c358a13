package mrf

// Start says at which states a chain, or an approximation, begins.
type Start string

// The starts.
const (
	// Anywhere draws each variable's state uniformly; mean field begins at uniform laws.
	Anywhere Start = "anywhere"
	// Own is each variable's most probable state by its field alone, as if it had no neighbours: of a noisy picture, what
	// each pixel says by itself. Mean field begins at the laws of the fields. Chains that begin alike tell R-hat less.
	Own Start = "own"
)

// String says in words where states begin.
func (s Start) String() string {
	if s == Own {
		return "each state the most probable of its field"
	}
	return "states drawn uniformly"
}

// Check returns the start, Anywhere for none, or a *ModelError where there is no such start.
func (s Start) Check() (Start, error) {
	switch s {
	case "":
		return Anywhere, nil
	case Anywhere, Own:
		return s, nil
	}
	return s, fault("use anywhere or own", "the states start at %q", string(s))
}

// Place moves states that were drawn uniformly to the start. A drawn state stays where no other is more probable, so
// that a variable whose field says nothing begins anywhere. Cost: a pass over the fields.
func (s Start) Place(m Model, x []uint8) error {
	s, err := s.Check()
	if s != Own || err != nil {
		return err
	}
	own := make([]float64, MaxStates(m))
	for i := range x {
		m.logOwn(own, i)
		for a, v := range own[:m.States(i)] {
			if v > own[x[i]] {
				x[i] = uint8(a)
			}
		}
	}
	return nil
}
