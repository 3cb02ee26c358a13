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
		logs += vec.Log(productCurveVector(k, (*[8]float64)(&positive), first[:n], second[:n], eta[:n], x[:n], delta))
		eta, x, first, second = eta[n:], x[n:], first[n:], second[n:]
	}
	return positive.sum() + logs
}

// ExpCurve returns Σ eᵗ, t = eta + delta·x, and writes eᵗ, which is its own
// derivative, to first.
func (k Kernels) ExpCurve(eta, x []float64, delta float64, first []float64) float64 {
	return k.expCurve(first, eta, x, delta)
}

// CurvatureAlong returns Σ x²·w.
func (k Kernels) CurvatureAlong(x, w []float64) float64 { return k.curvature(x, w) }

// Slopes returns Dot of x and first and CurvatureAlong of x and second, x being read
// once and neither sum waiting for the other.
func (k Kernels) Slopes(x, first, second []float64) (slope, curve float64) {
	return k.slopes(x, first, second)
}

func slopes(x, first, second []float64) (slope, curve float64) {
	return vec.Dot(x, first), vec.CurvatureAlong(x, second)
}
