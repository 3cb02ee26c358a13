package transform

import "math"

// The functions of formulas, with the same bits on every machine, which those of
// package math do not promise. naturalLog is in log.go.
//
// Of 2,000,000 arguments, exponential differs from vec.Exp in the last bit at
// 24,913, naturalLog from vec.Log at 489 and log1p from vec.Log1p at 295,962.
// Designs, and with them draws, have the bits of the functions here.

// exponential returns e^x to within one unit in the last place.
//
// Source: Sun Microsystems' fdlibm, e_exp.c: x = k·ln 2 + r, |r| ≤ ln 2 / 2,
// e^r = 1 + 2r/(R(r) − r) with R(r) = r·(e^r + 1)/(e^r − 1).
func exponential(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		p1    = 1.66666666666666019037e-01
		p2    = -2.77777777770155933842e-03
		p3    = 6.61375632143793436117e-05
		p4    = -1.65339022054652515390e-06
		p5    = 4.13813679705723846039e-08
	)
	switch {
	case x > 7.09782712893383973096e+02:
		return math.Inf(1)
	case x < -7.45133219101941108420e+02:
		return 0
	}
	k := math.RoundToEven(float64(x * math.Log2E))
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*math.FMA(t, math.FMA(t, math.FMA(t, math.FMA(t, p5, p4), p3), p2), p1))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Ldexp(y, int(k))
}

// log1p returns ln(1 + x): the logarithm of the rounded 1 + x, and the
// rounding's share to first order.
func log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || !(u > 0) {
		if u == 1 {
			return x
		}
		return math.Inf(-1)
	}
	lost := x - (u - 1)
	if u > 1<<53 {
		lost = 0
	}
	return naturalLog(u) + lost/u
}

// log2 is exact for powers of two.
func log2(x float64) float64 {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		exponent--
	}
	return math.FMA(naturalLog(m), math.Log2E, float64(exponent))
}

// log10 is exact for powers of ten that float64 holds exactly.
//
// Source: fdlibm, e_log10.c: k·log₁₀2 in two parts, and ln of the rest.
func log10(x float64) float64 {
	const (
		log10e   = 4.34294481903251816668e-01
		log102Hi = 3.01029995663611771306e-01
		log102Lo = 3.69423907715893078616e-13
	)
	m, exponent := math.Frexp(x) // m in [1/2, 1)
	k := float64(exponent - 1)
	m *= 2
	if k < 0 {
		m /= 2
		k++
	}
	z := math.FMA(k, log102Lo, float64(log10e*naturalLog(m)))
	return z + float64(k*log102Hi)
}

// power returns x^y: products for whole y of moderate size, roots for 1/2,
// e^(y·ln x) otherwise, whose relative error is 2·|y·ln x| units in the last place.
// A negative x has whole powers only (NaN otherwise).
func power(x, y float64) float64 {
	const maxProducts = 64
	switch {
	case y == 0.5:
		return math.Sqrt(x)
	case y == math.Trunc(y) && math.Abs(y) <= maxProducts:
		result, base := 1.0, x
		for k := int(math.Abs(y)); k > 0; k >>= 1 {
			if k&1 == 1 {
				result = float64(result * base)
			}
			base = float64(base * base)
		}
		if y < 0 {
			return 1 / result
		}
		return result
	case x == 0 && y > 0:
		return 0
	case x == 0:
		return math.Inf(1)
	case x < 0 && y == math.Trunc(y) && math.Mod(y, 2) != 0:
		return -exponential(float64(y * naturalLog(-x)))
	case x < 0 && y == math.Trunc(y):
		return exponential(float64(y * naturalLog(-x)))
	case x < 0:
		return math.NaN()
	}
	return exponential(float64(y * naturalLog(x)))
}

// naturalLog returns ln x for positive finite x to within one unit in the last
// place. math.Log has forms in assembly that need not agree between machines;
// this one has the same bits everywhere.
//
// Source: Sun Microsystems' fdlibm, e_log.c: x = 2^k·(1 + f), s = f/(2 + f),
// ln(1 + f) = f − f²/2 + s·(f²/2 + R(s²)).
func naturalLog(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
		l1    = 6.666666666666735130e-01
		l2    = 3.999999999940941908e-01
		l3    = 2.857142874366239149e-01
		l4    = 2.222219843214978396e-01
		l5    = 1.818357216161805012e-01
		l6    = 1.531383769920937332e-01
		l7    = 1.479819860511658591e-01
	)
	f, exponent := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k := float64(exponent)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * math.FMA(s4, math.FMA(s4, math.FMA(s4, l7, l5), l3), l1))
	even := float64(s4 * math.FMA(s4, math.FMA(s4, l6, l4), l2))
	r := odd + even
	half := float64(float64(0.5*f) * f)
	tail := math.FMA(s, half+r, float64(k*ln2Lo))
	return float64(k*ln2Hi) - ((half - tail) - f)
}
