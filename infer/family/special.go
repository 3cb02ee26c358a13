package family

import (
	"math"

	"glmbatch/internal/vec"
)

// normalCDF is Φ.
func normalCDF(x float64) float64 { return vec.Exp(vec.LogNormalCDF(x)) }

// termsMost ends series and fractions that do not converge.
const termsMost = 1_000_000

// incompleteGamma is P(a, x), regularised: the distribution function of a gamma distribution of shape a and rate 1.
//
// Source: Press et al. (2007), Numerical Recipes, 6.2.
func incompleteGamma(a, x float64) float64 {
	switch {
	case !(x > 0) || math.IsInf(a, 1):
		return 0
	case math.IsInf(x, 1):
		return 1
	}
	front := vec.Exp(math.FMA(a, vec.Log(x), -x) - vec.LogGamma(a))
	if x < a+1 {
		return math.Min(1, float64(gammaSeries(a, x, 1e-14)*front))
	}
	return math.Max(0, 1-float64(front*gammaFraction(a, x)))
}

// gammaSeries is P(a, x) over x^a·e^−x/Γ(a), for small x.
func gammaSeries(a, x, tolerance float64) float64 {
	term, sum := 1/a, 1/a
	for n := 1.0; n < termsMost && term > tolerance*sum; n++ {
		term = float64(term * (x / (a + n)))
		sum += term
	}
	return sum
}

// gammaFraction is 1 − P(a, x) over the same, for large x, by Lentz's method.
func gammaFraction(a, x float64) float64 {
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1.0; n < termsMost; n++ {
		an := -n * (n - a)
		b += 2
		d, c = 1/nonZero(math.FMA(an, d, b)), nonZero(b+an/c)
		step := float64(d * c)
		h = float64(h * step)
		if math.Abs(step-1) < 1e-14 {
			break
		}
	}
	return h
}

// nonZero keeps Lentz's method from dividing by 0.
func nonZero(v float64) float64 {
	if math.Abs(v) < 1e-300 {
		return 1e-300
	}
	return v
}

// incompleteBeta is I_x(a, b), regularised: the distribution function of a beta distribution.
//
// Source: Press et al. (2007), Numerical Recipes, 6.4.
func incompleteBeta(a, b, x float64) float64 {
	switch {
	case !(x > 0):
		return 0
	case x >= 1 || math.IsInf(b, 1):
		return 1
	}
	front := vec.Exp(vec.LogGamma(a+b) - vec.LogGamma(a) - vec.LogGamma(b) +
		math.FMA(a, vec.Log(x), float64(b*vec.Log1p(-x))))
	if x < (a+1)/(a+b+2) {
		return math.Min(1, float64(front*betaFraction(a, b, x))/a)
	}
	return math.Max(0, 1-float64(front*betaFraction(b, a, 1-x))/b)
}

// betaFraction is the continued fraction of I_x(a, b), by Lentz's method.
func betaFraction(a, b, x float64) float64 {
	c, d := 1.0, 1/nonZero(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < termsMost; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/nonZero(math.FMA(even, d, 1)), nonZero(1+even/c)
		h = float64(h * float64(d*c))
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/nonZero(math.FMA(odd, d, 1)), nonZero(1+odd/c)
		step := float64(d * c)
		h = float64(h * step)
		if math.Abs(step-1) < 1e-14 {
			break
		}
	}
	return h
}

// normalFall returns the derivative h = φ(t)/Φ(t) of log Φ and h + t > 0, whose product is the negative second one.
func normalFall(t float64) (fall, excess float64) {
	fall = vec.NormalHazard(-t)
	if t > -20 {
		return fall, fall + t
	}
	f := -t // Laplace's continued fraction, without its first term
	for k := 14.0; k >= 2; k-- {
		f = k/f - t
	}
	return fall, 1 / f
}

// normalMean returns the mean of a smooth function of a standard normal variable, by the trapezoidal rule.
func normalMean(f func(v float64) float64) float64 {
	const step, reach = 0.5, 16
	sum := 0.0
	for k := -reach; k <= reach; k++ {
		v := step * float64(k)
		sum += float64(f(v) * vec.Exp(math.FMA(-0.5*v, v, -halfLog2Pi)))
	}
	return step * sum
}
