package linalg

// Upper is an upper triangular n × n matrix, its columns packed: entry (i, j)
// stands at place j(j+1)/2 + i, i ≤ j.
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
