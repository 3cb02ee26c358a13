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
		along.Concave, along.Cell, along.Rowwise = true, negativeBinomialMean{}, negativeBinomialMean{}
		return along
	},
	Limited: tailed{terms: negativeBinomialMean{}, at: negativeBinomialAt, dispersions: 1, whole: true}.
		limited(factorials),
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

// fewCounts is up to which count log Γ(y + shape) − log Γ(shape) − y·log(shape) = Σ log(1 + k/shape), k < y, is the
// logarithm of a product, for shapes of which no product overflows.
const fewCounts, minFewShape = 16, 1e-10

func (negativeBinomialMean) prepare(*Rows, []float64, []float64) {}

func (negativeBinomialMean) rowTerms(r Rows, eta, x, u, dst []float64) {
	var growth Block
	for i, l := range eta {
		growth[i] = l - u[i]
	}
	r.Kernels.Log1pExp(growth[:], growth[:len(eta)])
	for i, l := range eta {
		dst[i] = math.FMA(r.Y[i], l, -float64((r.Y[i]+x[i])*growth[i]))
	}
}

func (negativeBinomialMean) rowNorms(r Rows, x, _, dst []float64) {
	var product Block
	for i, y := range r.Y {
		if product[i] = 1; y > fewCounts || x[i] < minFewShape {
			dst[i] += vec.LogRising(x[i], y)
			continue
		}
		inverse := 1 / x[i]
		for k := 1.0; k < y; k++ {
			product[i] = float64(product[i] * math.FMA(k, inverse, 1))
		}
	}
	r.Kernels.Log(product[:], product[:len(r.Y)])
	for i := range r.Y {
		dst[i] += product[i]
	}
}

func (negativeBinomialMean) rowSlopes(r Rows, eta, x, u, grad, curv, info []float64) {
	var p, q Block
	n := len(eta)
	for i, l := range eta {
		p[i], q[i] = l-u[i], u[i]-l
	}
	r.Kernels.Logistic(p[:], p[:n])
	r.Kernels.Logistic(q[:], q[:n])
	for i := range eta {
		total := r.Y[i] + x[i]
		grad[i] = math.FMA(-total, p[i], r.Y[i])
		curv[i] = float64(total*p[i]) * q[i]
		info[i] = float64(x[i] * p[i])
	}
}

// spreadSlopes: with s the shape, p = mu/(mu + s) and q = 1 − p, the slope is s·Σ 1/(s + k) − y − s·log(1 + mu/s) +
// (y + s)·p.
func (negativeBinomialMean) spreadSlopes(r Rows, eta, x, u, grad, curv []float64) bool {
	var growth, p, q Block
	n := len(eta)
	for i, l := range eta {
		p[i], q[i] = l-u[i], u[i]-l
	}
	r.Kernels.Log1pExp(growth[:], p[:n])
	r.Kernels.Logistic(p[:], p[:n])
	r.Kernels.Logistic(q[:], q[:n])
	for i, s := range x[:n] {
		y := r.Y[i]
		rise, bend := risingSlopes(s, y)
		total := y + s
		grown := float64(s * growth[i])
		grad[i] = math.FMA(total, p[i], rise-grown)
		curv[i] = math.FMA(float64(total*p[i]), q[i], grown-float64(2*s*p[i])) - bend
	}
	return true
}

// risingSlopes returns the first two derivatives of Σ log(1 + k/s), k < y, in log s.
func risingSlopes(s, y float64) (first, second float64) {
	if y > 4*fewCounts {
		ratio := s / (s + y)
		first = float64(s*(vec.Digamma(s+y)-vec.Digamma(s))) - y
		return first, math.FMA(float64(ratio*ratio), vec.ScaledTrigamma(s+y), first+y-vec.ScaledTrigamma(s))
	}
	for k := 1.0; k < y; k++ {
		share := k / (s + k)
		first -= share
		second = math.FMA(share, 1-share, second)
	}
	return first, second
}
