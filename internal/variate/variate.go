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

// Gamma returns a draw of the gamma distribution with a shape and rate 1. It takes two uniforms a trial, accepted
// with probability above 0.95, and one more where shape < 1.
//
// Source: Marsaglia and Tsang (2000), A simple method for generating gamma
// variables, doi:10.1145/358407.358414.
func Gamma(s Source, shape float64) float64 {
	if shape < 1 { // Γ(shape) is Γ(shape + 1)·U^(1/shape)
		boost := vec.Exp(vec.Log(s.Float64()) / shape)
		return float64(Gamma(s, shape+1) * boost)
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
			return float64(d * v)
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
// Source: Makalic and Schmidt (2016), A simple sampler for the horseshoe estimator, doi:10.1109/LSP.2015.2503725:
// nu | lambda ~ InvGamma(1, 1 + 1/lambda²), then lambda² | nu ~ InvGamma(1, 1/nu + half). nu is drawn again in each
// step and does not belong to a chain's state.
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

// logGamma returns the logarithm of a draw of the gamma distribution with rate 1, which does not underflow if the
// shape is small.
func logGamma(s Source, shape float64) float64 {
	if shape < 1 { // Γ(shape) is Γ(shape + 1)·U^(1/shape)
		boost := vec.Log(s.Float64()) / shape
		return vec.Log(Gamma(s, shape+1)) + boost
	}
	return vec.Log(Gamma(s, shape))
}

// GammaMean returns a draw of the gamma distribution with mean 1 and a shape. It is 0 if the draw underflows, at
// shapes far below 1.
func GammaMean(s Source, shape float64) float64 {
	return vec.Exp(logGamma(s, shape) - vec.Log(shape))
}

// Beta returns a draw of the beta distribution with shapes a and b > 0. It is 0 or 1 where the nearest float64 is,
// at shapes far below 1.
func Beta(s Source, a, b float64) float64 {
	logA := logGamma(s, a)
	return vec.Logistic(logA - logGamma(s, b))
}

// InverseGaussian returns a draw of the inverse gaussian distribution with a mean and variance mean³/shape.
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

// Limits of the generators of counts.
const (
	// inversionMean is the mean from which rejection takes the place of
	// inversion, whose cost grows with it.
	inversionMean = 10
	// inversionMost is where inversion restarts: a count that a distribution of mean below inversionMean reaches
	// with probability below 1e-100, or rounding.
	inversionMost = 200
	// roundedMean is the mean from which a count is a rounded normal draw: there the two distributions differ by
	// less than 1e-7, and a float64 hardly distinguishes neighbouring counts.
	roundedMean = 1e15
)

// Poisson returns a draw of the poisson distribution with a mean ≥ 0: NaN for a mean that is NaN or negative, +Inf
// for +Inf. Exact below a mean of 1e15, a rounded normal draw from there on. Below a mean of 10 it takes one
// uniform, else two a trial, accepted with probability above 0.8.
//
// Source: Hörmann (1993), The transformed rejection method for generating
// Poisson random variables, algorithm PTRS, doi:10.1016/0167-6687(93)90997-4;
// the density by Loader's saddle-point form.
func Poisson(s Source, mean float64) float64 {
	switch {
	case !(mean >= 0):
		return math.NaN()
	case math.IsInf(mean, 1):
		return mean
	case mean < inversionMean:
		return inverted(s, vec.Exp(-mean), math.Inf(1), func(k float64) float64 { return mean / k })
	case mean >= roundedMean:
		return math.Max(0, math.Floor(math.FMA(math.Sqrt(mean), Normal(s), mean)+0.5))
	}
	b := math.FMA(2.53, math.Sqrt(mean), 0.931)
	h := hat{a: math.FMA(0.02483, b, -0.059), b: b, centre: mean + 0.43, inner: 0.9277 - 3.6224/(b-2)}
	logAlpha := vec.Log(1.1239 + 1.1328/(b-3.4))
	for {
		k, v, done := h.propose(s, math.Inf(1))
		if done {
			return k
		}
		if v+logAlpha <= logPoisson(k, mean) {
			return k
		}
	}
}

// Binomial returns a draw of the binomial distribution of n trials with probability p of success and q = 1 − p of
// failure. Both are given, so that neither loses digits if it is small. n is a whole number ≥ 0. NaN if an argument
// is. Exact below a variance of 1e15, a rounded normal draw from there on.
//
// Source: Hörmann (1993), The generation of binomial random variates, algorithm
// BTRS, doi:10.1080/00949659308811496; the density by Loader's saddle-point form.
func Binomial(s Source, n, p, q float64) float64 {
	switch {
	case !(n >= 0 && p >= 0 && q >= 0):
		return math.NaN()
	case p > q:
		return n - Binomial(s, n, q, p)
	case n == 0 || p == 0:
		return 0
	}
	mean := float64(n * p)
	if mean < inversionMean {
		return inverted(s, vec.Exp(float64(n*vec.Log1p(-p))), n,
			func(k float64) float64 { return float64((n - k + 1) / k * (p / q)) })
	}
	spread := math.Sqrt(mean * q)
	if mean*q >= roundedMean {
		return math.Min(n, math.Max(0, math.Floor(math.FMA(spread, Normal(s), mean)+0.5)))
	}
	b := math.FMA(2.53, spread, 1.15)
	h := hat{a: math.FMA(0.01, p, math.FMA(0.0248, b, -0.0873)), b: b, centre: mean + 0.5, inner: 0.92 - 4.2/b}
	logAlpha := vec.Log((2.83 + 5.1/b) * spread)
	mode := math.Floor(math.FMA(n, p, p))
	top := logBinomial(mode, n, p, q)
	for {
		k, v, done := h.propose(s, n)
		if done {
			return k
		}
		if v+logAlpha <= logBinomial(k, n, p, q)-top {
			return k
		}
	}
}

// NegativeBinomial returns a draw of the distribution with a mean and variance mean + mean²/shape, as a poisson
// draw with a gamma mean.
func NegativeBinomial(s Source, mean, shape float64) float64 {
	return Poisson(s, float64(mean*GammaMean(s, shape)))
}

// inverted adds up the probabilities of 0, 1, … until they exceed a uniform.
// first is that of 0, ratio(k) that of k over that of k − 1.
func inverted(s Source, first, most float64, ratio func(k float64) float64) float64 {
	for {
		u, p := s.Float64(), first
		k := 0.0
		for u > p && k < inversionMost && k <= most {
			u -= p
			k++
			p = float64(p * ratio(k))
		}
		if k < inversionMost && k <= most { // else rounding used the uniform up
			return k
		}
	}
}

// hat is the table mountain of transformed rejection.
type hat struct{ a, b, centre, inner float64 }

// propose returns a count from 0 to most, and the logarithm of the uniform that
// it is accepted by over the hat's density; done says that it is accepted
// already.
func (h *hat) propose(s Source, most float64) (k, logV float64, done bool) {
	for {
		u := s.Float64() - 0.5
		v := s.Float64()
		us := 0.5 - math.Abs(u)
		k = math.Floor(math.FMA(2*h.a/us+h.b, u, h.centre))
		if us >= 0.07 && v <= h.inner {
			return k, 0, true
		}
		if k < 0 || k > most || us < 0.013 && v > us {
			continue
		}
		return k, vec.Log(v / (h.a/(float64(us*us)) + h.b)), false
	}
}

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π

// stirling returns log k! − (k + ½)·log k + k − ½ log 2π for k ≥ 1.
func stirling(k float64) float64 {
	return math.FMA(0.5, vec.Log(k), vec.LogGammaExcess(k)) - halfLog2Pi
}

// away returns k·log(k/mean) + mean − k ≥ 0 for k ≥ 0.
func away(k, mean float64) float64 {
	x := (k - mean) / mean
	if x <= -1 {
		return mean
	}
	return float64(mean * math.FMA(1+x, vec.Log1p(x), -x))
}

// logPoisson returns the log probability of a count k ≥ 0, with an absolute
// error of about 1e-16 times the root of the mean.
func logPoisson(k, mean float64) float64 {
	if k == 0 {
		return -mean
	}
	return -(stirling(k) + away(k, mean)) - math.FMA(0.5, vec.Log(k), halfLog2Pi)
}

// logBinomial returns the log probability of a count 0 ≤ k ≤ n.
func logBinomial(k, n, p, q float64) float64 {
	switch k {
	case 0:
		return float64(n * vec.Log1p(-p))
	case n:
		return float64(n * vec.Log(p))
	}
	sum := stirling(n) - stirling(k) - stirling(n-k) - away(k, float64(n*p)) - away(n-k, float64(n*q))
	return sum - math.FMA(0.5, vec.Log(k)+vec.Log1p(-k/n), halfLog2Pi)
}
