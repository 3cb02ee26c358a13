package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// poisson: y ~ poisson(mu).
var poisson = &Distribution{
	Name:     "poisson",
	Links:    []*Link{logLink, root, positiveIdentity},
	Support:  counts,
	Additive: true,
	Notation: Notation{Law: "Poisson(μ_i)", LaTeX: `\mathrm{Poisson}(\mu_i)`, Mean: "μ_i", TeX: `\mu_i`, Of: meanResponse},
	Along: func(l *Link) Likelihood {
		if !l.Positive {
			return Likelihood{Form: Exponential, Concave: true, Cell: poissonMean{}}
		}
		return ofMean(poissonMean{}, l)
	},
	Limited:  tailed{terms: poissonMean{}, at: poissonAt, whole: true}.limited(factorials),
	Constant: factorials,
	Draw:     func(s prior.Source, at Row) float64 { return variate.Poisson(s, at.Mean) },
	CDF:      func(y float64, at Row) float64 { return 1 - incompleteGamma(y+1, at.Mean) },
}

// factorials is the constant of counts, −Σ log y!.
func factorials(r *Rows) float64 {
	return r.sum(func(i int) float64 { return -vec.LogFactorial(r.Y[i]) })
}

// poissonMean: y·λ − mu.
type poissonMean struct{}

func (poissonMean) Terms(r Rows, lambda, dst []float64) {
	var mu Block
	r.Kernels.Exp(mu[:], lambda)
	for i, l := range lambda {
		dst[i] = math.FMA(r.Y[i], l, -mu[i])
	}
}

func (poissonMean) Slopes(r Rows, lambda, grad, curv, info []float64) {
	r.Kernels.Exp(info, lambda)
	for i, mu := range info[:len(lambda)] {
		grad[i], curv[i] = r.Y[i]-mu, mu
	}
}

func (poissonMean) Norm(Rows) float64                 { return 0 }
func (poissonMean) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

func (poissonMean) Width(eta float64, _ [2]float64) float64 {
	return math.Max(1, 2.5*vec.Exp(0.5*min(eta, 60)))
}

func (poissonMean) Variance(mean float64, _ [2]float64) float64 { return mean }

func (poissonMean) Follow(s prior.Source, y, from, to float64, _ [2]float64) (moved float64, exact bool) {
	return thin(s, y, vec.Exp(from), vec.Exp(to)), true
}

// thin returns a count of mean to from one of mean from: each of its units stays with probability to/from, or new ones
// come with mean to − from. Both ways together leave the pair of poisson laws as it is.
func thin(s prior.Source, y, from, to float64) float64 {
	switch {
	case !(from <= math.MaxFloat64 && to <= maxMean): // no count of such a mean is drawn
		return math.NaN()
	case to > from:
		return y + variate.Poisson(s, to-from)
	case to == from:
		return y
	}
	return variate.Binomial(s, y, to/from, (from-to)/from)
}

// maxMean bounds the mean of a count that is proposed.
const maxMean = 1e12
