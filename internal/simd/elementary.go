package simd

import "glmbatch/internal/vec"

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
