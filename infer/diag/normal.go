package diag

import "math"

// Everything here is written with explicit roundings (float64(x*y) + z) and
// without math.Log or math.Exp, whose last bits differ between processors:
// a diagnostic decides when a run stops, so it has to be the same everywhere.

// normalQuantile returns the standard normal quantile of p in (0, 1), with a
// relative error of about 1e-16.
//
// Source: Wichura (1988), Algorithm AS 241 (PPND16), doi:10.2307/2347330; R's
// qnorm uses the same coefficients.
func normalQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := 0.180625 - float64(q*q)
		return q * ratio(r, &centralNum, &centralDen)
	}
	tail := p
	if q > 0 {
		tail = 1 - p
	}
	r := math.Sqrt(-ln(tail))
	var z float64
	if r <= 5 {
		z = ratio(r-1.6, &middleNum, &middleDen)
	} else {
		z = ratio(r-5, &farNum, &farDen)
	}
	if q < 0 {
		return -z
	}
	return z
}

// ratio evaluates two polynomials of degree 7, constant term first, and divides.
func ratio(r float64, num, den *[8]float64) float64 {
	n, d := num[7], den[7]
	for i := 6; i >= 0; i-- {
		n = float64(n*r) + num[i]
		d = float64(d*r) + den[i]
	}
	return n / d
}

var (
	centralNum = [8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
	}
	centralDen = [8]float64{
		1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
		2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3,
	}
	middleNum = [8]float64{
		1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
	}
	middleDen = [8]float64{
		1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
	}
	farNum = [8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	farDen = [8]float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)

// ln is the natural logarithm of x > 0, within 1 ulp: the algorithm of
// FreeBSD's e_log.c, as in Go's portable math.Log, with its roundings fixed.
func ln(x float64) float64 {
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
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		e--
	}
	f--
	k := float64(e)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s4*l7) + l5
	t1 = float64(s4*t1) + l3
	t1 = float64(s4*t1) + l1
	t2 := float64(s4*l6) + l4
	t2 = float64(s4*t2) + l2
	r := float64(s2*t1) + float64(s4*t2)
	half := float64(0.5 * float64(f*f))
	return float64(k*ln2Hi) - ((half - (float64(s*(half+r)) + float64(k*ln2Lo))) - f)
}

// exp returns e^x for |x| < 700, within a few ulp: reduction to |r| ≤ ln 2/2
// and the Taylor series, with its roundings fixed.
func exp(x float64) float64 {
	const (
		ln2Hi = 6.93147180369123816490e-01
		ln2Lo = 1.90821492927058770002e-10
	)
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := (x - float64(k*ln2Hi)) - float64(k*ln2Lo)
	p := 1.0
	for i := 14.0; i >= 1; i-- {
		p = 1 + float64(p*r)/i
	}
	return math.Ldexp(p, int(k))
}
