package simd

import (
	"math"

	"glmbatch/internal/vec"
)

// Moments are sums over the rows of a function f of t = eta + delta·x and of its
// derivatives along the column: what a Newton step or a proposal matched to
// slope and curvature needs, from one pass.
type Moments struct {
	Value float64 // Σ f(t)
	Slope float64 // Σ f′(t)·x
	Curve float64 // Σ f″(t)·x²
}

// Log1pExpMoments is of f = log(1 + eᵗ). Value has the bits of SumLog1pExpAlong, Slope
// and Curve those of Dot and CurvatureAlong of x with what Log1pExpCurve writes:
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

// ExpMoments is of f = eᵗ. Value has the bits of SumExpAlong; the derivatives
// may be NaN where it overflows.
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
