package vec

import "math"

// Atan returns the arc tangent of x in (−π/2, π/2), with a relative error below
// 3e-16. The rational approximation is that of Cephes' atan.c (Moshier, 1984).
func Atan(x float64) float64 {
	const more = 6.123233995736765886130e-17 // π/2 less its float64
	a := math.Abs(x)
	y := 0.0
	switch {
	case a <= 0.66:
		y = atanSmall(a)
	case a > 2.41421356237309504880: // tan 3π/8
		y = math.Pi/2 - atanSmall(1/a) + more
	default:
		y = math.Pi/4 + atanSmall((a-1)/(a+1)) + 0.5*more
	}
	if x < 0 {
		return -y
	}
	return y
}

// atanSmall serves |x| ≤ 0.66.
func atanSmall(x float64) float64 {
	z := x * x
	return math.FMA(x, z*ratio(z, atanNum[:], atanDen[:]), x)
}

var (
	atanNum = [...]float64{
		-6.485021904942025371773e+01, -1.228866684490136173410e+02, -7.500855792314704667340e+01,
		-1.615753718733365076637e+01, -8.750608600031904122785e-01,
	}
	atanDen = [...]float64{
		1.945506571482613964425e+02, 4.853903996359136964868e+02, 4.328810604912902668951e+02,
		1.650270098316988542046e+02, 2.485846490142306297962e+01, 1,
	}
)

// LogCauchyCDF returns log(½ + atan(x)/π), the log of the Cauchy distribution
// function, with a relative error below 2e-15.
func LogCauchyCDF(x float64) float64 {
	if x > 0 {
		return Log1p(-Atan(1/x) / math.Pi)
	}
	return Log(CauchyCDF(x))
}

// CauchyCDF returns ½ + atan(x)/π without cancellation in the left tail.
func CauchyCDF(x float64) float64 {
	if x < -0.5 {
		return Atan(-1/x) / math.Pi
	}
	return 0.5 + Atan(x)/math.Pi
}
