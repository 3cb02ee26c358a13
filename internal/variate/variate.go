package variate

import (
	"math"

	"glmbatch/internal/vec"
)

// Source gives uniform numbers in the open interval (0, 1), such as
// *infer.Stream.
type Source interface{ Float64() float64 }

// Normal returns a standard normal draw from one uniform.
func Normal(s Source) float64 { return Quantile(s.Float64()) }

// Exponential returns a draw with mean 1 from one uniform.
func Exponential(s Source) float64 { return -vec.Log(s.Float64()) }

// ChiSquare3 returns a draw of χ² with 3 degrees of freedom from two uniforms:
// an exponential with mean 2 is χ² with 2, a squared normal adds the third.
func ChiSquare3(s Source) float64 {
	e := Exponential(s)
	z := Normal(s)
	return math.FMA(z, z, 2*e)
}

// StudentT3 returns a draw of Student's t with 3 degrees of freedom (scale 1,
// variance 3) from three uniforms.
func StudentT3(s Source) float64 {
	z := Normal(s)
	return z * math.Sqrt(3/ChiSquare3(s))
}

// HalfCauchy returns a draw of |Cauchy| with scale 1 from two uniforms.
func HalfCauchy(s Source) float64 {
	z := Normal(s)
	return math.Abs(z / Normal(s))
}

// Index returns a draw from 0 … n−1, n ≥ 1, from one uniform. Its
// probabilities differ from 1/n by less than 2⁻⁵².
func Index(s Source, n int) int {
	return min(int(s.Float64()*float64(n)), n-1)
}

// Gamma returns a draw of the gamma law with a shape and rate 1. It takes two
// uniforms a trial, accepted with probability above 0.95, and one more where
// shape < 1.
//
// Source: Marsaglia and Tsang (2000), A simple method for generating gamma
// variables, doi:10.1145/358407.358414.
func Gamma(s Source, shape float64) float64 {
	if shape < 1 { // Γ(shape) is Γ(shape + 1)·U^(1/shape)
		boost := vec.Exp(vec.Log(s.Float64()) / shape)
		return Gamma(s, shape+1) * boost
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		z := Normal(s)
		v := math.FMA(c, z, 1)
		u := s.Float64()
		if v <= 0 {
			continue
		}
		v = float64(float64(v*v) * v)
		if vec.Log(u) < math.FMA(0.5*z, z, d*((1-v)+vec.Log(v))) {
			return d * v
		}
	}
}

// StudentT returns a draw of Student's t with df degrees of freedom, scale 1.
func StudentT(s Source, df float64) float64 {
	z := Normal(s)
	return z * math.Sqrt(0.5*df/Gamma(s, 0.5*df))
}
