package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// A tangent lies above a concave log likelihood, so that the tangent at the point and
// the prior's parabola enclose the slice of a log-concave density: no end of it needs
// an evaluation. The slice being an interval, shrinkage from any interval around it
// draws from it uniformly, wherever that interval's ends come from.
//
// The parabola of the density's own curvature guesses where the slice ends. Where the
// likelihood, not the prior, ends it, the enclosing interval is many times as wide, and
// a probe beyond the guess is worth its evaluation.
const (
	probeAt     = 1.5 // times the guess
	probeBelow  = 2   // times the probe: an end that is nearer stays
	probeFactor = 3   // of a probe after one inside the slice
)

// updateTangent is update for a log-concave density that is f, with value, slope and
// curvature here at 0, of which the part least is the same everywhere. It needs hardly
// more than one evaluation where priors end the slice. width is the first probe where
// there is no guess.
//
// Source: Neal (2003), Slice sampling, section 4.1, doi:10.1214/aos/1056562461, for any
// interval around a slice that is one; Gilks and Wild (1992), Adaptive rejection
// sampling for Gibbs sampling, doi:10.2307/2347565, for tangents of log-concave
// conditionals.
func (s *slicer) updateTangent(f density, here tangent, least,
	width float64) (displacement float64, v glm.Value, moved, ok bool) {
	s.bad, s.Bad = !(here.value <= math.MaxFloat64), here.value
	drop := variate.Exponential(s.source)
	s.level = here.value - drop
	left, right := s.enclose(f, here, least, width, drop)
	return s.shrink(f, left, right, false)
}

// enclose returns an interval around the slice whose level lies drop below the point.
func (s *slicer) enclose(f density, here tangent, least, width, drop float64) (left, right float64) {
	left, right = parabola(here.slope, least, drop)
	guessLeft, guessRight := parabola(here.slope, here.curvature, drop)
	return s.nearer(f, left, guessLeft, width), s.nearer(f, right, guessRight, width)
}

// parabola returns where slope·x − ½·curvature·x² is −drop, on either side of 0; ±Inf
// where it is not.
func parabola(slope, curvature, drop float64) (left, right float64) {
	root := math.Sqrt(math.FMA(2*curvature, drop, float64(slope*slope)))
	near := 2 * drop / (root + math.Abs(slope)) // on the side that goes down
	far := math.Inf(1)
	if curvature > 0 {
		far = (root + math.Abs(slope)) / curvature
	}
	if slope < 0 {
		return -far, near
	}
	return -near, far
}

// nearer returns an end of the interval that is nearer than end, if a probe beyond the
// guess, or the width where that is infinite, finds one.
func (s *slicer) nearer(f density, end, guess, width float64) float64 {
	if math.IsInf(guess, 0) {
		guess = math.Copysign(width, guess)
	}
	for probe := probeAt * guess; probeBelow*math.Abs(probe) < math.Abs(end) && !s.bad; probe *= probeFactor {
		if !s.above(f, probe) {
			return probe
		}
	}
	return end
}

// sliceShare is the probability of a slice update where the others are matched
// proposals: these may be stuck in a tail, a slice is not.
const sliceShare = 0.125

// sliced draws whether an update is a slice update. It must not look at the state.
func sliced(s variate.Source) bool { return s.Float64() < sliceShare }

// tangent is a univariate log density at a place, with its first derivative and
// its negative second one.
type tangent struct{ value, slope, curvature float64 }

// proposal draws a displacement from the normal distribution that has the slope and curvature of t at 0; ok is
// false if there is none.
func (t tangent) proposal(s variate.Source) (displacement float64, ok bool) {
	z := variate.Normal(s)
	if !(t.curvature > 0) || t.curvature > math.MaxFloat64 {
		return 0, false
	}
	return math.FMA(z, 1/math.Sqrt(t.curvature), t.slope/t.curvature), true
}

// logProposal returns the log density of that distribution at a displacement, up to a constant; −Inf if there is
// none.
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
	x, ok := from.proposal(k.Stream)
	threshold := logUniform(k.Stream)
	if !ok {
		return true
	}
	c := k.point.AlongCurve(j, x)
	k.Touched += k.reading
	to := k.tangentAt(x, c)
	if !(to.value <= math.MaxFloat64) {
		return k.Fail("", to.value)
	}
	ratio := logRatio(from, to, x)
	k.Tally(min(1, vec.Exp(ratio)))
	if threshold < ratio {
		k.point.Jump(j, x, c.Value)
		k.line.move(x)
		k.Touched += k.reading
	}
	return true
}

// tangentAt adds the prior to a curve of the likelihood.
func (k *basisKernel) tangentAt(x float64, c glm.Curve) tangent {
	return tangent{c.LogLik + k.line.at(x), c.Slope + k.line.slopeAt(x), c.Curvature + k.line.curvature}
}

// logUniform returns the logarithm of a uniform draw.
func logUniform(s variate.Source) float64 { return -variate.Exponential(s) }
