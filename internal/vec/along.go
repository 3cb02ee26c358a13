package vec

import "math"

// The passes below evaluate one term of a log likelihood at eta + delta·x,
// where x is a column of the design, in one pass and without writing. The
// slices of one call have equal lengths; delta = 0 gives the value at eta, and
// the value at delta equals, to the bit, the value at 0 after
// Axpy(delta, x, eta).

// chunk is the number of factors 1 + e^−|t| ∈ (1, 2] that are multiplied
// before one logarithm is taken: the product stays below 2⁵¹².
const chunk = 512

// SumLog1pExpAlong returns Σ log(1 + e^t[i]) with t = eta + delta·x.
//
// It sums max(t, 0) and takes one logarithm of the product of 1 + e^−|t| for
// 512 elements. Absolute error: below 4e-16 for each element, besides the
// rounding of Σ max(t, 0). Cost: one exponential for each element.
func SumLog1pExpAlong(eta, x []float64, delta float64) float64 {
	var positive [Lanes]float64
	logs := 0.0
	for len(eta) > 0 {
		n := min(len(eta), chunk)
		logs += Log(productAlong(eta[:n], x[:n], delta, &positive))
		eta, x = eta[n:], x[n:]
	}
	return reduce(&positive) + logs
}

// productAlong returns Π (1 + e^−|t|) over at most chunk elements, in lanes,
// and adds max(t, 0) to the lanes of positive. Its length is a multiple of
// Lanes except in the last call of a sum.
func productAlong(eta, x []float64, delta float64, positive *[Lanes]float64) float64 {
	p := [Lanes]float64{1, 1, 1, 1, 1, 1, 1, 1}
	x = x[:len(eta)]
	for i, e := range eta {
		t := math.FMA(delta, x[i], e)
		k := i % Lanes
		if t > 0 {
			positive[k] += t
			t = -t
		}
		p[k] *= 1 + expNegative(t)
	}
	return ((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7]))
}

// expNegative returns eᵗ for t ≤ 0 or NaN, and e⁻⁶⁴ below −64, where 1 + eᵗ
// is 1 either way.
func expNegative(t float64) float64 {
	if t < -64 {
		t = -64
	}
	if t != t {
		return t
	}
	y, k := expCore(t)
	return float64(y * math.Float64frombits(uint64(k+1023)<<52))
}

// WeightedLog1pExpAlong returns Σ m[i]·log(1 + e^t[i]) with t = eta + delta·x.
func WeightedLog1pExpAlong(m, eta, x []float64, delta float64) float64 {
	var a [Lanes]float64
	m, x = m[:len(eta)], x[:len(eta)]
	for i, e := range eta {
		k := i % Lanes
		a[k] = math.FMA(m[i], Log1pExp(math.FMA(delta, x[i], e)), a[k])
	}
	return reduce(&a)
}

// SumExpAlong returns Σ e^t[i] with t = eta + delta·x; +Inf if it overflows.
func SumExpAlong(eta, x []float64, delta float64) float64 {
	var a [Lanes]float64
	x = x[:len(eta)]
	for i, e := range eta {
		a[i%Lanes] += Exp(math.FMA(delta, x[i], e))
	}
	return reduce(&a)
}

// WeightedExpAlong returns Σ w[i]·e^t[i] with t = eta + delta·x.
func WeightedExpAlong(w, eta, x []float64, delta float64) float64 {
	var a [Lanes]float64
	w, x = w[:len(eta)], x[:len(eta)]
	for i, e := range eta {
		k := i % Lanes
		a[k] = math.FMA(w[i], Exp(math.FMA(delta, x[i], e)), a[k])
	}
	return reduce(&a)
}

// SumSquaresAlong returns Σ (y[i] − t[i])² with t = eta + delta·x.
func SumSquaresAlong(y, eta, x []float64, delta float64) float64 {
	var a [Lanes]float64
	y, x = y[:len(eta)], x[:len(eta)]
	for i, e := range eta {
		k := i % Lanes
		r := y[i] - math.FMA(delta, x[i], e)
		a[k] = math.FMA(r, r, a[k])
	}
	return reduce(&a)
}

// WeightedSquaresAlong returns Σ w[i]·(y[i] − t[i])² with t = eta + delta·x.
func WeightedSquaresAlong(w, y, eta, x []float64, delta float64) float64 {
	var a [Lanes]float64
	w, y, x = w[:len(eta)], y[:len(eta)], x[:len(eta)]
	for i, e := range eta {
		k := i % Lanes
		r := y[i] - math.FMA(delta, x[i], e)
		a[k] = math.FMA(float64(w[i]*r), r, a[k])
	}
	return reduce(&a)
}

// The passes below evaluate a term at t = eta + delta·x with its first two
// derivatives in t from the one exponential that each row needs. They write the
// derivatives to first and second, and give the sum of SumLog1pExpAlong and
// SumExpAlong up to rounding. The slices of one call have equal lengths.

// Log1pExpCurve returns Σ log(1 + e^t[i]) and writes 1/(1 + e^−t) and
// 1/(1 + e^−t)/(1 + e^t).
func Log1pExpCurve(eta, x []float64, delta float64, first, second []float64) float64 {
	var positive [Lanes]float64
	logs := 0.0
	x, first, second = x[:len(eta)], first[:len(eta)], second[:len(eta)]
	for from := 0; from < len(eta); from += chunk {
		p := [Lanes]float64{1, 1, 1, 1, 1, 1, 1, 1}
		for i := from; i < min(from+chunk, len(eta)); i++ {
			t := math.FMA(delta, x[i], eta[i])
			e := Exp(-math.Abs(t))
			large := 1 / (1 + e) // of the likelier side
			small := e * large
			k := i % Lanes
			p[k] *= 1 + e
			second[i] = large * small
			if t > 0 {
				positive[k] += t
				first[i] = large
			} else {
				first[i] = small
			}
		}
		logs += Log(((p[0] * p[4]) * (p[2] * p[6])) * ((p[1] * p[5]) * (p[3] * p[7])))
	}
	return reduce(&positive) + logs
}

// ExpCurve returns Σ e^t[i] and writes e^t, which is its own derivative.
func ExpCurve(eta, x []float64, delta float64, first []float64) float64 {
	var a [Lanes]float64
	x, first = x[:len(eta)], first[:len(eta)]
	for i, e := range eta {
		first[i] = Exp(math.FMA(delta, x[i], e))
		a[i%Lanes] += first[i]
	}
	return reduce(&a)
}

// CurvatureAlong returns Σ x[i]²·w[i] in the fixed lane order.
func CurvatureAlong(x, w []float64) float64 {
	var a [Lanes]float64
	w = w[:len(x)]
	for i, v := range x {
		a[i%Lanes] = math.FMA(v*v, w[i], a[i%Lanes])
	}
	return reduce(&a)
}
