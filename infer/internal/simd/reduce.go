package simd

import (
	"math"

	"glmbatch/infer/internal/vec"
)

// Sum returns Σ x[i].
func (k Kernels) Sum(x []float64) float64 {
	switch k {
	case avx512:
		return sumAVX512(x)
	case avx2:
		return sumAVX2(x)
	}
	return vec.Sum(x)
}

// Dot returns Σ x[i]·y[i].
func (k Kernels) Dot(x, y []float64) float64 {
	y = y[:len(x)]
	switch k {
	case avx512:
		return dotAVX512(x, y)
	case avx2:
		return dotAVX2(x, y)
	}
	return vec.Dot(x, y)
}

// SumSquares returns Σ x[i]².
func (k Kernels) SumSquares(x []float64) float64 { return k.Dot(x, x) }

// Axpy adds a·x to y: y[i] = fma(a, x[i], y[i]).
func (k Kernels) Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	switch k {
	case avx512:
		axpyAVX512(a, y, x)
	case avx2:
		axpyAVX2(a, y, x)
	default:
		vec.Axpy(a, x, y)
	}
}

// DotColumns writes Σ v[i]·columns[i + j·n] to dst[j] for each column j of a
// matrix with n = len(v) rows, stored by columns: Xᵀv for len(dst) columns. Each
// sum has the bits of Dot. Columns go four at a time, so that v is read once
// for four and their sums do not wait for each other.
func (k Kernels) DotColumns(columns, v, dst []float64) {
	n := len(v)
	columns = columns[:n*len(dst)]
	for ; len(dst) >= 4 && k != Scalar; dst, columns = dst[4:], columns[4*n:] {
		if k == avx512 {
			dst[0], dst[1], dst[2], dst[3] = dots4AVX512(columns, n, v)
		} else {
			dst[0], dst[1], dst[2], dst[3] = dots4AVX2(columns, n, v)
		}
	}
	for j := range dst {
		dst[j] = k.Dot(columns[j*n:(j+1)*n], v)
	}
}

// AxpyColumns adds Σ a[j]·columns[i + j·n] to y[i], n = len(y), one column after
// the other: Xa for len(a) columns of a matrix stored by columns. The bits are
// those of one Axpy for each column.
func (k Kernels) AxpyColumns(a, columns, y []float64) {
	n := len(y)
	columns = columns[:n*len(a)]
	for ; len(a) >= 4 && k != Scalar; a, columns = a[4:], columns[4*n:] {
		if k == avx512 {
			axpys4AVX512(columns, n, (*[4]float64)(a), y)
		} else {
			axpys4AVX2(columns, n, (*[4]float64)(a), y)
		}
	}
	for j := range a {
		k.Axpy(a[j], columns[j*n:(j+1)*n], y)
	}
}

// lanes are the partial sums of a portable form.
type lanes [vec.Lanes]float64

// sum joins the lanes by vec's tree.
func (l *lanes) sum() float64 { return vec.Sum(l[:]) }

// product joins the lanes by the same tree.
func (l *lanes) product() float64 {
	return ((l[0] * l[4]) * (l[2] * l[6])) * ((l[1] * l[5]) * (l[3] * l[7]))
}

// along is t at element i: eta moved by delta along x.
func along(eta, x []float64, delta float64, i int) float64 { return math.FMA(delta, x[i], eta[i]) }
