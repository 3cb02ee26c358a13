package transform

import "math"

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
