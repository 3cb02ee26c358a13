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
