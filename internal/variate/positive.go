package variate

import (
	"math"

	"glmbatch/internal/vec"
)

// logGamma returns the logarithm of a draw of the gamma law with rate 1, which
// does not underflow where the shape is small.
func logGamma(s Source, shape float64) float64 {
	if shape < 1 { // Γ(shape) is Γ(shape + 1)·U^(1/shape)
		boost := vec.Log(s.Float64()) / shape
		return vec.Log(Gamma(s, shape+1)) + boost
	}
	return vec.Log(Gamma(s, shape))
}

// GammaMean returns a draw of the gamma law with mean 1 and a shape. It is 0
// where the draw underflows, at shapes far below 1.
func GammaMean(s Source, shape float64) float64 {
	return vec.Exp(logGamma(s, shape) - vec.Log(shape))
}

// Beta returns a draw of the beta law with shapes a and b > 0. It is 0 or 1
// where the nearest float64 is, at shapes far below 1.
func Beta(s Source, a, b float64) float64 {
	logA := logGamma(s, a)
	return vec.Logistic(logA - logGamma(s, b))
}

// InverseGaussian returns a draw of the law with a mean and variance mean³/shape.
//
// Source: Michael, Schucany and Haas (1976), doi:10.1080/00031305.1976.10479147:
// the smaller root x of shape·(x − mean)² = mean²·x·χ² with probability
// mean/(mean + x), else mean²/x.
func InverseGaussian(s Source, mean, shape float64) float64 {
	z := Normal(s)
	c := float64(mean / shape * float64(0.5*float64(z*z)))
	ratio := 1 / (1 + c + math.Sqrt(float64(c*(2+c)))) // x/mean; its difference form cancels
	if float64(s.Float64()*(1+ratio)) > 1 {
		ratio = 1 / ratio
	}
	return float64(mean * ratio)
}
