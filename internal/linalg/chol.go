package linalg

import (
	"errors"
	"math"

	"glmbatch/internal/vec"
)

// ErrNotPositive tells that a matrix has no Cholesky factor: a pivot is zero,
// negative or not a number.
var ErrNotPositive = errors.New("linalg: matrix is not positive definite")

// Chol is the lower triangular factor L of a symmetric positive definite
// matrix A = LLᵀ, by rows: L(i, j) stands at l[i*n+j], j ≤ i.
type Chol struct {
	n int
	l []float64
}

// cholRows is the number of rows that Cholesky works on together: each earlier
// row is read once for all of them.
const cholRows = 32

// Cholesky factorises the n × n matrix whose lower triangle stands by rows in
// a (entry (i, j) at a[i*n+j]); it overwrites and keeps a. Cost: n³/6 fused
// multiply-adds, in a fixed order of operations; blocked, so that a matrix larger
// than the cache is read n/32 times. It returns ErrNotPositive when a pivot is not
// positive.
func Cholesky(a []float64, n int) (*Chol, error) {
	for first := 0; first < n; first += cholRows {
		last := min(first+cholRows, n)
		for j := range last {
			col := a[j*n : j*n+n]
			if j >= first {
				pivot := col[j] - kernels.SumSquares(col[:j])
				if !(pivot > 0) || pivot > math.MaxFloat64 {
					return nil, ErrNotPositive
				}
				col[j] = math.Sqrt(pivot)
			}
			for i := max(j+1, first); i < last; i++ {
				row := a[i*n : i*n+n]
				row[j] = (row[j] - kernels.Dot(row[:j], col)) / col[j]
			}
		}
	}
	return &Chol{n: n, l: a}, nil
}

// SolveLower overwrites b with L⁻¹b. Cost: n²/2.
func (c *Chol) SolveLower(b []float64) {
	n := c.n
	for i := range n {
		row := c.l[i*n : i*n+n]
		b[i] = (b[i] - kernels.Dot(row[:i], b)) / row[i]
	}
}

// SolveUpper overwrites b with L⁻ᵀb. Cost: n²/2.
func (c *Chol) SolveUpper(b []float64) {
	n := c.n
	for i := n - 1; i >= 0; i-- {
		row := c.l[i*n : i*n+n]
		b[i] /= row[i]
		kernels.Axpy(-b[i], row[:i], b[:i])
	}
}

// Solve overwrites b with A⁻¹b. Cost: n².
func (c *Chol) Solve(b []float64) {
	c.SolveLower(b)
	c.SolveUpper(b)
}

// MulLower overwrites b with L·b. Cost: n²/2.
func (c *Chol) MulLower(b []float64) {
	for i := c.n - 1; i >= 0; i-- {
		b[i] = kernels.Dot(c.l[i*c.n:i*c.n+i+1], b[:i+1])
	}
}

// MulUpper overwrites b with Lᵀb. Cost: n²/2.
func (c *Chol) MulUpper(b []float64) {
	for i := range c.n {
		row, v := c.l[i*c.n:i*c.n+i+1], b[i]
		b[i] = 0
		kernels.Axpy(v, row, b[:i+1])
	}
}

// LogDet returns log det A.
func (c *Chol) LogDet() float64 {
	sum := 0.0
	for i := range c.n {
		sum += vec.Log(c.l[i*c.n+i])
	}
	return 2 * sum
}
