package herded

import (
	"math"

	"glmbatch/discrete/mrf"
)

// Bound is an error that theory proves of the states that sweeps ended in, all
// of them counted alike, the start left out.
type Bound struct {
	// Of names the bounded quantity: OfMarginals, OfLaw or OfNothing.
	Of Bounded
	// Value is the bound; 1, which is always true, if nothing is proved yet.
	Value float64
}

// Bounded is the quantity of a Bound.
type Bounded string

// The quantities.
const (
	// OfMarginals: no share of a state of a variable is further from its
	// probability. Graphs without edges.
	OfMarginals Bounded = "marginals"
	// OfLaw: the total variation distance between the empirical distribution of all
	// variables and the model's. Complete graphs without sharing.
	OfLaw Bounded = "law"
	// OfNothing: convergence is open.
	OfNothing Bounded = "nothing"
)

// Bound returns the error proved for the sweeps so far.
//
// Let P_i be the empirical distribution of T states after variable i of a sweep. For a
// state of its neighbours that came up m times, of which the outcome a n_a times,
// n_a − m·p_a is the weight's start less its present value. So on a complete graph,
// where the neighbours are all others, the distance between P_i and P_{i−1}·K_i is
// at most D_i/T with D_i = ½·Σ |start − present| over weights. Over a sweep,
// K = K_1·…·K_n: ‖P_n − P_0·K‖ ≤ Σ D_i/T, and P_0 lies 1/T from P_n, being the
// same states but the first and the last. If K contracts total variation by η < 1,
//
//	‖P_n − π‖ ≤ ‖P_n − P_n·K‖ + η·‖P_n − π‖, hence ‖P_n − π‖ ≤ (Σ D_i + 1)/((1 − η)·T).
//
// 1 − η is at least Π_i Σ_a min p_a, the minimum over the states of the others: two
// copies of the chain can be made to agree in each variable in turn with these
// probabilities. This is theorem 2 of Bornn et al. (error λ/T) with constants of
// the chain at hand, for every T. On a graph without edges it is lemma 3: each
// share is within 1/T. (Theorem 1 is about the joint distribution there, and has no rate.)
//
// Cost: one pass over the weights.
func (k *Chain) Bound() Bound {
	t := float64(k.Iterations())
	switch {
	case k.empty():
		return Bound{OfMarginals, math.Min(1, k.widest()/t)}
	case k.keep > 0:
		return Bound{OfLaw, math.Min(1, (k.moved()+1)/(k.keep*t))}
	}
	return Bound{OfNothing, 1}
}

// widest returns the largest difference of a weight from its start, or a bound
// of it.
func (k *Chain) widest() float64 {
	out := 0.0
	for i := range k.x {
		q := float64(k.model.States(i) - 1)
		for _, w := range k.w[k.base[i]:k.base[i+1]] {
			if k.Options.Start != Zero {
				w = q
			}
			out = max(out, math.Abs(w))
		}
	}
	return out
}

// moved returns Σ D_i, or a bound of it: for other starts than Zero each visited
// place counts with the number of states less one.
func (k *Chain) moved() float64 {
	sum := 0.0
	for i := range k.x {
		q := width(k.model, i)
		for at := k.base[i]; at < k.base[i+1]; at += q {
			switch w := k.w[at : at+q]; {
			case k.Options.Start == Zero && q == 1:
				sum += math.Abs(w[0])
			case k.Options.Start == Zero:
				for _, v := range w {
					sum += 0.5 * math.Abs(v)
				}
			case w[0] < unvisited:
				sum += float64(k.model.States(i) - 1)
			}
		}
	}
	return sum
}

// Constants are those of theorem 2 of Bornn et al., for a complete graph whose states all have positive probability:
// the total variation distance is at most Lambda/T from From sweeps on, after a burn-in that grows as log T.
type Constants struct {
	Eta    float64 // bound of the Dobrushin coefficient of a sweep
	Least  float64 // π_min, the least conditional probability
	Lambda float64 // λ = 2n(1 + η)/(l(1 − η)), with l = π_minⁿ
	From   float64 // T* = 2B/l, with B = π_minⁿ + Σ_{j<n} (2π_min)ʲ
}

// Constants returns the constants of theorem 2, and false if the graph is not complete, is shared, or has variables of
// more than two states. Cost: a conditional a state and variable.
func (s *Setup) Constants() (Constants, bool) {
	if !(s.keep > 0) || mrf.MaxStates(s.model) > 2 {
		return Constants{}, false
	}
	n, least := s.model.Variables(), 1.0
	for i := range n {
		for _, p := range leastOf(s.model, i) {
			least = min(least, p)
		}
	}
	l, b, twice := 1.0, 0.0, 1.0
	for range n {
		l = float64(l * least)
		b += twice
		twice = float64(2 * least * twice)
	}
	out := Constants{Eta: 1 - s.keep, Least: least, From: 2 * (l + b) / l}
	out.Lambda = float64(2*n) * (1 + out.Eta) / (l * s.keep)
	return out, true
}

// overlap returns Π_i Σ_a min p_a for a complete graph, the minimum over all
// states of the other variables.
func overlap(m mrf.Model) float64 {
	out := 1.0
	for i := range m.Variables() {
		sum := 0.0
		for _, v := range leastOf(m, i) {
			sum += v
		}
		out *= sum
	}
	return out
}

// leastOf returns the least probability of each state of variable i over all states of the others.
func leastOf(m mrf.Model, i int) []float64 {
	q, x := m.States(i), make([]uint8, m.Variables())
	least, lw, p := make([]float64, q), make([]float64, q), make([]float64, q)
	for a := range least {
		least[a] = 1
	}
	for more := true; more; more = nextOther(m, x, i) {
		m.LogWeights(lw, i, x)
		mrf.Conditional(p, lw, 1)
		for a := range least {
			least[a] = min(least[a], p[a])
		}
	}
	return least
}

// nextOther moves the states of all variables but i on; false after the last.
func nextOther(m mrf.Model, x []uint8, i int) bool {
	for j := range x {
		if j == i {
			continue
		}
		if x[j]++; int(x[j]) < m.States(j) && x[j] != 0 {
			return true
		}
		x[j] = 0
	}
	return false
}
