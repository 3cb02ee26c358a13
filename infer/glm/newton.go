package glm

import (
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
)

// passes have the bits of package vec in the form that this processor runs
// fastest: what is computed once for a target does not wait for Vectorised.
var passes = simd.Vector()

// weightedGram writes the lower triangle of XᵀWX, by rows, to h (d × d, fully
// overwritten below the diagonal). w is per row; scratch has length n.
// Cost: d/2 times the stored entries, as fused multiply-adds.
func weightedGram(x Matrix, w, scratch, h []float64) {
	dense, _ := x.(*Dense)
	n, d := x.Size()
	clear(scratch)
	for i := range d {
		column := x.Column(i)
		column.spreadTo(w, scratch)
		if dense != nil {
			passes.DotColumns(dense.Values[:(i+1)*n], scratch, h[i*d:i*d+i+1])
			continue
		}
		for j := range i + 1 {
			h[i*d+j] = x.Column(j).dot(passes, scratch)
		}
		column.clearIn(scratch)
	}
}

// transposed writes Xᵀv to dst.
func transposed(x Matrix, v, dst []float64) { x.transpose(passes, v, dst) }

// multiplied writes X·b to dst.
func multiplied(x Matrix, b, dst []float64) {
	clear(dst)
	x.multiply(passes, b, dst)
}

// largest returns max |v|; NaN if an entry is NaN.
func largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}

// newtonStep solves (XᵀWX) step = Xᵀg. It reports false where the matrix is
// singular.
func newtonStep(x Matrix, g, w, scratch, h, step []float64) bool {
	weightedGram(x, w, scratch, h)
	_, d := x.Size()
	c, err := linalg.Cholesky(h, d)
	if err != nil {
		return false
	}
	transposed(x, g, step)
	c.Solve(step)
	return true
}
