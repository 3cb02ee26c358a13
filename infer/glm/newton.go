package glm

import (
	"glmbatch/infer/design"
	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
)

// passes have the bits of package vec in the form that this processor runs
// fastest: what is computed once for a target does not wait for Vectorised.
var passes = simd.Vector()

// newtonStep solves (XᵀWX) step = Xᵀg. It reports false where the matrix is
// singular.
func newtonStep(x design.Matrix, g, w, scratch, h, step []float64) bool {
	design.WeightedGram(x, w, scratch, h)
	_, d := x.Size()
	c, err := linalg.Cholesky(h, d)
	if err != nil {
		return false
	}
	design.Transposed(x, g, step)
	c.Solve(step)
	return true
}
