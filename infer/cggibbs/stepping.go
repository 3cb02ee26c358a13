package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
)

// updateStepping is update with stepping out in place of doubling: the interval
// grows by one width at a time on either side, 2^limit widths (at most 2³⁰) in all
// with a random share for each side. It wants a width of the size of the slice: then
// it needs two evaluations for the ends and hardly more than one for the draw,
// and no acceptance test.
//
// Source: Neal (2003), figures 3 and 5, doi:10.1214/aos/1056562461.
func (s *slicer) updateStepping(f density, current, width float64) (displacement float64, v glm.Value, moved, ok bool) {
	s.bad, s.badValue = !(current <= math.MaxFloat64), current
	s.level = current + logUniform(s.source)
	left := float64(-width * s.source.Float64())
	right := left + width
	steps := int64(1) << min(s.limit, 30)
	onLeft := int64(float64(steps) * s.source.Float64())
	onRight := steps - 1 - onLeft
	for ; onLeft > 0 && !s.bad && s.above(f, left); onLeft-- {
		left -= width
	}
	for ; onRight > 0 && !s.bad && s.above(f, right); onRight-- {
		right += width
	}
	return s.shrink(f, left, right)
}

// shrink draws from the part of an interval that is inside the slice: a place outside
// becomes the interval's end on its side.
func (s *slicer) shrink(f density, left, right float64) (displacement float64, v glm.Value, moved, ok bool) {
	for !s.bad {
		x := math.FMA(s.source.Float64(), right-left, left)
		if x == 0 || !(left < right) {
			return 0, v, false, true
		}
		value, v := s.eval(f, x)
		if s.level < value && !s.bad {
			return x, v, true, true
		}
		if x < 0 {
			left = x
		} else {
			right = x
		}
	}
	return 0, v, false, false
}

// above reports whether a displacement is inside the slice.
func (s *slicer) above(f density, x float64) bool {
	value, _ := s.eval(f, x)
	return s.level < value
}
