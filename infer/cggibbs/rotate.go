package cggibbs

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// rotateLimit is the largest number of coordinates that are rotated: T takes
// half of their square in memory, and n of its columns' products.
const rotateLimit = 5000

// Newton's iteration ends where a further step would gain less than this in log
// density. T needs the curvature near the mode, not the mode.
const newtonGain = 0.1

// rotate returns the frame T = L⁻ᵀ with H = WᵀΩW + D = LLᵀ, in which the posterior
// is near N(0, I): Ω is Fisher's information of the rows and D the curvature of the
// priors, a positive surrogate where they are not normal, both at the maximum of
// the penalised likelihood with the dispersions fixed. A Newton iteration with
// halved steps finds it from v, which need not be near.
//
// The draws are right for any T: this one decides how fast they mix. Cost:
// n·k²/2 + k³/6 a Newton step, of which one is needed from a good v, n·k²/2 for
// B and k³/6 for T.
func rotate(target *glm.Target, x design.Matrix, offset []float64, priors []prior.Prior, u []float64) (*frame, error) {
	return rotateAt(target, x, offset, priors, u, newtonGain)
}

// rotateAt is rotate with Newton's iteration ended at a gain.
func rotateAt(target *glm.Target, x design.Matrix, offset []float64, priors []prior.Prior, u []float64, gain float64) (*frame, error) {
	_, k := x.Size()
	if k > rotateLimit {
		return nil, fmt.Errorf("%d coordinates to rotate, more than %d", k, rotateLimit)
	}
	design := design.ToDense(x) // B has no zeros, whatever x has
	s, err := newNewton(target, design, offset, priors, u)
	if err != nil {
		return nil, err
	}
	factor, err := s.settle(gain)
	if err != nil {
		return nil, err
	}
	return newFrame(target, design, offset, priors, s.u[:k], factor.InverseTransposed()), nil
}

// rotatable reports whether a prior has a curvature, or a positive surrogate of it, to
// rotate by; a flat one has none and needs none.
func rotatable(kind prior.Kind) bool {
	switch kind {
	case prior.Flat, prior.Normal, prior.StudentT, prior.Cauchy, prior.Laplace:
		return true
	}
	return false
}

// newton maximises the penalised likelihood in v = u[:k]; the rest of u, the logs
// of the dispersions, stays.
type newton struct {
	target *glm.Target
	design *design.Dense
	priors []prior.Prior
	point  *glm.Predictor
	u      []float64

	rows, ridge, gradient []float64
}

// newNewton returns the iteration at u, which it moves; an error where a prior has no
// curvature.
func newNewton(target *glm.Target, design *design.Dense, offset []float64, priors []prior.Prior, u []float64) (*newton, error) {
	for _, p := range priors {
		if !rotatable(p.Kind) {
			return nil, fmt.Errorf("a %s prior has no curvature to rotate by", p.Kind)
		}
	}
	return &newton{target: target, design: design, priors: priors,
		point: glm.NewPredictor(target.Rebased(design, offset)), u: u,
		rows: make([]float64, design.Rows), ridge: make([]float64, design.Cols), gradient: make([]float64, design.Cols)}, nil
}

// settle returns the factor of the curvature where the iteration ends: where a step
// would gain no more than enough.
func (s *newton) settle(enough float64) (*linalg.Chol, error) {
	s.point.SetUnconstrained(s.u)
	for range 30 {
		factor, err := s.curvature()
		if err != nil {
			return nil, errors.New("the curvature at the penalised point has no Cholesky factor")
		}
		s.slope()
		step := append([]float64(nil), s.gradient...)
		factor.Solve(step)
		gain := 0.5 * kernels.Dot(step, s.gradient)
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
func (s *newton) curvature() (*linalg.Chol, error) {
	return linalg.Cholesky(s.hessian(), s.design.Cols)
}

// hessian returns the lower triangle of H at the point, and sets the ridge D.
func (s *newton) hessian() []float64 {
	k := s.design.Cols
	h := make([]float64, k*k)
	s.target.RowInformation(s.point.Eta(), s.point.Dispersions(), s.rows)
	linalg.Gram(s.design.Values, s.design.Rows, k, s.rows, h)
	for j, p := range s.priors {
		at := &h[j*k+j]
		if p.Kind == prior.Flat {
			s.ridge[j] = math.FMA(1e-6, *at, 1e-200)
		} else {
			s.ridge[j] = 1 / p.Scale / p.Scale
		}
		*at += s.ridge[j]
	}
	return h
}

// slope sets the gradient of the penalised likelihood. A flat prior's ridge has
// its centre at the point.
func (s *newton) slope() {
	s.target.RowGradient(s.point.Eta(), s.point.Dispersions(), s.rows)
	for j, p := range s.priors {
		s.gradient[j] = kernels.Dot(s.design.Col(j), s.rows)
		if p.Kind != prior.Flat {
			s.gradient[j] = math.FMA(s.ridge[j], p.Location-s.u[j], s.gradient[j])
		}
	}
}

// search moves along step, halved until the penalised likelihood rises, and
// reports whether it did.
func (s *newton) search(step []float64) bool {
	old, before := append([]float64(nil), s.u...), s.value()
	for size := 1.0; size > 1e-9; size /= 2 {
		copy(s.u, old)
		kernels.Axpy(size, step, s.u)
		s.point.SetUnconstrained(s.u)
		if s.value() > before {
			return true
		}
	}
	return false
}

// value returns the penalised likelihood.
func (s *newton) value() float64 {
	penalty := 0.0
	for j, p := range s.priors {
		if p.Kind != prior.Flat {
			e := s.u[j] - p.Location
			penalty = math.FMA(float64(s.ridge[j]*e), e, penalty)
		}
	}
	return s.point.Value().LogLik - 0.5*penalty
}
