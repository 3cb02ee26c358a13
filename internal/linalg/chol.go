package linalg

import (
	"errors"
	"math"

	"glmbatch/internal/vec"
)

// ErrNotPositive reports that a matrix has no Cholesky factor: a pivot is zero, negative or not a number.
var ErrNotPositive = errors.New("linalg: matrix is not positive definite")

// Chol is the lower triangular factor L of a symmetric positive definite matrix A = LLᵀ, by rows: L(i, j) is
// l[i*n+j], j ≤ i.
type Chol struct {
	n int
	l []float64
}

// cholRows is the number of rows that Cholesky works on together: each earlier
// row is read once for all of them.
const cholRows = 32

// Cholesky factorises the n × n matrix whose lower triangle is in a by rows (entry (i, j) at a[i*n+j]); it
// overwrites and keeps a. Cost: n³/6 fused multiply-adds, in a fixed order of operations; blocked, so that a matrix
// larger than the cache is read n/32 times. It returns ErrNotPositive when a pivot is not positive.
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

// Upper is an upper triangular n × n matrix, its columns packed: entry (i, j) has index j(j+1)/2 + i, i ≤ j.
type Upper struct {
	n      int
	values []float64
}

// inverseColumns is the number of columns that InverseTransposed works on together: a
// row of L is read once for all of them.
const inverseColumns = 16

// InverseTransposed returns L⁻ᵀ. Cost: n³/6 fused multiply-adds.
func (c *Chol) InverseTransposed() *Upper {
	u := &Upper{n: c.n, values: make([]float64, c.n*(c.n+1)/2)}
	for first := 0; first < c.n; first += inverseColumns {
		last := min(first+inverseColumns, c.n)
		for i := last - 1; i >= 0; i-- {
			row := c.l[i*c.n : i*c.n+i+1]
			for j := max(i, first); j < last; j++ {
				col := u.Col(j)
				if j == i {
					col[j] = 1
				}
				col[i] /= row[i]
				kernels.Axpy(-col[i], row[:i], col[:i])
			}
		}
	}
	return u
}

// Col returns column j down to its diagonal entry; it aliases the matrix.
func (u *Upper) Col(j int) []float64 {
	at := j * (j + 1) / 2
	return u.values[at : at+j+1 : at+j+1]
}

// Apply writes U·x to dst, which must not be x. Cost: n²/2.
func (u *Upper) Apply(x, dst []float64) {
	clear(dst)
	for j, v := range x {
		kernels.Axpy(v, u.Col(j), dst)
	}
}

// Solve overwrites b with U⁻¹b. Cost: n²/2.
func (u *Upper) Solve(b []float64) {
	for j := u.n - 1; j >= 0; j-- {
		col := u.Col(j)
		b[j] /= col[j]
		kernels.Axpy(-b[j], col[:j], b[:j])
	}
}

// Multiply returns X·U for X of rows × n by column. Cost: rows·n²/2 fused
// multiply-adds, in blocks of rows that stay in a core's cache, less those for last
// columns that are zero in a block: a third less where X is a lower triangle.
func (u *Upper) Multiply(x []float64, rows int) []float64 {
	out := make([]float64, len(x))
	u.MultiplyRows(x, rows, 0, rows, out)
	return out
}

// MultiplyRows writes rows from to to−1 of X·U to those of out, as Multiply does all: no row depends on others.
func (u *Upper) MultiplyRows(x []float64, rows, from, to int, out []float64) {
	height := min(rows, blockRows, max(64, blockEntries/max(1, u.n)/8*8))
	block, dst := make([]float64, height*u.n), make([]float64, height)
	for first := from; first < to; first += height {
		m := min(height, to-first)
		width := pack(x, rows, u.n, first, m, block)
		for j := range u.n {
			clear(dst[:m])
			used := min(j+1, width)
			kernels.AxpyColumns(u.Col(j)[:used], block[:used*m], dst[:m])
			copy(out[j*rows+first:], dst[:m])
		}
	}
}
