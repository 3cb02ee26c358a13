package vec

import "math"

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
