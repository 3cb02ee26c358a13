package simd

import "glmbatch/internal/vec"

// Midpoints writes draws first, first + 1, … of a line to dst, uniform on (0, 1): draw
// j is vec.Midpoint of word j mod 2 of vec.Philox at the counter (j/2, line). first
// must not be negative.
func (k Kernels) Midpoints(key, line uint64, first int, dst []float64) {
	if k == Scalar {
		pairs(key, line, first, dst)
		return
	}
	if first%2 != 0 && len(dst) > 0 {
		pairs(key, line, first, dst[:1])
		dst, first = dst[1:], first+1
	}
	block := 16
	if k == avx512 {
		block = 32
	}
	n := len(dst) / block * block
	midpointsVector(k, dst[:n], key, uint64(first/2), line)
	if n < len(dst) {
		var rest [32]float64
		midpointsVector(k, rest[:block], key, uint64((first+n)/2), line)
		copy(dst[n:], rest[:])
	}
}

// pairs is the portable Midpoints.
func pairs(key, line uint64, first int, dst []float64) {
	for i := 0; i < len(dst); {
		j := first + i
		a, b := vec.Philox(key, uint64(j/2), line)
		if j%2 == 0 {
			dst[i] = vec.Midpoint(a)
			i++
		}
		if i < len(dst) {
			dst[i] = vec.Midpoint(b)
			i++
		}
	}
}
