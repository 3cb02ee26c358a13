package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// negativeBinomial: y ~ negative binomial of mean mu and variance mu + mu²/shape.
var negativeBinomial = &Distribution{
	Name:  "negative_binomial",
	Links: []*Link{logLink},
	Dispersions: []Dispersion{{Name: "shape", Default: overdispersion, Version: "shape/2",
		Limit: "the likelihood does not vanish as the shape grows (it becomes that of poisson), so that a flat prior of " +
			"shape never becomes proper",
		Remedy: "give shape a proper prior such as gamma(0.01, 0.01) or half_cauchy(5)"}},
	Support: counts,
	Notation: Notation{Law: "NegativeBinomial(μ_i, shape)", LaTeX: `\mathrm{NegativeBinomial}(\mu_i, \phi)`, Mean: "μ_i",
		TeX: `\mu_i`, Of: meanResponse, Note: "variance μ + μ²/shape"},
	Along: func(l *Link) Likelihood {
		along := ofMean(negativeBinomialMean{}, l)
		along.Concave, along.Cell = true, negativeBinomialMean{}
		return along
	},
	Constant: factorials,
	Draw:     func(s prior.Source, at Row) float64 { return variate.NegativeBinomial(s, at.Mean, at.Disp[0]) },
	CDF: func(y float64, at Row) float64 {
		return incompleteBeta(at.Disp[0], y+1, at.Disp[0]/(at.Disp[0]+at.Mean))
	},
	// Each row above 0 has a factor shape at 0; at ∞ the likelihood is that of poisson.
	Ends: func(e Evidence) (zero, tail float64) { return e.Positive - e.Flat, 0 },
}

// overdispersion is a default prior under which the posterior mean exists even if the data look like poisson data.
func overdispersion(float64) prior.Prior {
	return prior.Prior{Kind: prior.Gamma, Shape: 0.3, Rate: 0.003}
}

// negativeBinomialMean has variance mu + mu²/shape: y·λ − (y + shape)·log(1 +
// mu/shape) and norm log Γ(y + shape) − log Γ(shape) − y·log(shape).
type negativeBinomialMean struct{}

func (negativeBinomialMean) Terms(r Rows, lambda, dst []float64) {
	shape := r.Disp[0]
	logShape := vec.Log(shape)
	var growth Block
	for i, l := range lambda {
		growth[i] = l - logShape
	}
	r.Kernels.Log1pExp(growth[:], growth[:len(lambda)])
	for i, l := range lambda {
		dst[i] = math.FMA(r.Y[i], l, -float64((r.Y[i]+shape)*growth[i]))
	}
}

func (negativeBinomialMean) Slopes(r Rows, lambda, grad, curv, info []float64) {
	shape := r.Disp[0]
	logShape := vec.Log(shape)
	var ps, qs Block
	for i, l := range lambda {
		ps[i], qs[i] = l-logShape, logShape-l
	}
	r.Kernels.Logistic(ps[:], ps[:len(lambda)])
	r.Kernels.Logistic(qs[:], qs[:len(lambda)])
	for i := range lambda {
		p, q := ps[i], qs[i]
		total := r.Y[i] + shape
		grad[i] = math.FMA(-total, p, r.Y[i])
		curv[i] = total * p * q
		info[i] = shape * p
	}
}

func (negativeBinomialMean) Norm(r Rows) float64 {
	sum := 0.0
	for i, y := range r.Y {
		sum += float64(r.Count(i) * vec.LogRising(r.Disp[0], y))
	}
	return sum
}

func (negativeBinomialMean) Scores(r Rows, lambda []float64) [2]float64 {
	shape := r.Disp[0]
	logShape, base := vec.Log(shape), vec.Digamma(shape)
	sum := 0.0
	for i, l := range lambda {
		p, q := vec.Logistic(l-logShape), vec.Logistic(logShape-l)
		rising := vec.Digamma(r.Y[i]+shape) - base
		sum += float64(r.Count(i) * ((rising - vec.Log1pExp(l-logShape)) + math.FMA(-r.Y[i]/shape, q, p)))
	}
	return [2]float64{sum}
}

func (l negativeBinomialMean) Width(eta float64, disp [2]float64) float64 {
	return math.Max(1, 2.5*math.Sqrt(l.Variance(vec.Exp(min(eta, 60)), disp)))
}

func (negativeBinomialMean) Variance(mean float64, disp [2]float64) float64 {
	return math.FMA(mean, mean/disp[0], mean)
}

// Follow is that of a poisson count whose mean is gamma, and moves by a factor.
func (negativeBinomialMean) Follow(s prior.Source, y, from, to float64, disp [2]float64) (float64, bool) {
	low, high := vec.Exp(from), vec.Exp(to)
	mean := variate.Gamma(s, disp[0]+y) / (disp[0]/low + 1)
	return thin(s, y, mean, float64(mean*(high/low))), true
}
