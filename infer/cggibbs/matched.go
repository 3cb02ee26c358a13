package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// sliceShare is the probability of a slice update where the others are matched
// proposals: these may be stuck in a tail, a slice is not.
const sliceShare = 0.125

// sliced draws whether an update is a slice update. It must not look at the state.
func sliced(s variate.Source) bool { return s.Float64() < sliceShare }

// tangent is a univariate log density at a place, with its first derivative and
// its negative second one.
type tangent struct{ value, slope, curvature float64 }

// proposal draws a displacement from the normal law that has the slope and
// curvature of t at 0; ok is false where there is none.
func (t tangent) proposal(s variate.Source) (displacement float64, ok bool) {
	z := variate.Normal(s)
	if !(t.curvature > 0) || t.curvature > math.MaxFloat64 {
		return 0, false
	}
	return math.FMA(z, 1/math.Sqrt(t.curvature), t.slope/t.curvature), true
}

// logProposal returns the log density of that law at a displacement, less a
// constant; −Inf where there is none.
func (t tangent) logProposal(displacement float64) float64 {
	if !(t.curvature > 0) || t.curvature > math.MaxFloat64 {
		return math.Inf(-1)
	}
	e := displacement - t.slope/t.curvature
	return 0.5 * math.FMA(-float64(t.curvature*e), e, vec.Log(t.curvature))
}

// logRatio returns the log of the Metropolis–Hastings ratio of a move by a
// displacement from one place to another: −Inf where the way back has no law.
func logRatio(from, to tangent, displacement float64) float64 {
	back := to.logProposal(-displacement)
	if math.IsInf(back, -1) {
		return back
	}
	return (to.value - from.value) + (back - from.logProposal(displacement))
}

// match makes one Metropolis update of coordinate j whose normal proposal has the
// slope and curvature of the log density at the point. Its law does not depend on
// where the chain has been, and is left where the density is not concave: the
// update is then no move, not another update. One pass over the rows, at the
// proposed place.
func (k *basisKernel) match(j int) bool {
	if k.opts.Uncached {
		k.refresh()
	}
	from := k.tangentAt(0, k.point.Here(j))
	x, ok := from.proposal(k.stream)
	threshold := logUniform(k.stream)
	if !ok {
		return true
	}
	c := k.point.AlongCurve(j, x)
	k.proposals++
	k.touched += k.reading
	to := k.tangentAt(x, c)
	if !(to.value <= math.MaxFloat64) {
		k.slice.badValue = to.value
		return false
	}
	ratio := logRatio(from, to, x)
	k.accepted += min(1, vec.Exp(ratio))
	if threshold < ratio {
		k.point.Jump(j, x, c.Value)
		k.line.move(x)
		k.touched += k.reading
	}
	return true
}

// tangentAt adds the prior to a curve of the likelihood.
func (k *basisKernel) tangentAt(x float64, c glm.Curve) tangent {
	return tangent{c.LogLik + k.line.at(x), c.Slope + k.line.slopeAt(x), c.Curvature + k.line.curvature}
}

// logUniform returns the logarithm of a uniform draw.
func logUniform(s variate.Source) float64 { return -variate.Exponential(s) }
