package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// The passes below evaluate one term of a log likelihood at t = eta + delta·x,
// where x is a column of the design, without writing. delta = 0 gives the value
// at eta; the value at delta is that at 0 after Axpy(delta, x, eta), to the bit.

// chunk is the number of factors 1 + e^−|t| ∈ (1, 2] that are multiplied
// before one logarithm is taken: the product stays below 2⁵¹².
const chunk = 512

// SumLog1pExpAlong returns Σ log(1 + eᵗ): the negative log likelihood of a bernoulli response without its linear
// part. Absolute error as vec's.
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

// Slopes returns Dot of x and first and Σ x²·second, x being read
// once and neither sum waiting for the other.
func (k Kernels) Slopes(x, first, second []float64) (slope, curve float64) {
	return k.slopes(x, first, second)
}

func slopes(x, first, second []float64) (slope, curve float64) {
	return vec.Dot(x, first), vec.CurvatureAlong(x, second)
}

// Moments are sums over the rows of a function f of t = eta + delta·x and of its
// derivatives along the column: what a Newton step or a proposal matched to
// slope and curvature needs, from one pass.
type Moments struct {
	Value float64 // Σ f(t)
	Slope float64 // Σ f′(t)·x
	Curve float64 // Σ f″(t)·x²
}

// Log1pExpMoments is of f = log(1 + eᵗ). Value has the bits of SumLog1pExpAlong, Slope
// and Curve those of Slopes of x with what Log1pExpCurve writes:
// off by 4 units in the last place of each row's term.
func (k Kernels) Log1pExpMoments(eta, x []float64, delta float64) Moments {
	x = x[:len(eta)]
	var sums [3 * vec.Lanes]float64
	logs := 0.0
	for len(eta) > 0 {
		n := min(len(eta), chunk)
		logs += vec.Log(k.productMoments(&sums, eta[:n], x[:n], delta))
		eta, x = eta[n:], x[n:]
	}
	of := func(i int) float64 { return (*lanes)(sums[i*vec.Lanes:]).sum() }
	return Moments{of(0) + logs, of(1), of(2)}
}

// productMoments returns Π (1 + e^−|t|) and adds max(t, 0), p·x and p(1 − p)·x²
// to three sets of lanes.
func productMoments(sums *[3 * vec.Lanes]float64, eta, x []float64, delta float64) float64 {
	product := lanes{1, 1, 1, 1, 1, 1, 1, 1}
	for i := range eta {
		t, at := along(eta, x, delta, i), i%vec.Lanes
		if t > 0 {
			sums[at] += t
		}
		e := vec.Exp(-math.Abs(t))
		product[at] *= 1 + e
		p, w := tails(t, e)
		sums[8+at] = math.FMA(p, x[i], sums[8+at])
		sums[16+at] = math.FMA(float64(x[i]*x[i]), w, sums[16+at])
	}
	return product.product()
}

// tails returns p = 1/(1 + e⁻ᵗ) and p(1 − p) from e = e^−|t|, without
// cancellation.
func tails(t, e float64) (p, w float64) {
	large := 1 / (1 + e)
	small := float64(e * large)
	if t > 0 {
		return large, float64(large * small)
	}
	return small, float64(large * small)
}

// WeightedLog1pExpMoments is of f = m·log(1 + eᵗ). Value has the bits of
// WeightedLog1pExpAlong; the derivatives are off by 4 units in the last place of
// each row's term.
func (k Kernels) WeightedLog1pExpMoments(m, eta, x []float64, delta float64) (s Moments) {
	s.Value, s.Slope, s.Curve = k.weightedLog1pExpMoments(m, eta, x, delta)
	return s
}

func weightedLog1pExpMoments(m, eta, x []float64, delta float64) (_, _, _ float64) {
	var value, slope, curve lanes
	for i := range eta {
		t, at := along(eta, x, delta, i), i%vec.Lanes
		p, w := tails(t, vec.Exp(-math.Abs(t)))
		value[at] = math.FMA(m[i], vec.Log1pExp(t), value[at])
		slope[at] = math.FMA(float64(m[i]*p), x[i], slope[at])
		curve[at] = math.FMA(float64(x[i]*x[i]), float64(m[i]*w), curve[at])
	}
	return value.sum(), slope.sum(), curve.sum()
}

// ExpMoments is of f = eᵗ. Value has the bits of SumExpAlong; the derivatives may be NaN if it overflows.
func (k Kernels) ExpMoments(eta, x []float64, delta float64) (s Moments) {
	s.Value, s.Slope, s.Curve = k.expMoments(eta, x, delta)
	return s
}

// WeightedExpMoments is of f = m·eᵗ, each product rounded before it is added.
func (k Kernels) WeightedExpMoments(m, eta, x []float64, delta float64) (s Moments) {
	s.Value, s.Slope, s.Curve = k.weightedExpMoments(m, eta, x, delta)
	return s
}

// expMoments returns Σ mu, Σ mu·x and Σ mu·x², mu = m·eᵗ, or eᵗ where m is nil.
func expMoments(m, eta, x []float64, delta float64) (_, _, _ float64) {
	var value, slope, curve lanes
	for i := range eta {
		at := i % vec.Lanes
		mu := vec.Exp(along(eta, x, delta, i))
		if m != nil {
			mu = float64(mu * m[i])
		}
		value[at] += mu
		slope[at] = math.FMA(mu, x[i], slope[at])
		curve[at] = math.FMA(float64(x[i]*x[i]), mu, curve[at])
	}
	return value.sum(), slope.sum(), curve.sum()
}
