package vec

import "math"

// Log returns the natural logarithm of x with an error below 1 unit in the
// last place.
//
// The method is FreeBSD's e_log.c: x = 2ᵏ·(1 + f) with 1 + f in [√½, √2), and
// log(1 + f) through s = f/(2 + f) and a polynomial in s².
//
// Special values: Log(+Inf) = +Inf, Log(±0) = −Inf, Log(x < 0) = NaN,
// Log(NaN) = NaN.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, k := split(x)
	return logCore(m-1, k, 0)
}

// Log1p returns log(1 + x) with an error below 1 unit in the last place, also
// where x is near 0.
//
// Special values: Log1p(±0) = ±0, Log1p(−1) = −Inf, Log1p(x < −1) = NaN,
// Log1p(+Inf) = +Inf, Log1p(NaN) = NaN.
func Log1p(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < -1:
		return math.NaN()
	case x == -1:
		return math.Inf(-1)
	case math.Abs(x) < 0x1p-54:
		return x
	case x > -0.2928 && x < 0.4142: // 1 + x is in [√½, √2) already
		return logCore(x, 0, 0)
	}
	u := 1 + x
	lost := x - (u - 1) // what the rounding of 1 + x dropped
	if x > 1 {
		lost = 1 - (u - x)
	}
	m, k := split(u)
	return logCore(m-1, k, lost/u)
}

// split returns m in [√½, √2) and k with x = m·2ᵏ, for positive finite x.
func split(x float64) (m float64, k int) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		k = -54
	}
	bits := math.Float64bits(x)
	k += int(bits>>52) - 1023
	m = math.Float64frombits(bits&(1<<52-1) | 1023<<52)
	if m >= math.Sqrt2 {
		m /= 2
		k++
	}
	return m, k
}

// logCore returns k·ln 2 + log(1 + f) + c for 1 + f in [√½, √2) and a
// correction c that is small against the result.
func logCore(f float64, k int, c float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	s := f / (2 + f)
	z := s * s
	p := math.FMA(z, l7, l6)
	p = math.FMA(z, p, l5)
	p = math.FMA(z, p, l4)
	p = math.FMA(z, p, l3)
	p = math.FMA(z, p, l2)
	p = math.FMA(z, p, l1)
	half := 0.5 * float64(f*f)
	kf := float64(k)
	tail := math.FMA(kf, ln2Lo, c)
	tail = math.FMA(s, math.FMA(z, p, half), tail)
	return math.FMA(kf, ln2Hi, f-(half-tail))
}
