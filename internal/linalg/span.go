package linalg

import (
	"math"

	"glmbatch/internal/vec"
)

// Span is the linear span of the columns added to it, held as an orthonormal
// basis (modified Gram–Schmidt, each vector orthogonalised twice; Giraud,
// Langou and Rozložník 2005, doi:10.1016/j.camwa.2005.08.009).
type Span struct {
	basis [][]float64
	tol   float64
}

// NewSpan returns an empty span. A column counts as dependent when the part of
// it outside the span is at most tol times its norm.
func NewSpan(tol float64) *Span { return &Span{tol: tol} }

// Rank returns the number of independent columns added.
func (s *Span) Rank() int { return len(s.basis) }

// Add adds a column and reports whether it is independent of those before. Cost:
// 4·n·rank.
func (s *Span) Add(col []float64) bool {
	v, share := s.Residual(col)
	if !(share > s.tol) {
		return false
	}
	norm := math.Sqrt(vec.SumSquares(v))
	for i := range v {
		v[i] /= norm
	}
	s.basis = append(s.basis, v)
	return true
}

// Last returns the direction that the last independent column added.
func (s *Span) Last() []float64 { return s.basis[len(s.basis)-1] }

// Residual returns the part of col outside the span, scaled by 1/max|col|, and
// the share of col's norm that this part has, 0 for a zero column.
func (s *Span) Residual(col []float64) (part []float64, share float64) {
	largest := 0.0
	for _, x := range col {
		largest = max(largest, math.Abs(x))
	}
	part = make([]float64, len(col))
	if !(largest > 0) {
		return part, 0
	}
	for i, x := range col {
		part[i] = x / largest // no overflow or underflow in the squares
	}
	norm := math.Sqrt(vec.SumSquares(part))
	for range 2 {
		for _, q := range s.basis {
			vec.Axpy(-vec.Dot(q, part), q, part)
		}
	}
	return part, math.Sqrt(vec.SumSquares(part)) / norm
}
