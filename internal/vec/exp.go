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
