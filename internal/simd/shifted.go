package simd

import "glmbatch/internal/vec"

// DotShifted writes Σ x[i]·y[i + j] over all of x to dst[j]; y has at least
// len(x) + len(dst) − 1 elements. Each sum has the bits of Dot. Four shifts go at
// a time, so that their sums do not wait for each other.
func (k Kernels) DotShifted(x, y, dst []float64) {
	n := len(x)
	if len(dst) == 0 {
		return
	}
	y = y[:n+len(dst)-1]
	for ; len(dst) >= 4 && k != Scalar; dst, y = dst[4:], y[4:] {
		dst[0], dst[1], dst[2], dst[3] = dots4Vector(k, y, 1, x)
		if len(dst) == 4 {
			return
		}
	}
	for j := range dst {
		dst[j] = vec.Dot(x, y[j:j+n])
	}
}
