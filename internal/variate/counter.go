package variate

import "glmbatch/internal/simd"

// NormalsAt writes standard normal draws first, first+1, … of line, which key
// names, to dst: draw j is a function of (key, line, j) alone, Quantile of a
// midpoint (k + ½)·2⁻⁵² that a counter gives, see simd.Kernels.Midpoints.
func NormalsAt(key, line uint64, first int, dst []float64) {
	kernels.Midpoints(key, line, first, dst)
	kernels.NormalQuantile(dst, dst)
}

// kernels have the bits of package vec in the form that this processor runs
// fastest.
var kernels = simd.Vector()
