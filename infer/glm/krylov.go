package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// krylov solves with H = XᵀWX + ridge by conjugate gradients, preconditioned
// by H's diagonal. Its steps are inexact but always ascend.
type krylov struct {
	x              design.Matrix
	ridge          []float64
	curv, diagonal []float64
	rows           []float64
	r, z, q, hq    []float64
}

// Limits of the inner iteration.
const (
	krylovSteps = 50
	// Residuals, in the preconditioned norm, at which it stops, of the first:
	newtonResidual = 0.03 // in Newton's steps, which need not be exact
	drawResidual   = 1e-3
)

func newKrylov(p *pilot) *krylov {
	n, d := p.t.Rows(), p.t.Cols()
	vector := func() []float64 { return make([]float64, d) }
	return &krylov{
		x: p.t.data.X, ridge: p.ridge, curv: make([]float64, n), diagonal: vector(),
		rows: make([]float64, n), r: vector(), z: vector(), q: vector(), hq: vector(),
	}
}

func (s *krylov) limit() (int, float64) { return 30, 1e-3 }

func (s *krylov) prepare(curv []float64) {
	copy(s.curv, curv)
	for j := range s.diagonal {
		c := s.x.Column(j)
		if c.Rows != nil {
			s.diagonal[j] = c.SumSquares(s.curv) + s.ridge[j]
			continue
		}
		c.SpreadTo(s.curv, s.rows)
		s.diagonal[j] = vec.Dot(c.Values, s.rows) + s.ridge[j]
	}
}

// apply writes H·v to dst.
func (s *krylov) apply(v, dst []float64) {
	design.Multiplied(s.x, v, s.rows)
	for i := range s.rows {
		s.rows[i] *= s.curv[i]
	}
	design.Transposed(s.x, s.rows, dst)
	for j, r := range s.ridge {
		dst[j] = math.FMA(r, v[j], dst[j])
	}
}

func (s *krylov) step(g, dst []float64) { s.solve(g, dst, newtonResidual) }

// solve is the preconditioned conjugate gradient iteration from 0.
func (s *krylov) solve(g, dst []float64, residual float64) {
	clear(dst)
	copy(s.r, g)
	s.precondition()
	copy(s.q, s.z)
	rho := vec.Dot(s.r, s.z)
	stop := residual * residual * rho
	for range krylovSteps {
		if !(rho > stop) {
			return
		}
		s.apply(s.q, s.hq)
		alpha := rho / vec.Dot(s.q, s.hq)
		vec.Axpy(alpha, s.q, dst)
		vec.Axpy(-alpha, s.hq, s.r)
		s.precondition()
		next := vec.Dot(s.r, s.z)
		for j := range s.q {
			s.q[j] = math.FMA(next/rho, s.q[j], s.z[j])
		}
		rho = next
	}
}

// precondition writes r/diagonal to z.
func (s *krylov) precondition() {
	for j, v := range s.r {
		s.z[j] = v / s.diagonal[j]
	}
}

// draw solves H·dst = XᵀW^½ε₁ + ridge^½ε₂, whose right side has variance H.
func (s *krylov) draw(src prior.Source, dst []float64) {
	for i, w := range s.curv {
		s.rows[i] = math.Sqrt(w) * variate.Normal(src)
	}
	b := make([]float64, len(dst))
	design.Transposed(s.x, s.rows, b)
	for j, r := range s.ridge {
		b[j] = math.FMA(math.Sqrt(r), variate.Normal(src), b[j])
	}
	s.solve(b, dst, drawResidual)
}
