package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// Sum returns Σ x[i].
func (k Kernels) Sum(x []float64) float64 { return k.sum(x) }

// Dot returns Σ x[i]·y[i].
func (k Kernels) Dot(x, y []float64) float64 { return k.dot(x, y) }

// SumSquares returns Σ x[i]².
func (k Kernels) SumSquares(x []float64) float64 { return k.Dot(x, x) }

// Axpy adds a·x to y: y[i] = fma(a, x[i], y[i]).
func (k Kernels) Axpy(a float64, x, y []float64) { k.axpy(a, y, x) }

// Rotate replaces (x, y) by (c·x − s·y, s·x + c·y), the second product rounded, the
// first not.
func (k Kernels) Rotate(c, s float64, x, y []float64) { k.rotate(c, s, x, y) }

func rotate(c, s float64, x, y []float64) {
	for i, xi := range x {
		yi := y[i]
		x[i] = math.FMA(c, xi, -float64(s*yi))
		y[i] = math.FMA(s, xi, float64(c*yi))
	}
}

// Minus writes x − y to dst, which may be either.
func (k Kernels) Minus(dst, x, y []float64) { k.minus(dst, x, y) }

func minus(dst, x, y []float64) {
	for i, v := range x {
		dst[i] = v - y[i]
	}
}

// DotColumns writes Σ v[i]·columns[i + j·n] to dst[j] for each column j of a
// matrix with n = len(v) rows, stored by columns: Xᵀv for len(dst) columns. Each
// sum has the bits of Dot. Columns go four or eight at a time, so that v is read once
// for them and their sums do not wait for each other.
func (k Kernels) DotColumns(columns, v, dst []float64) {
	n := len(v)
	columns = columns[:n*len(dst)]
	for ; len(dst) >= 8 && k != Scalar; dst, columns = dst[8:], columns[8*n:] {
		dots8Vector(k, columns, n, v, dst[:8])
	}
	for ; len(dst) >= 4 && k != Scalar; dst, columns = dst[4:], columns[4*n:] {
		dst[0], dst[1], dst[2], dst[3] = dots4Vector(k, columns, n, v)
	}
	for j := range dst {
		dst[j] = k.Dot(columns[j*n:(j+1)*n], v)
	}
}

// Products writes Σ vectors[i·n + r]·columns[j·n + r] to dst[8·j + i] for 8 vectors
// of n elements and each of len(dst)/8 columns of as many: XᵀQ for eight columns of
// Q, X being read once. Each sum has the bits of Dot.
func (k Kernels) Products(vectors []float64, n int, columns, dst []float64) {
	vectors, columns = vectors[:8*n], columns[:len(dst)/8*n]
	if k != Scalar {
		dots8Vector(k, vectors, n, columns, dst[:len(dst)/8*8])
		return
	}
	for ; len(dst) >= 8; dst, columns = dst[8:], columns[n:] {
		k.DotColumns(vectors, columns[:n], dst[:8])
	}
}

// Spread writes scale[c]·(factor[c]·along[8·c + i] + epsilon[i·m + c]) + location[c] to dst[c·stride + i] for 8
// lines i and m = len(factor) columns c, each sum and product together in one rounding. It joins numbers stored by
// columns with numbers stored by lines, and writes by columns. Entries between the blocks of eight in dst are
// unchanged.
func (k Kernels) Spread(dst []float64, stride int, along, epsilon, factor, scale, location []float64) {
	m := len(factor)
	along, epsilon, scale, location = along[:8*m], epsilon[:8*m], scale[:m], location[:m]
	c := 0
	if k != Scalar && m >= 8 {
		c = m / 8 * 8
		_ = dst[(c-1)*stride+7]
		spreadVector(k, dst, stride, along, epsilon, m, factor[:c], scale, location)
	}
	for ; c < m; c++ {
		to := dst[c*stride : c*stride+8]
		for i := range to {
			to[i] = math.FMA(scale[c], math.FMA(factor[c], along[8*c+i], epsilon[i*m+c]), location[c])
		}
	}
}

// tileRows is the largest number of rows that stay in registers while columns are
// added to them.
const tileRows = 128

// AxpyColumns adds Σ a[j]·columns[i + j·n] to y[i], n = len(y), one column after
// the other: Xa for len(a) columns of a matrix stored by columns. The bits are
// those of one Axpy for each column.
func (k Kernels) AxpyColumns(a, columns, y []float64) { k.AxpyParts(a, columns, len(y), y) }

// AxpyParts is AxpyColumns for the first len(y) of each column's n rows. Rows go in tiles
// that stay in registers, so that y is read and written once.
func (k Kernels) AxpyParts(a, columns []float64, n int, y []float64) {
	if len(a) == 0 {
		return
	}
	y = y[:min(n, len(y))]
	columns = columns[:n*(len(a)-1)+len(y)]
	for k != Scalar && len(y) > 0 {
		m := min(len(y), tileRows)
		axpysTileVector(k, a, columns, n, y[:m])
		columns, y = columns[m:], y[m:]
	}
	for j := range a {
		if len(y) > 0 {
			k.Axpy(a[j], columns[j*n:j*n+len(y)], y)
		}
	}
}

// lanes are the partial sums of a portable form.
type lanes [vec.Lanes]float64

// sum joins the lanes by vec's tree.
func (l *lanes) sum() float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// product joins the lanes by the same tree.
func (l *lanes) product() float64 {
	return ((l[0] * l[4]) * (l[2] * l[6])) * ((l[1] * l[5]) * (l[3] * l[7]))
}

// along is t at element i: eta moved by delta along x.
func along(eta, x []float64, delta float64, i int) float64 { return math.FMA(delta, x[i], eta[i]) }
