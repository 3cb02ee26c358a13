package basis

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
)

// vector has the bits of package vec in the form that this processor runs
// fastest.
var vector = simd.Vector()

// RotateLimit is the largest number of coordinates that are rotated: T takes
// half of their square in memory, and n of its columns' products.
const RotateLimit = 5000

// NewtonGain ends Newton's iteration: it stops where a further step would gain
// less than this in log density. T needs the curvature near the mode, not the mode.
const NewtonGain = 0.1

// Rotate returns the frame T = L⁻ᵀ with H = WᵀΩW + D = LLᵀ, in which the posterior
// is near N(0, I): Ω is Fisher's information of the rows and D the curvature of the
// priors, a positive surrogate where they are not normal, both at the maximum of
// the penalised likelihood with the dispersions fixed. A Newton iteration with
// halved steps finds it from v, which need not be near.
//
// The draws are right for any T: this one decides how fast they mix. Cost:
// n·k²/2 + k³/6 a Newton step, of which one is needed from a good v, n·k²/2 for
// B and k³/6 for T.
func Rotate(target *glm.Target, x design.Matrix, offset []float64, priors []prior.Prior, u []float64) (*Frame, error) {
	return RotateAt(target, x, offset, priors, u, NewtonGain)
}

// RotateAt is Rotate with Newton's iteration ended at a gain.
func RotateAt(target *glm.Target, x design.Matrix, offset []float64, priors []prior.Prior,
	u []float64, gain float64,
) (*Frame, error) {
	_, k := x.Size()
	if k > RotateLimit {
		return nil, fmt.Errorf("%d coordinates to rotate, more than %d", k, RotateLimit)
	}
	design := design.ToDense(x) // B has no zeros, whatever x has
	if factor := known(target, x, priors); factor != nil {
		return NewFrame(target, design, offset, priors, u[:k], factor.InverseTransposed()), nil
	}
	s, err := NewNewton(target, design, offset, priors, u)
	if err != nil {
		return nil, err
	}
	factor, err := s.Settle(gain)
	if err != nil {
		return nil, err
	}
	return NewFrame(target, design, offset, priors, s.u[:k], factor.InverseTransposed()), nil
}

// known returns the factor of the curvature at the target's penalised point where that is known already, of its own
// design, and is as precise as a gain that anybody asks for; else nil.
func known(target *glm.Target, x design.Matrix, priors []prior.Prior) *linalg.Chol {
	gram := target.PenalisedInformation()
	if gram == nil || x != target.Data().X || rotatable(priors) != nil {
		return nil
	}
	h, k := slices.Clone(gram), len(priors)
	for j, p := range priors {
		h[j*k+j] += ridgeOf(p, h[j*k+j])
	}
	factor, err := linalg.Cholesky(h, k)
	if err != nil {
		return nil
	}
	return factor
}

// ridgeOf is the curvature of a prior of a column with some information.
func ridgeOf(p prior.Prior, information float64) float64 {
	if p.Kind == prior.Flat {
		return math.FMA(1e-6, information, 1e-200)
	}
	return 1 / p.Scale / p.Scale
}

// Rotatable reports whether a prior has a curvature, or a positive surrogate of it, to
// rotate by; a flat one has none and needs none.
func Rotatable(kind prior.Kind) bool {
	switch kind {
	case prior.Flat, prior.Normal, prior.StudentT, prior.Cauchy, prior.Laplace:
		return true
	}
	return false
}

// rotatable returns an error that names the first prior that is not Rotatable.
func rotatable(priors []prior.Prior) error {
	for _, p := range priors {
		if !Rotatable(p.Kind) {
			return fmt.Errorf("a %s prior has no curvature to rotate by", p.Kind)
		}
	}
	return nil
}

// Newton maximises the penalised likelihood in v = u[:k]; the rest of u, the logs
// of the dispersions, stays.
type Newton struct {
	target *glm.Target
	design *design.Dense
	priors []prior.Prior
	point  *glm.Point
	u      []float64

	rows, ridge, gradient []float64
}

// NewNewton returns the iteration at u, which it moves; an error where a prior has no
// curvature.
func NewNewton(target *glm.Target, design *design.Dense, offset []float64, priors []prior.Prior,
	u []float64,
) (*Newton, error) {
	if err := rotatable(priors); err != nil {
		return nil, err
	}
	return &Newton{target: target, design: design, priors: priors,
		point: glm.NewPoint(target.Rebased(design, offset)), u: u,
		rows: make([]float64, design.Rows), ridge: make([]float64, design.Cols), gradient: make([]float64, design.Cols)}, nil
}

// Settle returns the factor of the curvature where the iteration ends: where a step
// would gain no more than enough.
func (s *Newton) Settle(enough float64) (*linalg.Chol, error) {
	s.point.SetUnconstrained(s.u)
	for range 30 {
		factor, err := s.curvature()
		if err != nil {
			return nil, errors.New("the curvature at the penalised point has no Cholesky factor")
		}
		s.slope()
		step := append([]float64(nil), s.gradient...)
		factor.Solve(step)
		gain := 0.5 * vector.Dot(step, s.gradient)
		if gain <= enough {
			return factor, nil
		}
		if !s.search(step) {
			break
		}
	}
	return nil, errors.New("newton's iteration for the penalised point did not settle")
}

// curvature factorises H at the point, and sets the ridge D.
func (s *Newton) curvature() (*linalg.Chol, error) {
	return linalg.Cholesky(s.Hessian(), s.design.Cols)
}

// Hessian returns the lower triangle of H at the point, and sets the ridge D.
func (s *Newton) Hessian() []float64 {
	k := s.design.Cols
	h := make([]float64, k*k)
	s.target.RowInformation(s.point.Eta(), s.point.Dispersions(), s.rows)
	linalg.Gram(s.design.Values, s.design.Rows, k, s.rows, h)
	for j, p := range s.priors {
		at := &h[j*k+j]
		s.ridge[j] = ridgeOf(p, *at)
		*at += s.ridge[j]
	}
	return h
}

// slope sets the gradient of the penalised likelihood. A flat prior's ridge has
// its centre at the point.
func (s *Newton) slope() {
	s.target.RowGradient(s.point.Eta(), s.point.Dispersions(), s.rows)
	for j, p := range s.priors {
		s.gradient[j] = vector.Dot(s.design.Col(j), s.rows)
		if p.Kind != prior.Flat {
			s.gradient[j] = math.FMA(s.ridge[j], p.Location-s.u[j], s.gradient[j])
		}
	}
}

// search moves along step, halved until the penalised likelihood rises, and
// reports whether it did.
func (s *Newton) search(step []float64) bool {
	old, before := append([]float64(nil), s.u...), s.value()
	for size := 1.0; size > 1e-9; size /= 2 {
		copy(s.u, old)
		vector.Axpy(size, step, s.u)
		s.point.SetUnconstrained(s.u)
		if s.value() > before {
			return true
		}
	}
	return false
}

// value returns the penalised likelihood.
func (s *Newton) value() float64 {
	penalty := 0.0
	for j, p := range s.priors {
		if p.Kind != prior.Flat {
			e := s.u[j] - p.Location
			penalty = math.FMA(float64(s.ridge[j]*e), e, penalty)
		}
	}
	return s.point.Value().LogLik - 0.5*penalty
}
