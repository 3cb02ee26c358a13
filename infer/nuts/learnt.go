package nuts

import (
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/linalg"
)

// Window is the metric that a chain has after a window of its warm-up.
type Window struct {
	After  int // iterations since the chain's start
	metric *metric
}

// Windows makes the metrics of a chain's warm-up again, from its positions: position writes that after iteration i,
// counted from 0, as Kernel.Position does. The first is the one before any is learnt. Metrics equal the chain's own
// up to rounding. Cost: that of learning them, and for a low-rank metric a gradient for each iteration.
//
// It returns an *OptionError as New does, and the error of position.
func Windows(target *glm.Target, opts Options, warmup int,
	position func(i int, theta []float64) error) ([]Window, error) {
	made, err := New(target, opts)
	if err != nil {
		return nil, err
	}
	s := made.(*setup)
	k, theta := s.nowhere(warmup), make([]float64, target.Dim())
	out := []Window{{0, k.space.metric}}
	for i := range int64(warmup) {
		if k.windows.learns(i) {
			if err := position(int(i), theta); err != nil {
				return nil, err
			}
			target.Unconstrain(theta, k.here.u)
			if s.lowRank() {
				k.space.gradient(k.here.u, k.here.grad)
			}
			k.observe()
		}
		if k.windows.closes(i) {
			if err := k.learn(); err != nil {
				return nil, err
			}
			out = append(out, Window{int(i) + 1, k.space.metric})
		}
	}
	return out, nil
}

// Matrix is a symmetric positive definite matrix by its products and solutions.
type Matrix interface {
	Dim() int
	Mul(x, dst []float64)
	Solve(x, dst []float64)
}

// maxBlock is the largest number of coefficients of which a metric's block is
// factorised.
const maxBlock = 4096

// Precondition returns FᵀHF for a matrix H over the coefficients, where FFᵀ is
// the metric's block of these: what H is in the coordinates that the chain
// moves in.
func (w *Window) Precondition(h Matrix) (Matrix, error) {
	d, m := h.Dim(), w.metric
	p := &preconditioned{h: h, one: make([]float64, d)}
	switch {
	case m.root == nil && m.low == nil:
		p.spread = func(x []float64) { divide(x, m.scales) }
		p.gather = p.spread
		p.unspread = func(x []float64) { multiply(x, m.scales) }
		p.ungather = p.unspread
		return p, nil
	case m.low != nil && d == m.dim:
		l := m.low
		roots, inverse := make([]float64, len(l.values)), l.roots
		for k, v := range l.values {
			roots[k] = math.Sqrt(v)
		}
		p.spread = func(x []float64) { l.stretch(roots, x); divide(x, m.scales) }
		p.gather = func(x []float64) { divide(x, m.scales); l.stretch(roots, x) }
		p.unspread = func(x []float64) { multiply(x, m.scales); l.stretch(inverse, x) }
		p.ungather = func(x []float64) { l.stretch(inverse, x); multiply(x, m.scales) }
		return p, nil
	}
	if d > maxBlock {
		return nil, fmt.Errorf("nuts: the metric of %d coefficients, more than %d, beside dispersions", d, maxBlock)
	}
	l, err := linalg.Cholesky(m.block(d), d)
	if err != nil {
		return nil, fmt.Errorf("nuts: the metric is not positive definite: %w", err)
	}
	p.spread, p.gather = l.MulLower, l.MulUpper
	p.unspread, p.ungather = l.SolveLower, l.SolveUpper
	return p, nil
}

// block returns the metric's first d rows and columns.
func (m *metric) block(d int) []float64 {
	out, unit, column := make([]float64, d*d), make([]float64, m.dim), make([]float64, m.dim)
	for j := range d {
		clear(unit)
		unit[j] = 1
		m.velocity(unit, column)
		copy(out[j*d:(j+1)*d], column)
	}
	return out
}

// divide and multiply work entry by entry on the first entries of by.
func divide(x, by []float64) {
	for j := range x {
		x[j] /= by[j]
	}
}

func multiply(x, by []float64) {
	for j := range x {
		x[j] *= by[j]
	}
}

// preconditioned is FᵀHF: spread is F, gather Fᵀ, in place.
type preconditioned struct {
	h                                  Matrix
	spread, gather, unspread, ungather func(x []float64)
	one                                []float64 // scratch
}

func (p *preconditioned) Dim() int { return p.h.Dim() }

// Mul writes FᵀHF·x to dst.
func (p *preconditioned) Mul(x, dst []float64) {
	copy(p.one, x)
	p.spread(p.one)
	p.h.Mul(p.one, dst)
	p.gather(dst)
}

// Solve writes F⁻¹H⁻¹F⁻ᵀ·x to dst.
func (p *preconditioned) Solve(x, dst []float64) {
	copy(p.one, x)
	p.ungather(p.one)
	p.h.Solve(p.one, dst)
	p.unspread(dst)
}
