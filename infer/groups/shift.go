package groups

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// A shift moves a coefficient by δ and the effects of each level by −δ·v, where the coefficient's column is Σ_t z_t·v_t
// in the rows of every level: eta stays, and priors alone decide on δ. With the column of ones and effects of it v is 1
// and the sweep between an intercept and its effects, which is slow, is jumped over.
//
// Source: Papaspiliopoulos, Stumpf-Fetizon and Zanella, arXiv:2103.10875, on local centring.

// shift is one coefficient with its v, by level and then by term.
type shift struct {
	column int
	prior  prior.Prior
	v      []float64
	cross  []float64 // Σ v·vᵀ over levels
}

// shiftTolerance is how far a column may be from Σ z·v, relative to its largest entry.
const shiftTolerance = 1e-12

// findShifts finds the columns of the design that have a shift against b. Cost: O(n·d·q²).
func (b *block) findShifts(data *glm.Data, priors []prior.Prior) {
	x, q := make([]float64, len(b.of)), b.q
	for j, p := range priors {
		if p.Kind.Shrinks() {
			continue // its prior has scales
		}
		clear(x)
		data.X.Column(j).AddTo(x, 1)
		v := b.everywhere(x)
		for t := 0; t < q && v == nil; t++ {
			v = b.within(x, t)
		}
		if v == nil {
			continue
		}
		s := &shift{column: j, prior: p, v: v, cross: make([]float64, q*q)}
		b.crossed(s.v, s.v, s.cross)
		b.shifts = append(b.shifts, s)
	}
}

// crossed adds Σ v·wᵀ over levels to dst.
func (b *block) crossed(v, w, dst []float64) {
	q := b.q
	if q == 1 {
		dst[0] += vector.Dot(v, w)
		return
	}
	for l := range b.levels {
		for s := range q {
			for t := range q {
				dst[s*q+t] = math.FMA(v[l*q+s], w[l*q+t], dst[s*q+t])
			}
		}
	}
}

// everywhere returns v where it is the same at every level, by least squares; nil where the column is no such sum.
func (b *block) everywhere(x []float64) []float64 {
	q := b.q
	g, v, step := make([]float64, q*q), make([]float64, q), make([]float64, q)
	for i := range x {
		for s := range q {
			for t := range s + 1 {
				g[s*q+t] = math.FMA(b.z(s, i), b.z(t, i), g[s*q+t])
			}
		}
	}
	if !factor(g, q) {
		return nil
	}
	limit, largest := shiftTolerance*design.Largest(x), 0.0
	for range 3 { // refined
		clear(step)
		largest = 0
		for i, e := range x {
			for t := range q {
				e = math.FMA(-v[t], b.z(t, i), e)
			}
			largest = max(largest, math.Abs(e))
			for t := range q {
				step[t] = math.FMA(b.z(t, i), e, step[t])
			}
		}
		if largest <= limit {
			break
		}
		lower(g, q, step)
		upper(g, q, step)
		for t, e := range step {
			v[t] += e
		}
	}
	if !(largest <= limit) {
		return nil
	}
	out := make([]float64, b.levels*q)
	for l := range b.levels {
		copy(out[l*q:], v)
	}
	return out
}

// within returns v where the column is a multiple of term t within each level; nil where it is not.
func (b *block) within(x []float64, t int) []float64 {
	q := b.q
	most, at := make([]float64, b.levels), make([]float64, b.levels)
	for i, l := range b.of {
		if z := b.z(t, i); math.Abs(z) > math.Abs(most[l]) {
			most[l], at[l] = z, x[i]
		}
	}
	out := make([]float64, b.levels*q)
	for l, z := range most {
		if z != 0 {
			out[l*q+t] = at[l] / z
		}
	}
	limit := shiftTolerance * design.Largest(x)
	for i, l := range b.of {
		if !(math.Abs(math.FMA(-out[int(l)*q+t], b.z(t, i), x[i])) <= limit) {
			return nil
		}
	}
	return out
}

// moveShifts shifts each column that has a shift against g: by a draw where the coefficient's prior is normal or flat,
// else by a slice. Cost: O(levels·q²) each.
func (k *kernel) moveShifts(g *group) bool {
	moved := false
	for _, s := range g.shifts {
		delta, ok := k.shiftBy(g, s)
		if !ok {
			return k.bad(k.names[s.column])
		}
		if delta == 0 {
			continue
		}
		moved = true
		k.delta[s.column] += delta
		k.beta[s.column] += delta
		for i, v := range s.v {
			g.r[i] = math.FMA(-delta, v, g.r[i])
		}
	}
	if moved {
		k.fixed.Shift(k.delta)
		clear(k.delta)
	}
	return true
}

// shiftBy draws δ: the effects' prior is exp(−½·a·δ² + b·δ).
func (k *kernel) shiftBy(g *group, s *shift) (delta float64, ok bool) {
	a := dot(g.omega, s.cross)
	clear(g.product)
	g.crossed(s.v, g.r, g.product)
	b := dot(g.omega, g.product)
	at, p := k.beta[s.column], s.prior
	switch p.Kind {
	case prior.Normal:
		a = math.FMA(1/p.Scale, 1/p.Scale, a)
		b = math.FMA((p.Location-at)/p.Scale, 1/p.Scale, b)
		fallthrough
	case prior.Flat:
		z := variate.Normal(k.stream)
		if !(a > 0) {
			return 0, true // v is 0
		}
		return math.FMA(z, 1/math.Sqrt(a), b/a), true
	}
	f := func(x float64) (float64, glm.Value) {
		return p.LogDensity(at+x) + float64(x*math.FMA(-0.5*a, x, b)), glm.Value{}
	}
	current, _ := f(0)
	delta, _, _, ok = k.slice.Update(f, current, g.shiftWidth(s), maxDoublings)
	return delta, ok
}

// shiftWidth is the width of a slice along a shift: it may know the scales of the effects, which a shift leaves.
func (g *group) shiftWidth(s *shift) float64 {
	a := dot(g.omega, s.cross)
	if !(a > 0) {
		return 1
	}
	return 3 / math.Sqrt(a)
}
