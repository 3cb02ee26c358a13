package mrf

// Start says at which states a chain, or an approximation, begins.
type Start string

// The starts.
const (
	// Anywhere draws each variable's state uniformly; mean field begins at uniform laws.
	Anywhere Start = "anywhere"
	// Own is each variable's most probable state by its field alone, as if it had no neighbours: of a noisy picture,
	// that of each pixel. Mean field begins at the distributions of the fields. R-hat of equal starts means less.
	Own Start = "own"
	// First and Last are the first and the last state of every variable: fixed starts, from which a bias can be measured.
	First Start = "first"
	Last  Start = "last"
)

// String describes the start.
func (s Start) String() string {
	switch s {
	case Own:
		return "each state the most probable of its field"
	case First, Last:
		return "each variable in its " + string(s) + " state"
	}
	return "states drawn uniformly"
}

// Check returns the start, Anywhere for none, or a *ModelError where there is no such start.
func (s Start) Check() (Start, error) {
	switch s {
	case "":
		return Anywhere, nil
	case Anywhere, Own, First, Last:
		return s, nil
	}
	return s, fault("use anywhere, own, first or last", "the states start at %q", string(s))
}

// Place moves states that were drawn uniformly to the start. A drawn state stays where no other is more probable, so
// that a variable whose field says nothing begins anywhere. Cost: a pass over the fields.
func (s Start) Place(m Model, x []uint8) error {
	s, err := s.Check()
	if s == Anywhere || err != nil {
		return err
	}
	own := make([]float64, MaxStates(m))
	for i := range x {
		if s != Own {
			x[i] = s.fixed(m, i)
			continue
		}
		m.logOwn(own, i)
		for a, v := range own[:m.States(i)] {
			if v > own[x[i]] {
				x[i] = uint8(a)
			}
		}
	}
	return nil
}

// fixed returns the state of variable i at a fixed start.
func (s Start) fixed(m Model, i int) uint8 {
	if s == Last {
		return uint8(m.States(i) - 1)
	}
	return 0
}

// laws moves uniform laws to the start of mean field.
func (s Start) laws(m Model, q *Marginals) {
	if s == Anywhere {
		return
	}
	for i := range m.Variables() {
		row := q.At(i)
		if s == Own {
			m.logOwn(row, i)
			normalise(row)
			continue
		}
		clear(row)
		row[s.fixed(m, i)] = 1
	}
}
