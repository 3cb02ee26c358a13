package cggibbs

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
)

// kernels have the bits of package vec in the form that this processor runs
// fastest. The likelihood's passes are the target's own choice.
var kernels = simd.Vector()

// frame is a fixed invertible map v = origin + T·u between the coordinates u
// that are updated one at a time and those that priors speak of, with the
// likelihood on B = W·T, W being the design of v: eta = eta0 + B·u. Chains share
// it.
type frame struct {
	design design.Matrix // W
	like   *glm.Target   // on B
	origin []float64     // of v
	t      *linalg.Upper // T; nil is the identity
	priors []prior.Prior // of v

	// Normal and flat priors of v make a quadratic form, whose second derivative
	// along each u is fixed: T_jᵀ·diag(precision)·T_j.
	precision, centre, curvature []float64
	others                       []int // entries of v with another prior, in order
}

// newFrame makes the frame of the design w with its offset. Cost: n·k²/2 for k columns
// where t is not the identity.
func newFrame(target *glm.Target, w design.Matrix, offset []float64, priors []prior.Prior, origin []float64, t *linalg.Upper) *frame {
	n, k := w.Size()
	f := &frame{design: w, origin: origin, t: t, priors: priors,
		precision: make([]float64, k), centre: make([]float64, k), curvature: make([]float64, k)}
	for j, p := range priors {
		switch p.Kind {
		case prior.Normal:
			f.precision[j], f.centre[j] = 1/p.Scale/p.Scale, p.Location
		case prior.Flat:
		default:
			f.others = append(f.others, j)
		}
	}
	for j := range k {
		first, col := f.column(j)
		for i, x := range col {
			f.curvature[j] = math.FMA(float64(x*f.precision[first+i]), x, f.curvature[j])
		}
	}
	eta0 := append([]float64(nil), offset...)
	for j, x := range origin {
		w.Column(j).AddTo(eta0, x)
	}
	b := w
	if t != nil {
		b = &design.Dense{Rows: n, Cols: k, Values: t.Multiply(design.ToDense(w).Values, n)}
	}
	f.like = target.Rebased(b, eta0)
	return f
}

// column returns the entries first, first+1, … of v that coordinate j of u
// moves, per unit.
func (f *frame) column(j int) (first int, col []float64) {
	if f.t == nil {
		return j, one
	}
	return 0, f.t.Col(j)
}

var one = []float64{1}

// values writes v to dst. Cost: k²/2.
func (f *frame) values(u, dst []float64) {
	if f.t == nil {
		copy(dst, u)
	} else {
		f.t.Apply(u, dst)
	}
	for i, x := range f.origin {
		dst[i] += x
	}
}

// coordinates writes u to dst, which may be v. Cost: k²/2.
func (f *frame) coordinates(v, dst []float64) {
	for i, x := range f.origin {
		dst[i] = v[i] - x
	}
	if f.t != nil {
		f.t.Solve(dst)
	}
}

// logPrior returns the log prior density of v with its constants.
func (f *frame) logPrior(v []float64) float64 {
	sum := 0.0
	for i, p := range f.priors {
		sum += p.LogDensity(v[i])
	}
	return sum
}

// line is the log prior density of v along one coordinate of u, less its value
// at the point. Normal and flat priors cost O(k) for a line and O(1) for a place
// on it; others O(1) each for a place.
type line struct {
	*frame
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
	l.first, l.col = l.column(j)
	from, _ := slices.BinarySearch(l.others, l.first)
	to, _ := slices.BinarySearch(l.others, l.first+len(l.col))
	l.moved = l.others[from:to]
	l.slope, l.curvature = 0, l.frame.curvature[j]
	for i, x := range l.col {
		at := l.first + i
		l.slope = math.FMA(float64(x*l.precision[at]), l.centre[at]-l.v[at], l.slope)
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
		sum += l.priors[at].LogDensity(math.FMA(x, l.col[at-l.first], l.v[at]))
	}
	return sum
}

// slopeAt returns the derivative at a displacement; other priors than normal
// and flat must be laplace, whose second derivative is 0.
func (l *line) slopeAt(x float64) float64 {
	slope := math.FMA(-l.curvature, x, l.slope)
	for _, at := range l.moved {
		p, t := l.priors[at], l.col[at-l.first]
		side := math.FMA(x, t, l.v[at]) - p.Location
		slope -= t / math.Copysign(p.Scale, side)
	}
	return slope
}

// move moves the point.
func (l *line) move(x float64) {
	kernels.Axpy(x, l.col, l.v[l.first:l.first+len(l.col)])
}
