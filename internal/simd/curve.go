package simd

import "glmbatch/internal/vec"

// Log1pExpCurve returns Σ log(1 + eᵗ), t = eta + delta·x, and writes its
// derivatives p = 1/(1 + e⁻ᵗ) and p(1 − p) to first and second, from one
// exponential a row.
func (k Kernels) Log1pExpCurve(eta, x []float64, delta float64, first, second []float64) float64 {
	if k == Scalar {
		return vec.Log1pExpCurve(eta, x, delta, first, second)
	}
	x, first, second = x[:len(eta)], first[:len(eta)], second[:len(eta)]
	var positive lanes
	logs := 0.0
	for len(eta) > 0 {
		n := min(len(eta), chunk)
		p := 0.0
		if k == avx512 {
			p = productCurveAVX512((*[8]float64)(&positive), first[:n], second[:n], eta[:n], x[:n], delta)
		} else {
			p = productCurveAVX2((*[8]float64)(&positive), first[:n], second[:n], eta[:n], x[:n], delta)
		}
		logs += vec.Log(p)
		eta, x, first, second = eta[n:], x[n:], first[n:], second[n:]
	}
	return positive.sum() + logs
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
	return vec.ExpCurve(eta, x, delta, first)
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
	return vec.CurvatureAlong(x, w)
}
