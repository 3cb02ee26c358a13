package variate

import (
	"math"

	"glmbatch/internal/simd"
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

// Quantile returns the standard normal quantile of p, see vec.NormalQuantile.
func Quantile(p float64) float64 { return vec.NormalQuantile(p) }

// NormalsAt writes standard normal draws first, first+1, … of line, which key
// names, to dst: draw j is a function of (key, line, j) alone, Quantile of a
// midpoint (k + ½)·2⁻⁵² that a counter gives, see simd.Kernels.Midpoints.
func NormalsAt(key, line uint64, first int, dst []float64) {
	kernels.Midpoints(key, line, first, dst)
	kernels.NormalQuantile(dst, dst)
}

// kernels have the bits of package vec in the form that this processor runs
// fastest.
var kernels = simd.Vector()

// LocalScale moves log lambda by one step that leaves the density
// C⁺(lambda; 0, 1)·exp(−half/lambda²)/lambda invariant: that of the local scale of
// a horseshoe given its coefficient, half = ½(beta/tau)². It takes two uniforms.
//
// Source: Makalic and Schmidt (2016), A simple sampler for the horseshoe
// estimator, doi:10.1109/LSP.2015.2503725: nu | lambda ~ InvGamma(1, 1 + 1/lambda²),
// then lambda² | nu ~ InvGamma(1, 1/nu + half). nu is drawn anew in each step and
// is no part of a chain's state.
func LocalScale(s Source, logLambda, half float64) float64 {
	invNu := float64(Exponential(s) * vec.Logistic(2*logLambda))
	return 0.5 * (vec.Log(invNu+half) - vec.Log(Exponential(s)))
}

// GlobalScale is LocalScale for log tau with the density C⁺(tau; 0, tau0)·
// exp(−half/tau²)/tau^count, half = ½ Σ (beta_j/lambda_j)² over count coefficients:
// xi | tau ~ InvGamma(1, 1/tau0² + 1/tau²), tau² | xi ~ InvGamma((count + 1)/2,
// 1/xi + half).
func GlobalScale(s Source, logTau, logTau0, half float64, count int) float64 {
	invXi := float64(Exponential(s) * vec.Logistic(2*(logTau-logTau0)) * vec.Exp(2*logTau0))
	return 0.5 * (vec.Log(invXi+half) - vec.Log(Gamma(s, 0.5*float64(count+1))))
}

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
