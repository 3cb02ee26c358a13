package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// Exp writes eˣ to dst, with vec.Exp's bits: error below 0.9 units in the last
// place, 1 where the result is subnormal.
func (k Kernels) Exp(dst, x []float64) { k.exp(dst, x) }

// Log writes log x to dst, with vec.Log's bits: error below 1 unit in the last
// place.
func (k Kernels) Log(dst, x []float64) { k.log(dst, x) }

// Log1p writes log(1 + x) to dst, with vec.Log1p's bits: error below 1 unit in
// the last place.
func (k Kernels) Log1p(dst, x []float64) { k.log1p(dst, x) }

// Log1pExp writes log(1 + eˣ) to dst, with vec.Log1pExp's bits: error below 2
// units in the last place.
func (k Kernels) Log1pExp(dst, x []float64) { k.log1pExp(dst, x) }

// Logistic writes 1/(1 + e⁻ˣ) to dst, with vec.Logistic's bits: error below 2
// units in the last place.
func (k Kernels) Logistic(dst, x []float64) { k.logistic(dst, x) }

func each(dst, x []float64, f func(float64) float64) {
	for i, v := range x {
		dst[i] = f(v)
	}
}

// LogGammaExcess writes log Γ(x) − x·log x + x to dst, which must not overlap x, with
// vec.LogGammaExcess's bits: its logarithms are taken together.
func (k Kernels) LogGammaExcess(dst, x []float64) {
	dst = dst[:len(x)]
	if k == Scalar {
		each(dst, x, vec.LogGammaExcess)
		return
	}
	const few = 64
	var of, logs [3 * few]float64
	for len(x) > 0 {
		n := min(few, len(x))
		vec.ExcessArguments(of[:3*n], x[:n])
		k.Log(logs[:3*n], of[:3*n])
		vec.ExcessFrom(dst[:n], x[:n], of[:3*n], logs[:3*n])
		dst, x = dst[n:], x[n:]
	}
}

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
		logNormalCDFVector(k, dst[:n], at[:n])
		for i, v := range at[:n] {
			if !(math.Abs(v) < 39) {
				dst[i] = vec.LogNormalCDF(v)
			}
		}
		dst, x = dst[n:], x[n:]
	}
}

// LogCauchyCDF writes log(½ + atan(x)/π) to dst, which may be x, with
// vec.LogCauchyCDF's bits: a relative error below 2e-15.
func (k Kernels) LogCauchyCDF(dst, x []float64) { k.logCauchyCDF(dst, x) }

// NormalQuantile writes Φ⁻¹(p) to dst, which may be p, with vec.NormalQuantile's
// bits: a relative error of about 1e-16. Probabilities within 2e-11 of 0 and 1, and
// others than probabilities, go one at a time.
func (k Kernels) NormalQuantile(dst, p []float64) {
	dst = dst[:len(p)]
	if k == Scalar {
		each(dst, p, vec.NormalQuantile)
		return
	}
	k.quantiles(dst, p)
}

// quantileChunk is the number of quantiles that are worked on together.
const quantileChunk = 128

// quantiles is NormalQuantile with the tails gathered.
func (k Kernels) quantiles(dst, p []float64) {
	var at, out [quantileChunk]float64
	var tails, done [quantileChunk + 8]float64
	for len(p) > 0 {
		n := copy(at[:], p)
		m := (n + 7) / 8 * 8
		for i := n; i < m; i++ {
			at[i] = 0.5
		}
		count := quantileCentreVector(k, out[:m], tails[:], at[:m])
		quantileTailVector(k, done[:count], tails[:count])
		farQuantiles(done[:], tails[:count])
		quantileMergeVector(k, out[:m], done[:], at[:m])
		copy(dst[:n], out[:])
		dst, p = dst[n:], p[n:]
	}
}

// farQuantiles writes the quantiles that the vector forms do not have.
func farQuantiles(dst, p []float64) {
	for i, v := range p {
		if !(math.Abs(v-0.5) < 0.5-2e-11) {
			dst[i] = vec.NormalQuantile(v)
		}
	}
}
