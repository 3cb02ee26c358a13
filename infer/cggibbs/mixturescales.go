package cggibbs

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// drawSpreads draws the scale of each coefficient of theta_G given it, and takes
// that of a horseshoe from its own scales. A scale is no part of a chain's state:
//
//	student_t(ν, m, s)   σ² ~ InvGamma(ν/2, ν·s²/2); given δ = beta − m InvGamma((ν + 1)/2, (ν·s² + δ²)/2)
//	laplace(m, b)        σ² ~ Exponential(mean 2b²); given δ 1/σ² ~ InverseGaussian(1/(b·|δ|), 1/b²)
//
// cauchy is student_t with ν = 1. Cost: two uniforms a coefficient or more.
//
// Source: Andrews and Mallows (1974), Scale mixtures of normal distributions;
// Park and Casella (2008), The Bayesian lasso, doi:10.1198/016214508000000337.
func (k *mixtureKernel) drawSpreads() bool {
	priors := k.target.Model().Coefficients
	for c, j := range k.mix.mixed {
		p := priors[j]
		switch {
		case p.Kind.Shrinks():
			k.spread[c] = k.point.Spread(j)
		case p.Kind == prior.Normal:
			k.spread[c] = p.Scale
		default:
			k.spread[c] = math.Sqrt(drawVariance(k.stream, p, k.point.Beta(j)-p.Location))
		}
		k.weights[c] = float64(k.spread[c] * k.spread[c])
	}
	return true
}

// leastDistance stands in for a smaller distance from the centre of laplace, in
// units of its scale: the law of σ² there has no other limit.
const leastDistance = 1e-150

// drawVariance draws σ² given a coefficient's distance δ from its prior's location.
func drawVariance(s variate.Source, p prior.Prior, delta float64) float64 {
	if p.Kind == prior.Laplace {
		at := math.Max(math.Abs(delta/p.Scale), leastDistance)
		return float64(p.Scale*p.Scale) / variate.InverseGaussian(s, 1/at, 1)
	}
	df := p.DF
	if p.Kind == prior.Cauchy {
		df = 1
	}
	z := delta / p.Scale
	half := 0.5 * math.FMA(z, z, df)
	return float64(p.Scale*p.Scale) * (half / variate.Gamma(s, 0.5*(df+1)))
}
