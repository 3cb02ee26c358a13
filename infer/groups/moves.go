package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// moveScales scales each sd of g together with its effects: r̃ = r/sd stays, and eta moves along the cached direction
// Z·r. In the coordinates (log sd, r̃) the effects' prior does not know sd, so that the density along log sd is the
// likelihood, the prior of sd and the factor sd of the logarithm.
//
// Source: Liu and Sabatti (2000), Generalised Gibbs sampler and multigrid Monte Carlo, doi:10.1093/biomet/87.2.353.
func (k *kernel) moveScales(g *group) bool {
	point := k.point
	for _, t := range g.free {
		largest := point.Stretching(g.effects, t)
		if largest > linearMost {
			continue
		}
		u := g.logSD[t]
		base := point.Value().LogLik
		current := g.logDensitySD(t, u)
		x, v, moved, ok := k.slice.Update(func(x float64) (float64, glm.Value) {
			c := vec.Exp(x)
			prior := g.logDensitySD(t, u+x)
			if math.IsInf(prior, -1) || largest*c > linearMost {
				return math.Inf(-1), glm.Value{}
			}
			v := point.AlongFactor(c)
			return (v.LogLik - base) + prior, v
		}, current, g.width, g.doublings)
		if !ok {
			return k.FailAlong(g.sdName(t))
		}
		if !moved {
			continue
		}
		point.MoveFactor(g.effects, t, vec.Exp(x), v)
		g.logSD[t] = u + x
		g.settle()
	}
	return true
}

// linearMost is the largest part of eta that a scale move goes to or comes from: beyond, the log likelihood would be
// a difference of larger numbers than rounding allows. Both ways are closed, so that the move is exact.
const linearMost = 1e9

// moveGiven moves sds and correlations of g given its effects, of which they see Σ r·rᵀ alone.
func (k *kernel) moveGiven(g *group) bool {
	g.sumSquares()
	return k.eachScale(g, func(at *float64, prior func(x float64) float64) bool {
		return k.moveOne(g, at, g.width, func() float64 { return g.logEffects(float64(g.levels), g.squares) }, prior)
	})
}

// moveCollapsed moves sds and correlations of g given the data, with its effects integrated out: residuals by level
// have the precision precision·gram, and g.here.slope has precision·Zᵀ·W·(y − the rest).
func (k *kernel) moveCollapsed(g *group, precision float64) bool {
	return k.eachScale(g, func(at *float64, prior func(x float64) float64) bool {
		return k.moveOne(g, at, g.width, func() float64 { return g.logMarginal(precision) }, prior)
	})
}

// logMarginal returns the log density of the data with the effects of g integrated out, less what its scales do not
// move: Σ −½ log|A| + ½ bᵀA⁻¹b, A = I + precision·Lᵀ·G·L, b = Lᵀ·s, L the factor of the effects' covariance.
func (g *group) logMarginal(precision float64) float64 {
	q, sum := g.q, 0.0
	if q == 1 {
		v := float64(g.chol[0] * g.chol[0])
		vp := float64(v * precision)
		for k, c := range g.alike.curve {
			a := math.FMA(vp, c, 1)
			sum += float64(v*g.squaresAlike[k])/a - float64(g.alike.count[k]*vec.Log(a))
		}
		return 0.5 * sum
	}
	if q == 2 {
		return g.logMarginalOfTwo(precision)
	}
	var a [maxTerms * maxTerms]float64
	var b [maxTerms]float64
	roots := 1.0
	for l := range g.levels {
		congruent(g.chol, g.gram[l*q*q:(l+1)*q*q], q, precision, a[:q*q])
		if !factor(a[:q*q], q) {
			return math.Inf(-1)
		}
		transposed(g.chol, q, g.here.slope[l*q:(l+1)*q], b[:q])
		lower(a[:q*q], q, b[:q])
		sum = math.FMA(0.5, dot(b[:q], b[:q]), sum)
		if roots *= diagonal(a[:q*q], q); roots > manyProduct {
			sum, roots = sum-vec.Log(roots), 1
		}
	}
	return sum - vec.Log(roots)
}

// manyProduct is where a product of numbers of at least 1 is replaced by its logarithm: one of many.
const manyProduct = 1e100

// logMarginalOfTwo is logMarginal of two terms.
func (g *group) logMarginalOfTwo(precision float64) float64 {
	l00, l10, l11 := g.chol[0], g.chol[2], g.chol[3]
	slope := g.here.slope
	sum, product := 0.0, 1.0
	for l := range g.levels {
		gram, s := g.gram[4*l:4*l+4], slope[2*l:2*l+2]
		u0 := math.FMA(gram[0], l00, float64(gram[2]*l10))
		u1 := math.FMA(gram[2], l00, float64(gram[3]*l10))
		a00 := math.FMA(precision, math.FMA(l00, u0, float64(l10*u1)), 1)
		a10 := precision * float64(l11*u1)
		t := a10 / a00
		rest := math.FMA(-t, a10, math.FMA(precision, float64(l11*l11)*gram[3], 1))
		if !(rest > 0) {
			return math.Inf(-1)
		}
		b0 := math.FMA(l00, s[0], float64(l10*s[1]))
		b1 := math.FMA(-t, b0, float64(l11*s[1]))
		sum += float64(b0*b0)/a00 + float64(b1*b1)/rest
		if product *= float64(a00 * rest); product > manyProduct {
			sum, product = sum-vec.Log(product), 1
		}
	}
	return 0.5 * (sum - vec.Log(product))
}

// eachScale passes each sd of g, as its logarithm, and each partial correlation to move, with its log prior density.
func (k *kernel) eachScale(g *group, move func(at *float64, prior func(x float64) float64) bool) bool {
	for _, t := range g.free {
		if !move(&g.logSD[t], func(u float64) float64 { return g.logDensitySD(t, u) }) {
			return k.FailAlong(g.sdName(t))
		}
	}
	at := 0
	for i := range g.paired() {
		for j := range i {
			if !move(&g.partial[at], func(y float64) float64 { return g.logDensityPartial(j, y) }) {
				return k.FailAlong(g.correlationName(i, j))
			}
			at++
		}
	}
	return true
}

// moveOne moves one coordinate of the scales by a slice.
func (k *kernel) moveOne(g *group, at *float64, width float64, rest func() float64,
	prior func(x float64) float64,
) bool {
	from := *at
	f := func(x float64) (float64, glm.Value) {
		p := prior(from + x)
		if math.IsInf(p, -1) {
			return p, glm.Value{}
		}
		*at = from + x
		g.settle()
		return p + rest(), glm.Value{}
	}
	current, _ := f(0)
	x, _, moved, ok := k.slice.Update(f, current, width, g.doublings)
	if *at = from; ok && moved {
		*at = from + x
	}
	g.settle()
	return ok
}
