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
		p := 0.0
		if k == avx512 {
			p = productAVX512((*[8]float64)(&positive), eta[:n], x[:n], delta)
		} else {
			p = productAVX2((*[8]float64)(&positive), eta[:n], x[:n], delta)
		}
		logs += vec.Log(p)
		eta, x = eta[n:], x[n:]
	}
	return positive.sum() + logs
}

// WeightedLog1pExpAlong returns Σ m·log(1 + eᵗ), for trials or frequencies m.
func (k Kernels) WeightedLog1pExpAlong(m, eta, x []float64, delta float64) float64 {
	m, x = m[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		return weightedLog1pExpAVX512(m, eta, x, delta)
	case avx2:
		return weightedLog1pExpAVX2(m, eta, x, delta)
	}
	return vec.WeightedLog1pExpAlong(m, eta, x, delta)
}

// SumExpAlong returns Σ eᵗ, for a poisson response; +Inf if it overflows.
func (k Kernels) SumExpAlong(eta, x []float64, delta float64) float64 {
	x = x[:len(eta)]
	switch k {
	case avx512:
		return sumExpAVX512(eta, x, delta)
	case avx2:
		return sumExpAVX2(eta, x, delta)
	}
	return vec.SumExpAlong(eta, x, delta)
}

// WeightedExpAlong returns Σ m·eᵗ.
func (k Kernels) WeightedExpAlong(m, eta, x []float64, delta float64) float64 {
	m, x = m[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		return weightedExpAVX512(m, eta, x, delta)
	case avx2:
		return weightedExpAVX2(m, eta, x, delta)
	}
	return vec.WeightedExpAlong(m, eta, x, delta)
}

// SumSquaresAlong returns Σ (y − t)², for a gaussian response.
func (k Kernels) SumSquaresAlong(y, eta, x []float64, delta float64) float64 {
	y, x = y[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		return squaresAVX512(y, eta, x, delta)
	case avx2:
		return squaresAVX2(y, eta, x, delta)
	}
	return vec.SumSquaresAlong(y, eta, x, delta)
}

// WeightedSquaresAlong returns Σ w·(y − t)².
func (k Kernels) WeightedSquaresAlong(w, y, eta, x []float64, delta float64) float64 {
	w, y, x = w[:len(eta)], y[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		return weightedSquaresAVX512(w, y, eta, x, delta)
	case avx2:
		return weightedSquaresAVX2(w, y, eta, x, delta)
	}
	return vec.WeightedSquaresAlong(w, y, eta, x, delta)
}
