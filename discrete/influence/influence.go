package influence

import (
	"math"
	"slices"

	"glmbatch/discrete/mrf"
	"glmbatch/infer/dogs"
	"glmbatch/internal/vec"
)

// Bounds returns bounds for every pair of neighbours, by the kind of model:
//
//   - Binary: theorem 11 of the paper. With u* the point nearest 0 of the interval
//     θ_i ± Σ_{k≠j} |θ_ik| of fields that the others can give, and b* = exp(−2u*),
//     C_ij ≤ |e^{2θ_ij} − e^{−2θ_ij}|·b*/((1 + b*·e^{2θ_ij})·(1 + b*·e^{−2θ_ij})).
//     Where b* ≠ 1 the others reach u*, and the bound is the influence itself.
//   - Terms: theorem 12, the same with Σ |θ_S| over the terms of both instead of
//     |θ_ij|, and those of i without j in the interval.
//   - Tables: theorem 10, for any number of states and any other
//     potentials: C_ij ≤ max tanh(δ/4) over two states b, c of j, where δ is the
//     range over a of θ[b, a] − θ[c, a]; 2σ(δ/2) − 1 of the paper is tanh(δ/4). (If
//     Q ∝ P·e^r and A is where Q exceeds P, Q(A) is largest for given P(A) when r
//     takes its maximum on A and its minimum
//     elsewhere; then Q(A) − P(A) is a difference of two logistic functions δ apart,
//     at most tanh(δ/4).) It is reached by some field, so no smaller one holds
//     without looking at the rest of the model.
//
// Cost: three exponentials a half edge at most; equal couplings share them.
func Bounds(m mrf.Model) *dogs.Influence {
	c := dogs.NewInfluence(m.Variables(), m.Neighbours)
	switch m := m.(type) {
	case *mrf.Binary:
		var memo signed
		for i := range m.Variables() {
			_, row := c.Row(i)
			memo.row(row, m.Field(i), m.Weights(i))
		}
	case *mrf.Terms:
		for i := range m.Variables() {
			_, row := c.Row(i)
			termRow(row, m, i)
		}
	case *mrf.Tables:
		memo := map[int]float64{}
		for i := range m.Variables() {
			_, row := c.Row(i)
			for k := range row {
				number, t := m.Pair(i, k)
				v, ok := memo[number]
				if !ok {
					v = tableBound(t)
					memo[number] = v
				}
				row[k] = v
			}
		}
	}
	return c
}

// signed makes rows of binary models. It keeps the last result: images have few
// different neighbourhoods.
type signed struct {
	t, u, value float64
	rest        []float64
}

// row writes theorem 11 for one variable.
func (s *signed) row(dst []float64, field float64, weights []float64) {
	s.rest = append(s.rest[:0], make([]float64, len(weights))...)
	before, after := 0.0, 0.0
	for j, w := range weights { // sums without j, with no subtraction
		s.rest[j] = before
		before += math.Abs(w)
	}
	for j := len(weights) - 1; j >= 0; j-- {
		s.rest[j] += after
		after += math.Abs(weights[j])
	}
	for j, w := range weights {
		dst[j] = s.bound(math.Abs(w), nearest(field, s.rest[j]))
	}
}

// nearest returns the least |u| with u in field ± reach.
func nearest(field, reach float64) float64 {
	return max(math.Abs(field)-reach, 0)
}

// bound returns σ(2(u + t)) − σ(2(u − t)) = sinh 2t/(cosh 2t + cosh 2u), for t, u ≥ 0.
func (s *signed) bound(t, u float64) float64 {
	if t == s.t && u == s.u {
		return s.value
	}
	e := vec.Exp(-4 * t)
	s.t, s.u = t, u
	s.value = (1 - e) / ((1 + e) + (vec.Exp(2*(u-t)) + vec.Exp(-2*(u+t))))
	return s.value
}

// termRow writes theorem 12 for one variable.
func termRow(dst []float64, m *mrf.Terms, i int) {
	var s signed
	for j, other := range m.Neighbours(i) {
		both, rest := 0.0, 0.0
		for _, k := range m.TermsOf(i) {
			w := math.Abs(m.Weight(int(k)))
			if slices.Contains(m.Members(int(k)), other) {
				both += w
			} else {
				rest += w
			}
		}
		dst[j] = s.bound(both, nearest(m.Field(i), rest))
	}
}

// tableBound returns max tanh(δ/4) over pairs of rows: see Bounds.
func tableBound(t mrf.Table) float64 {
	widest := 0.0
	for b := range t.Rows {
		for c := range b {
			low, high := math.Inf(1), math.Inf(-1)
			for a := range t.Cols {
				r := t.Log[b*t.Cols+a] - t.Log[c*t.Cols+a]
				low, high = min(low, r), max(high, r)
			}
			widest = max(widest, high-low)
		}
	}
	e := vec.Exp(-widest / 2)
	return (1 - e) / (1 + e)
}
