package herded

import (
	"math"

	"glmbatch/infer/mrf"
)

// Bound is an error that theory proves of the states that sweeps ended in, all
// of them counted alike, the start left out.
type Bound struct {
	// Of tells what is bounded: OfMarginals, OfLaw or OfNothing.
	Of Bounded
	// Value is the bound; 1, which says nothing, where nothing is proved yet.
	Value float64
}

// Bounded is what a Bound speaks of.
type Bounded string

// What is bounded.
const (
	// OfMarginals: no share of a state of a variable is further from its
	// probability. Graphs without edges.
	OfMarginals Bounded = "marginals"
	// OfLaw: the total variation distance between the empirical law of all variables
	// and the model's. Complete graphs without sharing.
	OfLaw Bounded = "law"
	// OfNothing: convergence is open.
	OfNothing Bounded = "nothing"
)

// Bound returns the error proved for the sweeps so far.
//
// Let P_i be the empirical law of T states after variable i of a sweep. For a
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
// the chain at hand, for every T. On a graph without edges it is theorem 1: each
// share is within 1/T.
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

// overlap returns Π_i Σ_a min p_a for a complete graph, the minimum over all
// states of the other variables.
func overlap(m mrf.Model) float64 {
	out := 1.0
	x := make([]uint8, m.Variables())
	lw, p := make([]float64, mrf.MaxStates(m)), make([]float64, mrf.MaxStates(m))
	for i := range x {
		q := m.States(i)
		least := make([]float64, q)
		for a := range least {
			least[a] = 1
		}
		clear(x)
		for more := true; more; more = nextOther(m, x, i) {
			m.LogWeights(lw[:q], i, x)
			mrf.Conditional(p[:q], lw[:q], 1)
			for a := range least {
				least[a] = min(least[a], p[a])
			}
		}
		sum := 0.0
		for _, v := range least {
			sum += v
		}
		out *= sum
	}
	return out
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
