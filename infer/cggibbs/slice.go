package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
)

// density is a univariate log density that a slice update evaluates, in the
// displacement from the current point.
type density interface {
	// at returns the log density at a displacement, and the log likelihood
	// there with what a move needs.
	at(displacement float64) (float64, glm.Value)
}

// slicer makes univariate slice updates with doubling and shrinkage.
//
// Source: Neal (2003), Slice sampling, figures 4, 5 and 6,
// doi:10.1214/aos/1056562461.
type slicer struct {
	*update.Looks
	source variate.Source
	limit  int // doublings at most

	// The interval is [base + lo·width, base + hi·width], hi − lo = 2ᵏ: ends and midpoints of doubled intervals are
	// given by whole numbers, so that the acceptance test meets the very points that doubling met.
	base, width float64
	lo, hi      int64
	atLo, atHi  end
	level       float64 // log density that defines the slice

	bad bool // a log density was NaN or +Inf
}

// end is the log density at an end of an interval, once it was needed.
type end struct {
	known bool
	value float64
}

// update returns a new displacement from the current point, where the log density is current. ok is false, and Bad
// has the value, if a log density was NaN or +Inf. moved is false if shrinkage came back to the point itself.
func (s *slicer) update(f density, current, width float64) (displacement float64, v glm.Value, moved, ok bool) {
	s.bad, s.Bad = !(current <= math.MaxFloat64), current
	s.level = current - variate.Exponential(s.source)
	s.double(f, width)
	return s.shrink(f, s.point(s.lo), s.point(s.hi), true)
}

// double finds the interval by doubling (figure 4).
func (s *slicer) double(f density, width float64) {
	s.width = width
	s.base = -width * s.source.Float64()
	s.lo, s.hi = 0, 1
	s.atLo, s.atHi = end{}, end{}
	for k := s.limit; k > 0 && !s.bad; k-- {
		if !s.inside(f, s.lo, &s.atLo) && !s.inside(f, s.hi, &s.atHi) {
			return
		}
		if s.source.Float64() < 0.5 {
			s.lo -= s.hi - s.lo
			s.atLo = end{}
		} else {
			s.hi += s.hi - s.lo
			s.atHi = end{}
		}
	}
}

// accept reports whether doubling from x could have ended with the same interval
// (figure 6): an interval halved toward x, which no longer holds the current
// point, must have an end inside the slice, or doubling would have stopped.
func (s *slicer) accept(f density, x float64) bool {
	lo, hi, atLo, atHi := s.lo, s.hi, s.atLo, s.atHi
	differs := false
	for hi-lo > 1 && !s.bad {
		mid := lo + (hi-lo)/2
		m := s.point(mid)
		differs = differs || (0 < m) != (x < m)
		if x < m {
			hi, atHi = mid, end{}
		} else {
			lo, atLo = mid, end{}
		}
		if differs && !s.inside(f, lo, &atLo) && !s.inside(f, hi, &atHi) {
			return false
		}
	}
	return !s.bad
}

// inside reports whether a grid point is inside the slice.
func (s *slicer) inside(f density, i int64, e *end) bool {
	if !e.known {
		e.value, _ = s.eval(f, s.point(i))
		e.known = true
	}
	return s.level < e.value
}

// point returns the displacement of grid point i.
func (s *slicer) point(i int64) float64 { return math.FMA(s.width, float64(i), s.base) }

// eval evaluates, counts and watches the log density.
func (s *slicer) eval(f density, x float64) (float64, glm.Value) {
	s.Evaluations++
	value, v := f.at(x)
	if !(value <= math.MaxFloat64) { // NaN or +Inf
		s.bad, s.Bad = true, value
	}
	return value, v
}

// updateStepping is update with stepping out instead of doubling: the interval grows by one width at a time on
// either side, 2^limit widths (at most 2³⁰) in all with a random share for each side. It wants a width of the size
// of the slice: then it needs two evaluations for the ends and hardly more than one for the draw, and no acceptance
// test.
//
// Source: Neal (2003), figures 3 and 5, doi:10.1214/aos/1056562461.
func (s *slicer) updateStepping(f density, current, width float64) (displacement float64, v glm.Value, moved, ok bool) {
	s.bad, s.Bad = !(current <= math.MaxFloat64), current
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
	return s.shrink(f, left, right, false)
}

// shrink draws from the part of an interval that is inside the slice and, of a doubled one, that is accepted: another
// place becomes the interval's end on its side.
func (s *slicer) shrink(f density, left, right float64, doubled bool) (displacement float64, v glm.Value, moved,
	ok bool) {
	for !s.bad {
		x := math.FMA(s.source.Float64(), right-left, left)
		if x == 0 || !(left < right) {
			return 0, v, false, true
		}
		value, v := s.eval(f, x)
		if !s.bad && s.level < value && (!doubled || s.accept(f, x)) {
			return x, v, true, !s.bad
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
