package mrf

import (
	"math"

	"glmbatch/internal/vec"
)

// MaxEnumerated is the number of states up to which Enumerate works.
const MaxEnumerated = 1 << 22

// Exact is the result of an oracle.
type Exact struct {
	LogZ      float64 // log Σ_x exp(U(x))
	Marginals *Marginals
	// P has the probability of every state, variable 0 being the slowest digit:
	// Index gives the place of a state. Enumerate alone fills it.
	P []float64
}

// Enumerate visits every state of a model of at most MaxEnumerated states, and
// returns a *ModelError for larger ones.
//
// U is summed along the variables by LogPrefix, and the sums of a common
// beginning are kept: about one LogPrefix per state, and a rounding error of n
// additions, not of as many as there are states. Memory: 8 bytes per state.
func Enumerate(m Model) (*Exact, error) {
	n := m.Variables()
	total := 1
	for i := range n {
		if total *= m.States(i); total > MaxEnumerated {
			return nil, fault("use Transfer on narrow models, or fewer variables", "the model has more than %d states",
				MaxEnumerated)
		}
	}
	u := make([]float64, 0, total)
	x := make([]uint8, n)
	var visit func(i int, below float64)
	visit = func(i int, below float64) {
		lw := make([]float64, m.States(i))
		m.LogPrefix(lw, i, x)
		for a, v := range lw {
			if i == n-1 {
				u = append(u, below+v)
				continue
			}
			x[i] = uint8(a)
			visit(i+1, below+v)
		}
	}
	visit(0, 0)
	ex := &Exact{P: u, Marginals: NewMarginals(m)}
	ex.LogZ = normalise(u)
	clear(ex.Marginals.p)
	clear(x)
	for _, p := range u {
		for i, a := range x {
			ex.Marginals.At(i)[a] += p
		}
		Next(m, x)
	}
	return ex, nil
}

// normalise overwrites log weights by probabilities and returns the logarithm of
// the sum of the weights.
func normalise(lw []float64) float64 {
	top := math.Inf(-1)
	for _, v := range lw {
		top = max(top, v)
	}
	for k, v := range lw {
		lw[k] = vec.Exp(v - top)
	}
	sum := vec.Sum(lw)
	for k := range lw {
		lw[k] /= sum
	}
	return top + vec.Log(sum)
}

// Next moves x to the following state in the order of Exact.P, and from the
// last one to the first.
func Next(m Model, x []uint8) {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i]++; int(x[i]) < m.States(i) && x[i] != 0 {
			return
		}
		x[i] = 0
	}
}

// Index returns the place of x in Exact.P.
func Index(m Model, x []uint8) int {
	at := 0
	for i, a := range x {
		at = at*m.States(i) + int(a)
	}
	return at
}
