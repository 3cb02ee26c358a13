package glm

import (
	"math"

	"glmbatch/infer/internal/linalg"
	"glmbatch/infer/internal/vec"
)

// weightedGram writes the lower triangle of XᵀWX, by rows, to h (d × d, fully
// overwritten below the diagonal). w is per row; scratch has length n.
// Cost: d/2 times the stored entries.
func weightedGram(x Matrix, w, scratch, h []float64) {
	_, d := x.Size()
	clear(scratch)
	for i := range d {
		column := x.Column(i)
		column.spreadTo(w, scratch)
		for j := range i + 1 {
			if c := x.Column(j); c.Rows == nil {
				h[i*d+j] = vec.Dot(scratch, c.Values)
			} else {
				h[i*d+j] = c.Dot(scratch)
			}
		}
		column.clearIn(scratch)
	}
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
