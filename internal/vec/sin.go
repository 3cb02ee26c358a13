package vec

import "math"

// π/2 as the sum of three numbers, of which the first two have 33 bits: a multiple of them by up to 2²⁰ is exact.
//
// Source: fdlibm, e_rem_pio2.c.
const (
	halfPi1 = 1.57079632673412561417e+00
	halfPi2 = 6.07710050630396597660e-11
	halfPi3 = 2.02226624879595063154e-21
)

// Coefficients of sin and cos on [−π/4, π/4] in r², the lowest first. Source: fdlibm, k_sin.c and k_cos.c.
var (
	sinTerms = [8]float64{-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
		2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10}
	cosTerms = [8]float64{4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11}
)

// Sin returns the sine of x, |x| < 10⁶, within 2 units in the last place of 1, with the same bits on each processor;
// NaN of larger numbers.
func Sin(x float64) float64 {
	if !(math.Abs(x) < 1e6) {
		return math.NaN()
	}
	quarter := math.Floor(math.FMA(x, 2/math.Pi, 0.5))
	r := math.FMA(-quarter, halfPi1, x)
	r = math.FMA(-quarter, halfPi2, r)
	r = math.FMA(-quarter, halfPi3, r)
	z := float64(r * r)
	var out float64
	if turn := int64(quarter); turn&1 == 0 {
		out = math.FMA(float64(z*r), horner(z, &sinTerms), r)
		if turn&2 != 0 {
			out = -out
		}
	} else {
		out = math.FMA(float64(z*z), horner(z, &cosTerms), math.FMA(-0.5, z, 1))
		if turn&2 != 0 {
			out = -out
		}
	}
	return out
}
