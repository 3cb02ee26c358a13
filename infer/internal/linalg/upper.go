package linalg

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
			kernels.Axpy(-col[i], row[:i], col[:i])
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
// multiply-adds, in blocks of rows that stay in a core's cache.
func (u *Upper) Multiply(x []float64, rows int) []float64 {
	out := make([]float64, len(x))
	block, dst := make([]float64, min(rows, blockRows)*u.n), make([]float64, blockRows)
	for first := 0; first < rows; first += blockRows {
		m := min(blockRows, rows-first)
		pack(x, rows, u.n, first, m, block)
		for j := range u.n {
			clear(dst[:m])
			kernels.AxpyColumns(u.Col(j), block[:(j+1)*m], dst[:m])
			copy(out[j*rows+first:], dst[:m])
		}
	}
	return out
}
