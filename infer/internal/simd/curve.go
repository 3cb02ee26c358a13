package simd

import (
	"math"

	"glmbatch/infer/internal/vec"
)

// Log1pExpCurve returns Σ log(1 + eᵗ), t = eta + delta·x, and writes its
// derivatives p = 1/(1 + e⁻ᵗ) and p(1 − p) to first and second, from one
// exponential a row.
func (k Kernels) Log1pExpCurve(eta, x []float64, delta float64, first, second []float64) float64 {
	x, first, second = x[:len(eta)], first[:len(eta)], second[:len(eta)]
	var positive lanes
	logs := 0.0
	for len(eta) > 0 {
		n := min(len(eta), chunk)
		p := 0.0
		switch k {
		case avx512:
			p = productCurveAVX512((*[8]float64)(&positive), first[:n], second[:n], eta[:n], x[:n], delta)
		case avx2:
			p = productCurveAVX2((*[8]float64)(&positive), first[:n], second[:n], eta[:n], x[:n], delta)
		default:
			p = productCurve(&positive, first[:n], second[:n], eta[:n], x[:n], delta)
		}
		logs += vec.Log(p)
		eta, x, first, second = eta[n:], x[n:], first[n:], second[n:]
	}
	return positive.sum() + logs
}

// productCurve returns Π (1 + e^−|t|), adds max(t, 0) to the lanes and writes p and
// p(1 − p).
func productCurve(positive *lanes, first, second, eta, x []float64, delta float64) float64 {
	product := lanes{1, 1, 1, 1, 1, 1, 1, 1}
	for i := range eta {
		t, at := along(eta, x, delta, i), i%vec.Lanes
		if t > 0 {
			positive[at] += t
		}
		e := vec.Exp(-math.Abs(t))
		product[at] *= 1 + e
		first[i], second[i] = tails(t, e)
	}
	return product.product()
}

// ExpCurve returns Σ eᵗ, t = eta + delta·x, and writes eᵗ, which is its own
// derivative, to first.
func (k Kernels) ExpCurve(eta, x []float64, delta float64, first []float64) float64 {
	x, first = x[:len(eta)], first[:len(eta)]
	switch k {
	case avx512:
		return expCurveAVX512(first, eta, x, delta)
	case avx2:
		return expCurveAVX2(first, eta, x, delta)
	}
	var a lanes
	for i := range eta {
		first[i] = vec.Exp(along(eta, x, delta, i))
		a[i%vec.Lanes] += first[i]
	}
	return a.sum()
}

// CurvatureAlong returns Σ x²·w.
func (k Kernels) CurvatureAlong(x, w []float64) float64 {
	w = w[:len(x)]
	switch k {
	case avx512:
		return curvatureAVX512(x, w)
	case avx2:
		return curvatureAVX2(x, w)
	}
	var a lanes
	for i, v := range x {
		a[i%vec.Lanes] = math.FMA(float64(v*v), w[i], a[i%vec.Lanes])
	}
	return a.sum()
}
