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
		p := 0.0
		switch k {
		case avx512:
			p = productMomentsAVX512(&sums, eta[:n], x[:n], delta)
		case avx2:
			p = productMomentsAVX2(&sums, eta[:n], x[:n], delta)
		default:
			p = productMoments(&sums, eta[:n], x[:n], delta)
		}
		logs += vec.Log(p)
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
	m, x = m[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		s.Value, s.Slope, s.Curve = weightedLog1pExpMomentsAVX512(m, eta, x, delta)
		return s
	case avx2:
		s.Value, s.Slope, s.Curve = weightedLog1pExpMomentsAVX2(m, eta, x, delta)
		return s
	}
	var value, slope, curve lanes
	for i := range eta {
		t, at := along(eta, x, delta, i), i%vec.Lanes
		p, w := tails(t, vec.Exp(-math.Abs(t)))
		value[at] = math.FMA(m[i], vec.Log1pExp(t), value[at])
		slope[at] = math.FMA(float64(m[i]*p), x[i], slope[at])
		curve[at] = math.FMA(float64(x[i]*x[i]), float64(m[i]*w), curve[at])
	}
	return Moments{value.sum(), slope.sum(), curve.sum()}
}

// ExpMoments is of f = eᵗ. Value has the bits of SumExpAlong; the derivatives
// may be NaN where it overflows.
func (k Kernels) ExpMoments(eta, x []float64, delta float64) (s Moments) {
	x = x[:len(eta)]
	switch k {
	case avx512:
		s.Value, s.Slope, s.Curve = expMomentsAVX512(eta, x, delta)
		return s
	case avx2:
		s.Value, s.Slope, s.Curve = expMomentsAVX2(eta, x, delta)
		return s
	}
	return powers(eta, x, delta, func(_ int, mu float64) float64 { return mu })
}

// WeightedExpMoments is of f = m·eᵗ, each product rounded before it is added.
func (k Kernels) WeightedExpMoments(m, eta, x []float64, delta float64) (s Moments) {
	m, x = m[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		s.Value, s.Slope, s.Curve = weightedExpMomentsAVX512(m, eta, x, delta)
		return s
	case avx2:
		s.Value, s.Slope, s.Curve = weightedExpMomentsAVX2(m, eta, x, delta)
		return s
	}
	return powers(eta, x, delta, func(i int, mu float64) float64 { return float64(mu * m[i]) })
}

// powers returns Σ mu, Σ mu·x and Σ mu·x², mu = of(i, eᵗ).
func powers(eta, x []float64, delta float64, of func(i int, mu float64) float64) Moments {
	var value, slope, curve lanes
	for i := range eta {
		at := i % vec.Lanes
		mu := of(i, vec.Exp(along(eta, x, delta, i)))
		value[at] += mu
		slope[at] = math.FMA(mu, x[i], slope[at])
		curve[at] = math.FMA(float64(x[i]*x[i]), mu, curve[at])
	}
	return Moments{value.sum(), slope.sum(), curve.sum()}
}

// SquaresMoments is of f = (y − t)²/2, but for Value, which is Σ (y − t)² with the
// bits of SumSquaresAlong; Slope is −Σ (y − t)·x and Curve is Σ x².
func (k Kernels) SquaresMoments(y, eta, x []float64, delta float64) (s Moments) {
	y, x = y[:len(eta)], x[:len(eta)]
	switch k {
	case avx512:
		s.Value, s.Slope, s.Curve = squaresMomentsAVX512(y, eta, x, delta)
	case avx2:
		s.Value, s.Slope, s.Curve = squaresMomentsAVX2(y, eta, x, delta)
	default:
		var value, slope, curve lanes
		for i := range eta {
			d, at := y[i]-along(eta, x, delta, i), i%vec.Lanes
			value[at] = math.FMA(d, d, value[at])
			slope[at] = math.FMA(d, x[i], slope[at])
			curve[at] = math.FMA(x[i], x[i], curve[at])
		}
		s = Moments{value.sum(), slope.sum(), curve.sum()}
	}
	s.Slope = -s.Slope
	return s
}
