package simd

import "glmbatch/internal/vec"

// The passes below evaluate one term of a log likelihood at t = eta + delta·x,
// where x is a column of the design, without writing. delta = 0 gives the value
// at eta; the value at delta is that at 0 after Axpy(delta, x, eta), to the bit.

// chunk is the number of factors 1 + e^−|t| ∈ (1, 2] that are multiplied
// before one logarithm is taken: the product stays below 2⁵¹².
const chunk = 512

// SumLog1pExpAlong returns Σ log(1 + eᵗ): the negative log likelihood of a
// bernoulli response but for its linear part. Absolute error as vec's.
func (k Kernels) SumLog1pExpAlong(eta, x []float64, delta float64) float64 {
	if k == Scalar {
		return vec.SumLog1pExpAlong(eta, x, delta)
	}
	x = x[:len(eta)]
	var positive lanes
	logs := 0.0
	for len(eta) > 0 {
		n := min(len(eta), chunk)
		logs += vec.Log(productVector(k, (*[8]float64)(&positive), eta[:n], x[:n], delta))
		eta, x = eta[n:], x[n:]
	}
	return positive.sum() + logs
}

// WeightedLog1pExpAlong returns Σ m·log(1 + eᵗ), for trials or frequencies m.
func (k Kernels) WeightedLog1pExpAlong(m, eta, x []float64, delta float64) float64 {
	return k.weightedLog1pExp(m, eta, x, delta)
}

// SumExpAlong returns Σ eᵗ, for a poisson response; +Inf if it overflows.
func (k Kernels) SumExpAlong(eta, x []float64, delta float64) float64 { return k.sumExp(eta, x, delta) }

// WeightedExpAlong returns Σ m·eᵗ.
func (k Kernels) WeightedExpAlong(m, eta, x []float64, delta float64) float64 {
	return k.weightedExp(m, eta, x, delta)
}

// SumSquaresAlong returns Σ (y − t)², for a gaussian response.
func (k Kernels) SumSquaresAlong(y, eta, x []float64, delta float64) float64 {
	return k.squares(y, eta, x, delta)
}

// WeightedSquaresAlong returns Σ w·(y − t)².
func (k Kernels) WeightedSquaresAlong(w, y, eta, x []float64, delta float64) float64 {
	return k.weightedSquares(w, y, eta, x, delta)
}
