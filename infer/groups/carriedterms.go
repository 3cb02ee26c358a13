package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// moveCarriedTerms is moveCarried of a grouping with several terms: it moves each sd and each partial correlation,
// with the effects of every level. With the effects as r = L·v, L the factor of their covariance, and slope s and
// curvature H of a level's quadratic form, v = A⁻¹·Lᵀs + K⁻ᵀ·ξ with A = I + LᵀHL = K·Kᵀ. The move holds ξ, so that the
// density is likelihood · Π N(v; 0, I)/|K| · prior(sd, correlation): that of the scales given the data, as far as the
// quadratic forms describe the data. A correlation with an sd near 0 therefore moves through all of its prior in one
// move; given the effects it would move by one over the root of the number of levels.
//
// Cost: O(n·q) and O(levels·q³) for each place of a slice.
func (k *kernel) moveCarriedTerms(g *group) bool {
	if !g.expandTerms(func() { k.slopesAt(g, &g.here, g.step) }) || !g.hold() {
		return true // as in moveCarried
	}
	return k.eachScale(g, func(at *float64, prior func(x float64) float64) bool {
		return k.carryAlong(g, at, prior, k.point.Value().LogLik,
			func() glm.Value { return k.point.AlongEffects(g.effects, g.step) },
			func(v glm.Value) { k.point.MoveEffects(g.effects, g.step, v) })
	})
}

// carryAlong moves one coordinate of the scales by a slice, with the effects of every level. base is the log
// likelihood. look returns it with the steps of g added to the effects, and move goes there.
func (k *kernel) carryAlong(g *group, at *float64, prior func(x float64) float64, base float64,
	look func() glm.Value, move func(glm.Value),
) bool {
	from := *at
	set := func(x float64) (density float64) {
		*at = from + x
		g.settle()
		return g.carryTerms()
	}
	f := func(x float64) (float64, glm.Value) {
		p := prior(from + x)
		if math.IsInf(p, -1) {
			return p, glm.Value{}
		}
		if p += set(x); math.IsInf(p, -1) {
			return p, glm.Value{}
		}
		v := look()
		return (v.LogLik - base) + p, v
	}
	current := prior(from) + set(0)
	x, v, moved, ok := k.slice.Update(f, current, g.width, g.doublings)
	if !ok || !moved {
		set(0)
		return ok
	}
	set(x)
	move(v)
	return true
}

// expandTerms is expand for several terms. sums makes g.here at the effects with the steps of g. It leaves the slopes
// at effects of 0 in g.here.slope.
func (g *group) expandTerms(sums func()) bool {
	for l, r := range g.r {
		g.step[l] = -r
	}
	sums()
	q := g.q
	var h, at [maxTerms * maxTerms]float64
	for l := range g.levels {
		copy(h[:], g.here.curve[l*q*q:(l+1)*q*q])
		copy(at[:], g.here.slope[l*q:(l+1)*q])
		for t, reference := range g.reference {
			h[t*q+t] += reference
		}
		if !factor(h[:q*q], q) {
			return false
		}
		lower(h[:q*q], q, at[:q])
		upper(h[:q*q], q, at[:q])
		for t, reference := range g.reference {
			most := furthest / math.Sqrt(reference)
			to := max(-most, min(most, at[t]))
			g.places[l*q+t], g.step[l*q+t] = to, to-g.r[l*q+t]
		}
	}
	sums()
	for l := range g.levels {
		times(g.here.curve[l*q*q:(l+1)*q*q], q, g.places[l*q:(l+1)*q], at[:q])
		for t, x := range at[:q] {
			s := g.here.slope[l*q+t] + x
			if g.here.slope[l*q+t] = s; !(math.Abs(s) <= math.MaxFloat64) {
				return false
			}
		}
	}
	return true
}

// hold makes the ξ of the effects as they are, in g.noise; false if a level has none.
func (g *group) hold() bool {
	q := g.q
	var a [maxTerms * maxTerms]float64
	var b, v [maxTerms]float64
	for l := range g.levels {
		if !g.factorLevel(l, a[:q*q], b[:q]) {
			return false
		}
		copy(v[:], g.r[l*q:(l+1)*q])
		lower(g.chol, q, v[:q])
		xi := g.noise[l*q : (l+1)*q]
		transposed(a[:q*q], q, v[:q], xi)
		for t := range xi {
			xi[t] -= b[t]
		}
	}
	return true
}

// factorLevel writes the factor K of A of a level to a, and K⁻¹·Lᵀs to b; false if there is none.
func (g *group) factorLevel(l int, a, b []float64) bool {
	q := g.q
	congruent(g.chol, g.here.curve[l*q*q:(l+1)*q*q], q, 1, a)
	if !factor(a, q) {
		return false
	}
	transposed(g.chol, q, g.here.slope[l*q:(l+1)*q], b)
	lower(a, q, b)
	return true
}

// carryTerms makes the steps of the effects to their values at the current scales, and returns the log density
// there without likelihood and prior of the scales; −Inf if a level has none.
func (g *group) carryTerms() float64 {
	q, sum, roots := g.q, 0.0, 1.0
	var a [maxTerms * maxTerms]float64
	var v [maxTerms]float64
	for l := range g.levels {
		if !g.factorLevel(l, a[:q*q], v[:q]) {
			return math.Inf(-1)
		}
		if roots *= diagonal(a[:q*q], q); roots > manyProduct {
			sum, roots = sum-vec.Log(roots), 1
		}
		for t, xi := range g.noise[l*q : (l+1)*q] {
			v[t] += xi
		}
		upper(a[:q*q], q, v[:q])
		sum = math.FMA(-0.5, dot(v[:q], v[:q]), sum)
		for i := range q {
			at := dot(g.chol[i*q:i*q+i+1], v[:i+1])
			g.step[l*q+i] = at - g.r[l*q+i]
		}
	}
	return sum - vec.Log(roots)
}
