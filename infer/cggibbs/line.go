package cggibbs

import (
	"math"
	"slices"

	"glmbatch/infer/basis"
	"glmbatch/internal/simd"
)

// kernels have the bits of package vec in the form that this processor runs
// fastest. The likelihood's passes are the target's own choice.
var kernels = simd.Vector()

// line is the log prior density of v along one coordinate of u, less its value
// at the point. Normal and flat priors cost O(k) for a line and O(1) for a place
// on it; others O(1) each for a place.
type line struct {
	*basis.Frame
	v         []float64 // the point
	first     int
	col       []float64
	moved     []int   // of others, those that the coordinate moves
	slope     float64 // of the quadratic form
	curvature float64
	base      float64 // the other priors at the point
}

// along begins a line.
func (l *line) along(j int) {
	l.first, l.col = l.Column(j)
	from, _ := slices.BinarySearch(l.Others, l.first)
	to, _ := slices.BinarySearch(l.Others, l.first+len(l.col))
	l.moved = l.Others[from:to]
	l.slope, l.curvature = 0, l.Frame.Curvature[j]
	for i, x := range l.col {
		at := l.first + i
		l.slope = math.FMA(float64(x*l.Precision[at]), l.Centre[at]-l.v[at], l.slope)
	}
	l.base = l.otherPriors(0)
}

// at returns the log prior density at a displacement.
func (l *line) at(x float64) float64 {
	quadratic := float64(x * math.FMA(-0.5*l.curvature, x, l.slope))
	if len(l.moved) == 0 {
		return quadratic
	}
	return quadratic + (l.otherPriors(x) - l.base)
}

// otherPriors sums the priors that are neither normal nor flat.
func (l *line) otherPriors(x float64) float64 {
	sum := 0.0
	for _, at := range l.moved {
		sum += l.Priors[at].LogDensity(math.FMA(x, l.col[at-l.first], l.v[at]))
	}
	return sum
}

// slopeAt returns the derivative at a displacement; other priors than normal
// and flat must be laplace, whose second derivative is 0.
func (l *line) slopeAt(x float64) float64 {
	slope := math.FMA(-l.curvature, x, l.slope)
	for _, at := range l.moved {
		p, t := l.Priors[at], l.col[at-l.first]
		side := math.FMA(x, t, l.v[at]) - p.Location
		slope -= t / math.Copysign(p.Scale, side)
	}
	return slope
}

// move moves the point.
func (l *line) move(x float64) {
	kernels.Axpy(x, l.col, l.v[l.first:l.first+len(l.col)])
}
