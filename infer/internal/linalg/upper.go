package linalg

import "glmbatch/infer/internal/vec"

// Upper is an upper triangular n × n matrix, its columns packed: entry (i, j)
// stands at place j(j+1)/2 + i, i ≤ j.
type Upper struct {
	n      int
	values []float64
}

// InverseTransposed returns L⁻ᵀ. Cost: n³/6 fused multiply-adds.
func (c *Chol) InverseTransposed() *Upper {
	u := &Upper{n: c.n, values: make([]float64, c.n*(c.n+1)/2)}
	for j := range c.n {
		col := u.Col(j)
		col[j] = 1
		for i := j; i >= 0; i-- {
			row := c.l[i*c.n : i*c.n+i+1]
			col[i] /= row[i]
			vec.Axpy(-col[i], row[:i], col[:i])
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
		vec.Axpy(v, u.Col(j), dst)
	}
}

// Solve overwrites b with U⁻¹b. Cost: n²/2.
func (u *Upper) Solve(b []float64) {
	for j := u.n - 1; j >= 0; j-- {
		col := u.Col(j)
		b[j] /= col[j]
		vec.Axpy(-b[j], col[:j], b[:j])
	}
}

// multiplyRows is the number of rows of a block of Multiply.
const multiplyRows = 256

// Multiply returns X·U for X of rows × n by column. Cost: rows·n²/2 fused
// multiply-adds, in blocks of rows that stay in a core's cache.
func (u *Upper) Multiply(x []float64, rows int) []float64 {
	out := make([]float64, len(x))
	for first := 0; first < rows; first += multiplyRows {
		last := min(first+multiplyRows, rows)
		for j := range u.n {
			dst := out[j*rows+first : j*rows+last]
			at := func(i int) []float64 { return x[i*rows+first : i*rows+last] }
			col := u.Col(j)
			for ; len(col) >= 4; col = col[4:] {
				i := j + 1 - len(col)
				vec.Axpy4((*[4]float64)(col), at(i), at(i+1), at(i+2), at(i+3), dst)
			}
			for i, v := range col {
				vec.Axpy(v, at(j+1-len(col)+i), dst)
			}
		}
	}
	return out
}
