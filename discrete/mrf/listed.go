package mrf

// Listed is a model of n binary variables that states U of every state: a complete graph.
type Listed struct {
	n      int
	u      []float64
	others [][]int32
}

// NewListed returns the model of U(x) = u[Index(x)], variable 0 being the slowest digit; it keeps u, of length 2^n. It
// returns a *ModelError for another length, more than 22 variables, or a U that is NaN.
func NewListed(n int, u []float64) (*Listed, error) {
	if n < 1 || 1<<min(n, 62) > MaxEnumerated || len(u) != 1<<n {
		return nil, fault("give one number for each state of 1 to 22 variables", "%d variables have %d states listed", n,
			len(u))
	}
	for k, v := range u {
		if !isFinite(v) {
			return nil, fault(finite, "the log density of state %d is %v", k, v)
		}
	}
	m := &Listed{n: n, u: u}
	for i := range int32(n) {
		var row []int32
		for j := range int32(n) {
			if j != i {
				row = append(row, j)
			}
		}
		m.others = append(m.others, row)
	}
	return m, nil
}

// Variables returns n.
func (m *Listed) Variables() int { return m.n }

// States returns 2.
func (m *Listed) States(int) int { return 2 }

// Neighbours returns all other variables.
func (m *Listed) Neighbours(i int) []int32 { return m.others[i] }

// index is Index of x with variable i in state 0, and bit what state 1 adds.
func (m *Listed) index(i int, x []uint8) (at, bit int) {
	for _, a := range x {
		at = at<<1 | int(a)
	}
	bit = 1 << (m.n - 1 - i)
	return at &^ bit, bit
}

// LogWeights writes U of the two states that differ in variable i alone. Cost: O(n).
func (m *Listed) LogWeights(dst []float64, i int, x []uint8) {
	at, bit := m.index(i, x)
	dst[0], dst[1] = m.u[at], m.u[at|bit]
}

// LogPrefix writes 0 for all variables but the last, which completes the state.
func (m *Listed) LogPrefix(dst []float64, i int, x []uint8) {
	dst[0], dst[1] = 0, 0
	if i == m.n-1 {
		at := Index(m, x[:i])
		dst[0], dst[1] = m.u[2*at], m.u[2*at+1]
	}
}

// Bytes returns the memory of the list and the graph.
func (m *Listed) Bytes() int { return 8*len(m.u) + 4*m.n*(m.n-1) }

// logMean averages U over the marginals of the others. Cost: O(2^n).
func (m *Listed) logMean(dst []float64, i int, q *Marginals) {
	dst[0], dst[1] = 0, 0
	for at, u := range m.u {
		p, a := 1.0, 0
		for j := range m.n {
			v := at >> (m.n - 1 - j) & 1
			if j == i {
				a = v
				continue
			}
			p *= q.At(j)[v]
		}
		dst[a] += float64(p * u)
	}
}

// logOwn says nothing: no variable has a field of its own.
func (m *Listed) logOwn(dst []float64, _ int) { dst[0], dst[1] = 0, 0 }
