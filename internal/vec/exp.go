package vec

import "math"

// ln2 in two parts: the first has 32 significant bits, so that its product
// with an exponent is exact (constants of FreeBSD's e_exp.c).
const (
	log2e = 1.44269504088896338700e+00
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Limits of Exp: above expMax the result overflows, below expMin it is less
// than half the smallest subnormal number.
const (
	expMax = 709.782712893383973096
	expMin = -745.133219101941108420
)

// roundShift brings a float64 of magnitude below 2⁵¹ to an integer by
// rounding to nearest even when it is added and taken away again.
const roundShift = 0x1.8p52

// Exp returns eˣ with an error below 0.9 units in the last place (1 unit of
// the subnormal spacing where the result is subnormal).
//
// x = k·ln 2 + r with |r| ≤ ln 2/2, and eʳ by its Taylor polynomial of degree
// 13, whose truncation error is 0.05 units.
//
// Special values: Exp(+Inf) = +Inf, Exp(−Inf) = 0, Exp(NaN) = NaN.
func Exp(x float64) float64 {
	switch {
	case x > expMax:
		return math.Inf(1)
	case x < expMin:
		return 0
	case x != x:
		return x
	}
	y, k := expCore(x)
	if k > -1022 && k < 1024 {
		return float64(y * math.Float64frombits(uint64(k+1023)<<52))
	}
	half := k / 2 // two steps: 2ᵏ itself is no normal number
	y *= math.Float64frombits(uint64(half+1023) << 52)
	return float64(y * math.Float64frombits(uint64(k-half+1023)<<52))
}

// expCore returns eʳ and k with x = k·ln 2 + r, for finite |x| < 2³⁰.
func expCore(x float64) (y float64, k int) {
	kf := math.FMA(x, log2e, roundShift) - roundShift
	hi := math.FMA(-kf, ln2Hi, x) // exact
	r := math.FMA(-kf, ln2Lo, hi)
	lost := math.FMA(-kf, ln2Lo, hi-r) // what the rounding of r dropped
	// q = (eʳ − 1 − r)/r² = Σ rⁱ/(i+2)!
	q := math.FMA(r, 1.0/6227020800, 1.0/479001600)
	q = math.FMA(r, q, 1.0/39916800)
	q = math.FMA(r, q, 1.0/3628800)
	q = math.FMA(r, q, 1.0/362880)
	q = math.FMA(r, q, 1.0/40320)
	q = math.FMA(r, q, 1.0/5040)
	q = math.FMA(r, q, 1.0/720)
	q = math.FMA(r, q, 1.0/120)
	q = math.FMA(r, q, 1.0/24)
	q = math.FMA(r, q, 1.0/6)
	q = math.FMA(r, q, 0.5)
	return 1 + (r + math.FMA(float64(r*r), q, lost)), int(kf)
}

// Log1pExp returns log(1 + eᵗ), the softplus function, with an error below 2
// units in the last place. It neither overflows nor loses small values:
// Log1pExp(−700) = e⁻⁷⁰⁰ and Log1pExp(1e300) = 1e300.
func Log1pExp(t float64) float64 {
	if t > 0 {
		return t + Log1p(Exp(-t))
	}
	return Log1p(Exp(t))
}

// LogAdd returns log(eᵃ + eᵇ); −Inf stands for 0. It is NaN if a or b is, or if both are +Inf.
func LogAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + Log1p(Exp(b-a))
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
