package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
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
	s.bad, s.badValue = !(here.value <= math.MaxFloat64), here.value
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
