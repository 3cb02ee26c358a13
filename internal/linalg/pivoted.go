package linalg

import (
	"math"

	"glmbatch/internal/vec"
)

// Pivoted is the Cholesky factor R of a symmetric positive semidefinite n × n
// matrix A with complete pivoting, K = RRᵀ of rank r: what is left of A's diagonal
// after r columns is at most tol times its largest entry. The rows of R at the
// pivots, in their order, are lower triangular.
type Pivoted struct {
	Rows, Rank int
	R          []float64 // Rows × Rank by column
	Pivots     []int     // len Rank
}

// NewPivoted factorises the matrix whose lower triangle is in a by rows (entry (i, j) at a[i*n+j], j ≤ i). Its rank
// is 0 if no diagonal entry is positive and finite. Cost: n·r²/2 fused multiply-adds in a fixed order.
//
// Source: Higham (1990), Analysis of the Cholesky decomposition of a semi-definite
// matrix, in Reliable Numerical Computation.
func NewPivoted(a []float64, n int, tol float64) *Pivoted {
	p := &Pivoted{Rows: n, R: make([]float64, 0, n*n)}
	left, coef := make([]float64, n), make([]float64, n)
	for i := range n {
		left[i] = a[i*n+i]
	}
	limit := 0.0
	for p.Rank < n {
		at := 0
		for i, v := range left {
			if v > left[at] {
				at = i
			}
		}
		pivot := left[at]
		if p.Rank == 0 {
			limit = tol * pivot
		}
		if !(pivot > limit) || pivot > math.MaxFloat64 {
			break
		}
		k := p.Rank
		p.R = p.R[:(k+1)*n]
		col := p.R[k*n:]
		for i := range n {
			col[i] = a[max(i, at)*n+min(i, at)]
		}
		for l := range k {
			coef[l] = -p.R[l*n+at]
		}
		kernels.AxpyColumns(coef[:k], p.R[:k*n], col)
		root := math.Sqrt(pivot)
		for _, done := range p.Pivots {
			col[done] = 0
		}
		for i := range n {
			col[i] /= root
			left[i] = math.FMA(-col[i], col[i], left[i])
		}
		col[at], left[at] = root, math.Inf(-1)
		p.Pivots = append(p.Pivots, at)
		p.Rank++
	}
	return p
}

// Solve writes the z to dst, len Rank, for which R·z is f at the pivots. Cost:
// r²/2.
func (p *Pivoted) Solve(f, dst []float64) {
	for k, at := range p.Pivots {
		sum := f[at]
		for l := range k {
			sum = math.FMA(-p.R[l*p.Rows+at], dst[l], sum)
		}
		dst[k] = sum / p.R[k*p.Rows+at]
	}
}

// SolveTransposed writes the q to dst, len Rows, that is 0 but at the pivots, with
// Rᵀ·q = w. Cost: r²/2.
func (p *Pivoted) SolveTransposed(w, dst []float64) {
	clear(dst)
	for k := p.Rank - 1; k >= 0; k-- {
		sum, col := w[k], p.R[k*p.Rows:(k+1)*p.Rows]
		for _, at := range p.Pivots[k+1:] {
			sum = math.FMA(-col[at], dst[at], sum)
		}
		dst[p.Pivots[k]] = sum / col[p.Pivots[k]]
	}
}

// Span is the linear span of the columns added to it, held as an orthonormal
// basis (modified Gram–Schmidt, each vector orthogonalised twice; Giraud,
// Langou and Rozložník 2005, doi:10.1016/j.camwa.2005.08.009).
type Span struct {
	basis [][]float64
	tol   float64
	// added has, for each independent column, its coordinates in the basis up to its own direction.
	added [][]float64
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
	s.added = append(s.added, s.coordinates(col))
	return true
}

// coordinates returns the products of col with the basis.
func (s *Span) coordinates(col []float64) []float64 {
	out := make([]float64, len(s.basis))
	for k, q := range s.basis {
		out[k] = vec.Dot(q, col)
	}
	return out
}

// Weights returns the w for which Σ w·column, over the independent columns in the order in which they were added, is
// the projection of col onto the span. Cost: O(n·rank + rank²).
func (s *Span) Weights(col []float64) []float64 {
	w := s.coordinates(col)
	for k := len(w) - 1; k >= 0; k-- {
		w[k] /= s.added[k][k]
		for l := range k {
			w[l] = math.FMA(-w[k], s.added[k][l], w[l])
		}
	}
	return w
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
