package herded

import (
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/internal/vec"
)

// Chain is one herded chain: an infer.Kernel whose steps draw nothing.
type Chain struct {
	*Setup
	mrf.Walk
	rng *infer.Stream // of the start alone
	x   []uint8       // of Walk
	w   []float64

	lw, p []float64 // scratch
	given []uint8   // under Parallel: the state that the sweep began with
}

// unvisited marks weights of Mode and Offset starts that no state has come to: they
// hold unvisited + d, and become p − d at the first visit. Weights proper lie
// between −1 and the number of states.
const unvisited = 1024

// offset sets d of every weight: alike for all states under Mode; drawn under
// Offset, uniformly for two states, uniformly on the simplex for more.
func (k *Chain) offset() {
	for i := range k.x {
		if k.Options.Start == Mode {
			for at := k.base[i]; at < k.base[i+1]; at++ {
				k.w[at] = unvisited + 1/float64(k.model.States(i))
			}
			continue
		}
		q := width(k.model, i)
		for at := k.base[i]; at < k.base[i+1]; at += q {
			w := k.w[at : at+q]
			if q == 1 {
				w[0] = unvisited + k.rng.Float64()
				continue
			}
			sum := 0.0
			for a := range w {
				w[a] = -vec.Log(k.rng.Float64())
				sum += w[a]
			}
			for a := range w {
				w[a] = unvisited + w[a]/sum
			}
		}
	}
}

// Start says how the first state was made.
func (k *Chain) Start() string {
	return k.States.String() + ", weights " + string(k.Options.Start)
}

// Step runs one sweep of algorithm 1 in the order of the variables, or of all at once. It draws and
// allocates nothing. Info has U(x) as LogLik, as mrf.NewGibbs has. Cost: a full
// conditional and one weight a variable.
func (k *Chain) Step() (infer.Info, error) {
	touched, given := int64(0), k.x
	if k.Updates == Parallel {
		given = append(k.given[:0], k.x...)
	}
	for i, old := range given {
		lw, p := k.lw[:k.model.States(i)], k.p[:k.model.States(i)]
		k.model.LogWeights(lw, i, given)
		mrf.Conditional(p, lw, 1)
		at := k.at(k.model, i, given)
		var a uint8
		if len(p) == 2 {
			a = herd(&k.w[at], p[1])
		} else {
			a = herdAll(k.w[at:at+len(p)], p)
		}
		k.x[i] = a
		k.Shift(lw[a] - lw[old])
		touched += int64(len(k.model.Neighbours(i)))
	}
	if k.Updates == Parallel {
		k.Recount() // several states have changed at once
	}
	k.End()
	return infer.Info{LogLik: k.U(), Accept: 1, Evaluations: int64(len(k.x)), Touched: touched}, nil
}

// Weight returns the weight of variable i for the present states of its neighbours; of a variable of more than two
// states that of its state 1.
func (k *Chain) Weight(i int) float64 {
	at := k.at(k.model, i, k.x)
	if width(k.model, i) > 1 {
		at++
	}
	v := k.w[at]
	if v >= unvisited {
		lw, p := k.lw[:k.model.States(i)], k.p[:k.model.States(i)]
		k.model.LogWeights(lw, i, k.x)
		mrf.Conditional(p, lw, 1)
		v = p[1] - (v - unvisited)
	}
	return v
}

// herd takes the state of a binary variable and moves its weight: state 1 while
// the weight is positive, and p less the state is added. The weight stays in
// (p − 1, p], so that after m visits the number of ones differs from m·p by less
// than 1.
func herd(w *float64, p float64) uint8 {
	v := *w
	if v >= unvisited {
		v = p - (v - unvisited)
	}
	if v > 0 {
		*w = v + (p - 1)
		return 1
	}
	*w = v + p
	return 0
}

// herdAll is herd for more states: the one of largest weight, the first of
// equals. Weights sum to 0 up to rounding and stay above p − 1, so that each
// differs from its start by less than their number.
func herdAll(w, p []float64) uint8 {
	if w[0] >= unvisited {
		for a := range w {
			w[a] = p[a] - (w[a] - unvisited)
		}
	}
	top := 0
	for a, v := range w {
		if v > w[top] {
			top = a
		}
	}
	for a := range w {
		w[a] += p[a]
	}
	w[top]--
	return uint8(top)
}
