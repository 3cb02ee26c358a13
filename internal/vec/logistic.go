package vec

import "math"

// Log1pExp returns log(1 + eᵗ), the softplus function, with an error below 2
// units in the last place. It neither overflows nor loses small values:
// Log1pExp(−700) = e⁻⁷⁰⁰ and Log1pExp(1e300) = 1e300.
func Log1pExp(t float64) float64 {
	if t > 0 {
		return t + Log1p(Exp(-t))
	}
	return Log1p(Exp(t))
}

// Logistic returns 1/(1 + e⁻ᵗ), the inverse of the logit, with an error below
// 2 units in the last place in both tails.
func Logistic(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + Exp(-t))
	}
	e := Exp(t)
	return e / (1 + e)
}

// LogFactorial returns log(k!) for an integer k ≥ 0, with an error of a few
// units in the last place: the exact factorial up to 22!, Stirling's series
// above (DLMF 5.11.1).
func LogFactorial(k float64) float64 {
	if k <= 22 {
		product := 1.0
		for i := 2.0; i <= k; i++ {
			product *= i
		}
		return Log(product)
	}
	const halfLog2Pi = 0.91893853320467274178
	z := 1 / float64(k*k)
	series := math.FMA(z, -1.0/1680, 1.0/1260)
	series = math.FMA(z, series, -1.0/360)
	series = math.FMA(z, series, 1.0/12)
	return math.FMA(k+0.5, Log(k), -k) + (halfLog2Pi + series/k)
}
