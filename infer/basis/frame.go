package basis

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// Frame is a fixed invertible map v = origin + T·u from the coordinates u, which are updated one at a time, to the
// coordinates v of the priors. The likelihood has the design B = W·T, with W the design of v: eta = eta0 + B·u.
// Chains share it.
type Frame struct {
	Design design.Matrix // W
	Like   *glm.Target   // on B
	Origin []float64     // of v
	T      *linalg.Upper // T; nil is the identity
	Priors []prior.Prior // of v

	// Normal and flat priors of v make a quadratic form, whose second derivative
	// along each u is fixed: T_jᵀ·diag(precision)·T_j.
	Precision, Centre, Curvature []float64
	Others                       []int // entries of v with another prior, in order

	joint prior.Joint // Priors
}

// NewFrame makes the frame of the design w with its offset. Cost: n·k²/2 for k columns
// where t is not the identity.
func NewFrame(target *glm.Target, w design.Matrix, offset []float64, priors []prior.Prior,
	origin []float64, t *linalg.Upper,
) *Frame {
	_, k := w.Size()
	f := &Frame{Design: w, Origin: origin, T: t, Priors: priors, joint: prior.NewJoint(priors),
		Precision: make([]float64, k), Centre: make([]float64, k), Curvature: make([]float64, k)}
	for j, p := range priors {
		switch p.Kind {
		case prior.Normal:
			f.Precision[j], f.Centre[j] = 1/p.Scale/p.Scale, p.Location
		case prior.Flat:
		default:
			f.Others = append(f.Others, j)
		}
	}
	for j := range k {
		first, col := f.Column(j)
		for i, x := range col {
			f.Curvature[j] = math.FMA(float64(x*f.Precision[first+i]), x, f.Curvature[j])
		}
	}
	eta0 := append([]float64(nil), offset...)
	for j, x := range origin {
		w.Column(j).AddTo(eta0, x)
	}
	b := w
	if t != nil {
		b = product(target, design.ToDense(w), t)
	}
	f.Like = target.Rebased(b, eta0)
	return f
}

// product returns W·T, in memory of W's kind, parts of its rows side by side where the target has workers for them: W
// is read seldom from then on.
func product(target *glm.Target, w *design.Dense, t *linalg.Upper) *design.Dense {
	out, size := w.ZerosLike(), productRows
	target.Parallel().Each((w.Rows+size-1)/size, func(part int) {
		first, last := part*size, min((part+1)*size, w.Rows)
		t.MultiplyRows(w.Values, w.Rows, first, last, out.Values)
		design.IdleRows(w, first, last)
	})
	return out
}

// productRows is the number of rows of a part of a product.
const productRows = 1 << 13

// Column returns the entries first, first+1, … of v that coordinate j of u
// moves, per unit.
func (f *Frame) Column(j int) (first int, col []float64) {
	if f.T == nil {
		return j, one
	}
	return 0, f.T.Col(j)
}

var one = []float64{1}

// Values writes v to dst. Cost: k²/2.
func (f *Frame) Values(u, dst []float64) {
	if f.T == nil {
		copy(dst, u)
	} else {
		f.T.Apply(u, dst)
	}
	for i, x := range f.Origin {
		dst[i] += x
	}
}

// Coordinates writes u to dst, which may be v. Cost: k²/2.
func (f *Frame) Coordinates(v, dst []float64) {
	for i, x := range f.Origin {
		dst[i] = v[i] - x
	}
	if f.T != nil {
		f.T.Solve(dst)
	}
}

// LogPrior returns the log prior density of v with its constants.
func (f *Frame) LogPrior(v []float64) float64 { return f.joint.LogDensity(v) }
