package main

import (
	"math"
	"slices"
	"strings"
)

// bars draws intervals as bars on one axis, on which zero has a place.
type bars struct {
	low, high float64
	width     int
}

// span is an interval to draw: 95 %, the middle half of it, and the median.
type span struct{ low, quarter, median, threequarter, high float64 }

// times is the span in another unit.
func (s span) times(by float64) span {
	return span{s.low * by, s.quarter * by, s.median * by, s.threequarter * by, s.high * by}
}

func (s span) finite() bool {
	for _, v := range []float64{s.low, s.quarter, s.median, s.threequarter, s.high} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// clipAt is how many times the reach of nineteen bars of twenty the axis may be: the
// rest, which would make dots of the others, end in arrows.
const clipAt = 2

// newBars makes an axis of width columns for spans and zero.
func newBars(spans []span, width int) *bars {
	var reach []float64
	b := &bars{width: width}
	for _, s := range spans {
		if s.finite() {
			reach = append(reach, math.Max(math.Abs(s.low), math.Abs(s.high)))
			b.low, b.high = math.Min(b.low, s.low), math.Max(b.high, s.high)
		}
	}
	if len(reach) == 0 {
		return b
	}
	slices.Sort(reach)
	limit := clipAt * reach[int(math.Ceil(0.95*float64(len(reach))))-1]
	b.low, b.high = math.Max(b.low, -limit), math.Min(b.high, limit)
	return b
}

// at is the column of a value, −1 and width for what lies outside.
func (b *bars) at(x float64) int {
	switch {
	case x < b.low:
		return -1
	case x > b.high:
		return b.width
	}
	return int(math.Round((x - b.low) / (b.high - b.low) * float64(b.width-1)))
}

// draw draws one span: ─ for its 95 %, ━ for the middle half, ● for the median, │
// for zero, ┼ in a bar, arrows for what lies outside of the axis.
func (b *bars) draw(s span) string {
	if !s.finite() || b.low >= b.high {
		return ""
	}
	cells := slices.Repeat([]rune{' '}, b.width)
	put := func(from, to float64, sign rune) {
		for i := max(0, b.at(from)); i <= min(b.width-1, b.at(to)); i++ {
			cells[i] = sign
		}
	}
	put(s.low, s.high, '─')
	put(s.quarter, s.threequarter, '━')
	if zero := b.at(0); cells[zero] == ' ' {
		cells[zero] = '│'
	} else {
		cells[zero] = '┼'
	}
	put(s.median, s.median, '●')
	if b.at(s.low) < 0 || b.at(s.high) < 0 {
		cells[0] = '◂'
	}
	if b.at(s.high) >= b.width || b.at(s.low) >= b.width {
		cells[b.width-1] = '▸'
	}
	return string(cells)
}

// axis writes the ends of the axis, and zero where there is room for it.
func (b *bars) axis() string {
	if b.low >= b.high {
		return ""
	}
	low, high := figure(b.low), figure(b.high)
	zero := b.at(0)
	line := slices.Repeat([]rune{' '}, b.width)
	copy(line, []rune(low))
	copy(line[max(0, b.width-len(high)):], []rune(high))
	if zero > len(low) && zero < b.width-len(high)-1 {
		line[zero] = '0'
	}
	return strings.TrimRight(string(line), " ")
}
