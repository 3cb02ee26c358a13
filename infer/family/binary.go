package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// tails are a link of probabilities: F is the inverse link, log p = log F(eta)
// and log q = log(1 − F(eta)), each formed without cancellation, with their
// first and second derivatives.
type tails struct {
	logP, logQ     func(eta float64) float64
	slopeP, slopeQ func(eta float64) (first, second float64)

	// logPs and logQs write logP and logQ of up to 128 eta over them; nil if a
	// loop over rows is as fast.
	logPs, logQs func(k simd.Kernels, eta []float64)
	symmetric    bool // logQ(eta) is logP(−eta)
}

// binary is bernoulli and binomial with any link but logit.
type binary struct{ tails }

// ofProbability is the likelihood of bernoulli and binomial by a link.
func ofProbability(l *Link) Likelihood {
	concave := l.Slow == ""
	if l == Logit {
		return Likelihood{Form: Softplus, Concave: concave}
	}
	return Likelihood{Form: Termwise, Terms: binary{*l.tails}, Concave: concave}
}

// choices is the constant of bernoulli and binomial: the logarithm of the number of ways to the successes.
func choices(r *Rows) float64 {
	if r.Trials == nil {
		return 0
	}
	return r.sum(func(i int) float64 {
		return vec.LogFactorial(r.Trials[i]) - vec.LogFactorial(r.Y[i]) - vec.LogFactorial(r.Trials[i]-r.Y[i])
	})
}

// drawSuccesses draws the successes of a row.
func drawSuccesses(s prior.Source, at Row) float64 {
	if at.Trials != 1 {
		return variate.Binomial(s, at.Trials, at.Mean, vec.Exp(at.Link.tails.logQ(at.Eta)))
	}
	if s.Float64() < at.Mean { // from one uniform
		return 1
	}
	return 0
}

// successesUpTo is the distribution function of the successes of a row.
func successesUpTo(y float64, at Row) float64 {
	if y >= at.Trials {
		return 1
	}
	return incompleteBeta(at.Trials-y, y+1, vec.Exp(at.Link.tails.logQ(at.Eta)))
}

func (l binary) Terms(r Rows, eta, dst []float64) {
	if l.logPs != nil && r.Kernels != simd.Scalar {
		l.blockTerms(r, eta, dst)
		return
	}
	for i, e := range eta {
		successes, failures := r.Outcomes(i)
		sum := 0.0
		if successes > 0 { // 0·(−Inf) counts nothing
			sum = float64(successes * l.logP(e))
		}
		if failures > 0 {
			sum = math.FMA(failures, l.logQ(e), sum)
		}
		dst[i] = sum
	}
}

// blockTerms is terms by logPs and logQs, of the rows that have successes, and of
// those that have failures.
func (l binary) blockTerms(r Rows, eta, dst []float64) {
	if l.symmetric && r.Trials == nil {
		for i, e := range eta {
			dst[i] = float64(e * (2*r.Y[i] - 1))
		}
		l.logPs(r.Kernels, dst[:len(eta)])
		return
	}
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	ps, qs := &scratch[0], &scratch[1]
	p, q := 0, 0
	for i, e := range eta {
		successes, failures := r.Outcomes(i)
		if successes > 0 {
			ps[p] = e
			p++
		}
		if failures > 0 {
			qs[q] = e
			q++
		}
	}
	l.logPs(r.Kernels, ps[:p])
	l.logQs(r.Kernels, qs[:q])
	p, q = 0, 0
	for i := range eta {
		successes, failures := r.Outcomes(i)
		sum := 0.0
		if successes > 0 { // 0·(−Inf) counts nothing
			sum = float64(successes * ps[p])
			p++
		}
		if failures > 0 {
			sum = math.FMA(failures, qs[q], sum)
			q++
		}
		dst[i] = sum
	}
}

// slopes uses f²/(F(1 − F)) = (log p)′·(−log q)′ for the information.
func (l binary) Slopes(r Rows, eta, grad, curv, info []float64) {
	for i, e := range eta {
		successes, failures := r.Outcomes(i)
		p1, p2 := l.slopeP(e)
		q1, q2 := l.slopeQ(e)
		grad[i] = math.FMA(successes, p1, float64(failures*q1))
		curv[i] = -math.FMA(successes, p2, float64(failures*q2))
		info[i] = (successes + failures) * (p1 * -q1)
	}
}

func (binary) Norm(Rows) float64                 { return 0 }
func (binary) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// logit: F = 1/(1 + e^−eta).
var logitTails = symmetric(func(eta float64) float64 { return -vec.Log1pExp(-eta) },
	func(eta float64) (first, second float64) {
		first = vec.Logistic(-eta)
		return first, -float64(first * (1 - first))
	},
	func(k simd.Kernels, dst, x []float64) {
		for i, v := range x {
			dst[i] = -v
		}
		k.Log1pExp(dst, dst[:len(x)])
		negate(dst[:len(x)])
	})

// symmetric returns the tails of a distribution that is symmetric around 0. logF is the logarithm of F, slope its
// derivatives, and logs is logF of a vector.
func symmetric(logF func(float64) float64, slope func(float64) (first, second float64),
	logs func(k simd.Kernels, dst, x []float64)) tails {
	return tails{
		logP: logF, logQ: func(eta float64) float64 { return logF(-eta) }, slopeP: slope,
		slopeQ: func(eta float64) (float64, float64) {
			first, second := slope(-eta)
			return -first, second
		},
		logPs: func(k simd.Kernels, eta []float64) { logs(k, eta, eta) },
		logQs: func(k simd.Kernels, eta []float64) {
			negate(eta)
			logs(k, eta, eta)
		},
		symmetric: true,
	}
}

// probit: F = Φ. (log Φ)′ is the hazard h at −eta, and its slope −h·(eta + h).
var probitTails = symmetric(vec.LogNormalCDF, probitSlope, simd.Kernels.LogNormalCDF)

func negate(v []float64) {
	for i := range v {
		v[i] = -v[i]
	}
}

func probitSlope(eta float64) (first, second float64) {
	h := vec.NormalHazard(-eta)
	if eta < -1e4 { // eta + h = 1/h − …, lost in the difference
		return h, -1
	}
	return h, -h * (eta + h)
}

// cloglog: F = 1 − exp(−w), w = e^eta.
var cloglogTails = tails{
	logP: func(eta float64) float64 {
		w := vec.Exp(eta)
		if w > 0.5 {
			return vec.Log1p(-vec.Exp(-w))
		}
		return eta + vec.Log(shrink(w))
	},
	logQ:  func(eta float64) float64 { return -vec.Exp(eta) },
	logPs: cloglogLogPs,
	logQs: func(k simd.Kernels, eta []float64) {
		k.Exp(eta, eta)
		negate(eta)
	},
	slopeP: func(eta float64) (first, second float64) {
		w := vec.Exp(eta)
		if w > 700 { // e^−w
			return 0, 0
		}
		first = vec.Exp(-w) / shrink(w) // w/(e^w − 1)
		if w < 1e-5 {                   // 1 − w − first = −w/2 − …, lost in the difference
			return first, first * -w * math.FMA(w, 1.0/12, 0.5)
		}
		return first, first * (1 - w - first)
	},
	slopeQ: func(eta float64) (first, second float64) {
		w := min(vec.Exp(eta), 1e290) // times no failures it must not be NaN
		return -w, -w
	},
}

// cloglogLogPs is cloglog's logP in a block: both of its forms for all rows, each
// at a harmless place where the other one counts.
func cloglogLogPs(k simd.Kernels, eta []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	w, rest, shrunk := &scratch[0], &scratch[1], &scratch[2]
	n := len(eta)
	k.Exp(w[:], eta)
	for i := range eta {
		rest[i], shrunk[i] = -w[i], 1
		if !(w[i] > 0.5) {
			shrunk[i] = shrink(w[i])
		}
	}
	k.Exp(rest[:], rest[:n])
	negate(rest[:n])
	k.Log1p(rest[:], rest[:n])
	k.Log(shrunk[:], shrunk[:n])
	for i, e := range eta {
		if w[i] > 0.5 {
			eta[i] = rest[i]
		} else {
			eta[i] = e + shrunk[i]
		}
	}
}

// shrink returns (1 − e^−w)/w for w ≥ 0, 1 at 0.
func shrink(w float64) float64 {
	if w > 0.5 {
		return (1 - vec.Exp(-w)) / w
	}
	// Σ (−w)ᵏ/(k + 1)!: the first term left out is below 0.5¹⁶/17! < 1e-19
	sum := 1.0
	for k := 16.0; k >= 2; k-- {
		sum = math.FMA(-w/k, sum, 1)
	}
	return sum
}

// cauchit: F is the Cauchy distribution function, f = 1/(π(1 + eta²)).
var cauchitTails = symmetric(vec.LogCauchyCDF, cauchitSlope, simd.Kernels.LogCauchyCDF)

func cauchitSlope(eta float64) (first, second float64) {
	size := math.FMA(eta, eta, 1)
	first = 1 / (math.Pi * size * vec.CauchyCDF(eta))
	return first, -first * (2*eta/size + first)
}
