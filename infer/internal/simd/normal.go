package simd

import (
	"math"

	"glmbatch/infer/internal/vec"
)

// LogNormalCDF writes log Φ(x) to dst, with vec.LogNormalCDF's bits: relative error
// below 4e-15, absolute below 4e-16 where Φ(x) > ½. Arguments beyond ±39 go one at
// a time.
func (k Kernels) LogNormalCDF(dst, x []float64) {
	dst = dst[:len(x)]
	if k == Scalar {
		each(dst, x, vec.LogNormalCDF)
		return
	}
	var at [128]float64 // dst may be x
	for len(x) > 0 {
		n := copy(at[:], x)
		if k == avx512 {
			logNormalCDFAVX512(dst[:n], at[:n])
		} else {
			logNormalCDFAVX2(dst[:n], at[:n])
		}
		for i, v := range at[:n] {
			if !(math.Abs(v) < 39) {
				dst[i] = vec.LogNormalCDF(v)
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

// NormalQuantile writes Φ⁻¹(p) to dst, which may be p, with vec.NormalQuantile's
// bits: a relative error of about 1e-16. Probabilities within 2e-11 of 0 and 1, and
// others than probabilities, go one at a time.
func (k Kernels) NormalQuantile(dst, p []float64) {
	dst = dst[:len(p)]
	if k == Scalar {
		each(dst, p, vec.NormalQuantile)
		return
	}
	var at [128]float64 // dst may be p
	for len(p) > 0 {
		n := copy(at[:], p)
		if k == avx512 {
			normalQuantileAVX512(dst[:n], at[:n])
		} else {
			normalQuantileAVX2(dst[:n], at[:n])
		}
		for i, v := range at[:n] {
			if !(math.Abs(v-0.5) < 0.5-2e-11) {
				dst[i] = vec.NormalQuantile(v)
			}
		}
		dst, p = dst[n:], p[n:]
	}
}
