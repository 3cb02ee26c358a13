package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// beta: y ~ beta of mean mu and variance mu(1 − mu)/(1 + phi).
var beta = &Distribution{
	Name:        "beta",
	Links:       []*Link{Logit},
	Dispersions: []Dispersion{{Name: "phi", Most: 1e12, Concentrates: true, Default: prior.DefaultShape}},
	Support:     shares,
	Notation: Notation{Law: "Beta(μ_i, phi)", LaTeX: `\mathrm{Beta}(\mu_i, \phi)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse, Note: "variance μ(1 − μ)/(1 + phi)"},
	Prepare: func(r *Rows) {
		logs(r)
		r.Log1Y = make([]float64, len(r.Y))
		for i, y := range r.Y {
			r.Log1Y[i] = vec.Log1p(-y)
		}
	},
	Along: func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: betaLaw{}, Cell: betaLaw{}} },
	Constant: func(r *Rows) float64 {
		logs := r.sum(func(i int) float64 { return r.LogY[i] })
		return -(logs + r.sum(func(i int) float64 { return r.Log1Y[i] }))
	},
	Draw: func(s prior.Source, at Row) float64 {
		y := variate.Beta(s, at.Disp[0]*at.Mean, at.Disp[0]*vec.Logistic(-at.Eta))
		return math.Min(math.Max(LeastPositive, y), MostShare)
	},
	CDF: func(y float64, at Row) float64 {
		return incompleteBeta(float64(at.Disp[0]*at.Mean), float64(at.Disp[0]*vec.Logistic(-at.Eta)), y)
	},
	Ends: func(e Evidence) (zero, tail float64) { return e.shapeEnds(e.Rows) },
}

// betaLaw is beta(logit): mean mu and precision phi, shapes a = mu·phi and
// b = (1 − mu)·phi.
type betaLaw struct{}

// vanishing is the shape below which log Γ(a) is −log a to the last bit, and a
// itself may underflow.
const vanishing = 1e-290

// excess returns log Γ(a) − a·log a + a for a with logarithm logA.
func excess(a, logA float64) float64 {
	if a < vanishing {
		return -logA
	}
	return vec.LogGammaExcess(a)
}

func (l betaLaw) Terms(r Rows, eta, dst []float64) {
	if r.Kernels != simd.Scalar {
		l.blockTerms(r, eta, dst)
		return
	}
	phi := r.Disp[0]
	logPhi := vec.Log(phi)
	for i, e := range eta {
		a, b := phi*vec.Logistic(e), phi*vec.Logistic(-e)
		logMu, logRest := -vec.Log1pExp(-e), -vec.Log1pExp(e)
		fit := math.FMA(a, r.LogY[i]-logMu, float64(b*(r.Log1Y[i]-logRest)))
		dst[i] = fit - (excess(a, logPhi+logMu) + excess(b, logPhi+logRest))
	}
}

// blockTerms is terms of up to 128 rows, with the same bits.
func (betaLaw) blockTerms(r Rows, eta, dst []float64) {
	first, second := Blocks.Get().(*[3]Block), Blocks.Get().(*[3]Block)
	defer Blocks.Put(first)
	defer Blocks.Put(second)
	n, phi := len(eta), r.Disp[0]
	logPhi := vec.Log(phi)
	a, logA, excessA := first[0][:n], first[1][:n], first[2][:n]
	b, logB, excessB := second[0][:n], second[1][:n], second[2][:n]
	copy(b, eta)
	negate(b)
	r.Kernels.Log1pExp(logA, b)
	r.Kernels.Log1pExp(logB, eta)
	r.Kernels.Logistic(a, eta)
	r.Kernels.Logistic(b, b)
	for i := range n {
		a[i] *= phi
		b[i] *= phi
	}
	r.Kernels.LogGammaExcess(excessA, a)
	r.Kernels.LogGammaExcess(excessB, b)
	for i := range n {
		logMu, logRest := -logA[i], -logB[i]
		fit := math.FMA(a[i], r.LogY[i]-logMu, float64(b[i]*(r.Log1Y[i]-logRest)))
		if a[i] < vanishing {
			excessA[i] = -(logPhi + logMu)
		}
		if b[i] < vanishing {
			excessB[i] = -(logPhi + logRest)
		}
		dst[i] = fit - (excessA[i] + excessB[i])
	}
}

// scaledDigamma returns a·ψ(a), −1 at 0.
func scaledDigamma(a float64) float64 {
	if a < vanishing {
		return -1
	}
	return float64(a * vec.Digamma(a))
}

// scaledTrigamma returns a²·ψ′(a), 1 at 0.
func scaledTrigamma(a float64) float64 {
	if a < vanishing {
		return 1
	}
	return vec.ScaledTrigamma(a)
}

func (betaLaw) Slopes(r Rows, eta, grad, curv, info []float64) {
	phi := r.Disp[0]
	for i, e := range eta {
		mu, rest := vec.Logistic(e), vec.Logistic(-e)
		a, b := phi*mu, phi*rest
		logit := r.LogY[i] - r.Log1Y[i]
		grad[i] = math.FMA(float64(a*rest), logit, math.FMA(mu, scaledDigamma(b), -float64(rest*scaledDigamma(a))))
		info[i] = math.FMA(rest*rest, scaledTrigamma(a), float64(float64(mu*mu)*scaledTrigamma(b)))
		curv[i] = math.FMA(-grad[i], rest-mu, info[i])
	}
}

func (betaLaw) Norm(r Rows) float64 { return r.Total * vec.LogGammaExcess(r.Disp[0]) }

func (betaLaw) Scores(r Rows, eta []float64) [2]float64 {
	phi := r.Disp[0]
	base := vec.Digamma(phi)
	sum := 0.0
	for i, e := range eta {
		mu, rest := vec.Logistic(e), vec.Logistic(-e)
		shapes := (scaledDigamma(phi*mu) + scaledDigamma(phi*rest)) / phi
		sum += float64(r.Count(i) * ((base - shapes) + math.FMA(mu, r.LogY[i], float64(rest*r.Log1Y[i]))))
	}
	return [2]float64{sum}
}

func (betaLaw) Width(eta float64, disp [2]float64) float64 {
	mu := vec.Logistic(eta)
	return 2.5 + 2.5/math.Sqrt(max(float64(mu*(1-mu))*disp[0], 1e-12))
}

func (betaLaw) Variance(mean float64, disp [2]float64) float64 {
	return mean * (1 - mean) / (1 + disp[0])
}

func (betaLaw) Follow(_ prior.Source, y, from, to float64, _ [2]float64) (moved float64, exact bool) {
	return vec.Logistic(vec.Log(y) - vec.Log1p(-y) + (to - from)), false
}
