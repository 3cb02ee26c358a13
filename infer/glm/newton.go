package glm

import (
	"math"

	"glmbatch/infer/internal/linalg"
	"glmbatch/infer/internal/simd"
)

// passes have the bits of package vec in the form that this processor runs
// fastest: what is computed once for a target does not wait for Vectorised.
var passes = simd.Vector()

// weightedGram writes the lower triangle of XᵀWX, by rows, to h (d × d, fully
// overwritten below the diagonal). w is per row; scratch has length n.
// Cost: n·d²/2 fused multiply-adds.
func weightedGram(x *Dense, w, scratch, h []float64) {
	n, d := x.Rows, x.Cols
	for i := range d {
		for r, v := range x.Col(i) {
			scratch[r] = v * w[r]
		}
		passes.DotColumns(x.Values[:(i+1)*n], scratch, h[i*d:i*d+i+1])
	}
}

// transposed writes Xᵀv to dst.
func transposed(x *Dense, v, dst []float64) {
	passes.DotColumns(x.Values, v, dst[:x.Cols])
}

// multiplied writes X·b to dst.
func multiplied(x *Dense, b, dst []float64) {
	clear(dst)
	passes.AxpyColumns(b, x.Values, dst)
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
func newtonStep(x *Dense, g, w, scratch, h, step []float64) bool {
	weightedGram(x, w, scratch, h)
	c, err := linalg.Cholesky(h, x.Cols)
	if err != nil {
		return false
	}
	transposed(x, g, step)
	c.Solve(step)
	return true
}
