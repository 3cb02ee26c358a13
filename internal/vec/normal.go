package vec

import "math"

const (
	rootHalf   = 0.70710678118654752440 // √½
	rootHalfPi = 1.25331413731550025121 // √(π/2)
)

// Mills returns Mills' ratio (1 − Φ(x))/φ(x) of the standard normal distribution with a relative error below 4e-15
// for x ≥ 0; it is used for x ≥ 0 only.
//
// The rational approximations are those of FreeBSD's s_erf.c, for the scaled
// complementary error function; Laplace's continued fraction serves x > 39.
func Mills(x float64) float64 {
	t := float64(x * rootHalf)
	switch {
	case t < 0.84375:
		z := t * t
		erf := math.FMA(t, ratio(z, erfNear[:], erfNearDen[:]), t)
		return (1 - erf) * Exp(float64(0.5*x)*x) * rootHalfPi
	case t < 1.25:
		s := t - 1
		erfc := (1 - erfOne) - ratio(s, erfMid[:], erfMidDen[:])
		return erfc * Exp(float64(0.5*x)*x) * rootHalfPi
	case t < 1/0.35:
		return rootHalfPi * Exp(ratio(1/float64(t*t), erfcNear[:], erfcNearDen[:])-0.5625) / t
	case t < 28:
		return rootHalfPi * Exp(ratio(1/float64(t*t), erfcFar[:], erfcFarDen[:])-0.5625) / t
	}
	f := x
	for k := 8.0; k >= 1; k-- { // what is left out is below 9!/x¹⁸ < 1e-22
		f = x + k/f
	}
	return 1 / f
}

// LogNormalCDF returns log Φ(x) with a relative error below 4e-15 (absolute below
// 4e-16 where Φ(x) > ½): −Inf only below −1.3e154.
func LogNormalCDF(x float64) float64 {
	if x >= 0 {
		return Log1p(float64(-Mills(x) * Exp(math.FMA(-0.5*x, x, -halfLogTwoPi))))
	}
	return math.FMA(-0.5*x, x, Log(Mills(-x))-halfLogTwoPi)
}

// NormalTail returns 1 − Φ(x) with a relative error below 1e-14·max(1, x²) for x ≥ 0, where it is above 1e-308; it is
// used for x ≥ 0 only.
func NormalTail(x float64) float64 {
	return float64(Mills(x) * Exp(math.FMA(-0.5*x, x, -halfLogTwoPi)))
}

// NormalHazard returns φ(x)/(1 − Φ(x)) = 1/Mills(x) for every x, with a relative
// error below 4e-15·max(1, x²) for x < 0, where it vanishes as φ does.
func NormalHazard(x float64) float64 {
	if x >= 0 {
		return 1 / Mills(x)
	}
	density := Exp(math.FMA(-0.5*x, x, -halfLogTwoPi))
	return density / (1 - float64(Mills(-x)*density))
}

// ratio returns p(z)/q(z), coefficients lowest power first.
func ratio(z float64, p, q []float64) float64 { return polynomial(z, p) / polynomial(z, q) }

// polynomial evaluates by Horner's rule.
func polynomial(z float64, c []float64) float64 {
	y := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		y = math.FMA(y, z, c[i])
	}
	return y
}

// Coefficients of FreeBSD's s_erf.c (Sun Microsystems, 1993), lowest first.
const erfOne = 8.45062911510467529297e-01

var (
	erfNear = [...]float64{
		1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
		-2.37630166566501626084e-05,
	}
	erfNearDen = [...]float64{
		1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
		1.32494738004321644526e-04, -3.96022827877536812320e-06,
	}
	erfMid = [...]float64{
		-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
		-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03,
	}
	erfMidDen = [...]float64{
		1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
		1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02,
	}
	erfcNear = [...]float64{
		-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
		-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00,
	}
	erfcNearDen = [...]float64{
		1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
		6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00,
		-6.04244152148580987438e-02,
	}
	erfcFar = [...]float64{
		-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
		-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02,
	}
	erfcFarDen = [...]float64{
		1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
		3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01,
	}
)

// NormalQuantile returns the standard normal quantile of p in (0, 1), with a
// relative error of about 1e-16; ±Inf at 1 and 0, NaN outside [0, 1].
//
// Source: Wichura (1988), Algorithm AS 241 (PPND16), doi:10.2307/2347330.
func NormalQuantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	}
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		r := math.FMA(-q, q, 0.180625)
		return float64(q * (horner(r, &centreNum) / horner(r, &centreDen)))
	}
	r := p
	if q > 0 {
		r = 1 - p
	}
	r = math.Sqrt(-Log(r))
	var z float64
	if r <= 5 {
		z = horner(r-1.6, &middleNum) / horner(r-1.6, &middleDen)
	} else {
		z = horner(r-5, &tailNum) / horner(r-5, &tailDen)
	}
	if q < 0 {
		return -z
	}
	return z
}

// horner evaluates a polynomial whose coefficients are in increasing order.
func horner(x float64, c *[8]float64) float64 {
	y := c[7]
	for i := 6; i >= 0; i-- {
		y = math.FMA(y, x, c[i])
	}
	return y
}

// Coefficients of AS 241, lowest power first.
var (
	centreNum = [8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
		4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3,
	}
	centreDen = [8]float64{
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
	tailNum = [8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
	}
	tailDen = [8]float64{
		1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
	}
)
