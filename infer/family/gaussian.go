package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// gaussian: y ~ normal(mu, sigma²/precision).
var gaussian = &Distribution{
	Name:        "gaussian",
	Links:       []*Link{identity, logLink, inverse},
	Dispersions: []Dispersion{{Name: "sigma", Power: -2, Concentrates: true}},
	Support:     real,
	Notation: Notation{Law: "Normal(μ_i, sigma²)", LaTeX: `\mathrm{Normal}(\mu_i, \sigma^2)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse},
	Along: func(l *Link) Likelihood {
		if l.Linear() {
			return Likelihood{Form: Squares, Concave: true}
		}
		along := ofMean(gaussianMean{}, l)
		along.OneWay = "the likelihood does not vanish as the means go to 0"
		return along
	},
	Limited: &Limited{Constant: sigmaLaw(false).constant, Along: func(l *Link) Likelihood {
		if l.Linear() {
			return sigmaLaw(false).along(l)
		}
		return Likelihood{}
	}},
	Constant: func(r *Rows) float64 { return math.FMA(-r.Total, halfLog2Pi, r.halfLogs()) },
	Draw:     func(s prior.Source, at Row) float64 { return math.FMA(at.Disp[0], variate.Normal(s), at.Mean) },
	CDF:      func(y float64, at Row) float64 { return normalCDF((y - at.Mean) / at.Disp[0]) },
	Ends:     scaleEnds,
}

// scaleEnds are Ends of a scale: x^−(rows − flat) at ∞, and at 0 a power below 0 for a perfect fit.
func scaleEnds(e Evidence) (zero, tail float64) {
	zero, tail = math.Inf(1), e.Rows-e.Flat
	if !e.Link.Linear() {
		tail = e.Rows
	}
	if e.Perfect {
		zero = -e.Spare
	}
	return zero, tail
}

// gaussianMean: −(y − mu)²/2σ², for links other than the identity.
type gaussianMean struct{}

func (gaussianMean) Terms(r Rows, lambda, dst []float64) {
	r.Kernels.Exp(dst, lambda)
	for i, mu := range dst[:len(lambda)] {
		z := (r.Y[i] - mu) / r.Disp[0] * r.Root(i)
		dst[i] = -0.5 * float64(z*z)
	}
}

func (gaussianMean) Slopes(r Rows, lambda, grad, curv, info []float64) {
	var mus Block
	r.Kernels.Exp(mus[:], lambda)
	for i, mu := range mus[:len(lambda)] {
		sigma := r.Disp[0]
		m := mu / sigma * r.Weight(i)
		grad[i] = (r.Y[i] - mu) / sigma * m
		curv[i] = (2*mu - r.Y[i]) / sigma * m
		info[i] = m * (mu / sigma)
	}
}

func (gaussianMean) Norm(r Rows) float64 { return -r.Total * vec.Log(r.Disp[0]) }

func (gaussianMean) Scores(r Rows, lambda []float64) [2]float64 {
	sum := 0.0
	for i, l := range lambda {
		z := (r.Y[i] - vec.Exp(l)) / r.Disp[0] * r.Root(i)
		sum += float64(r.Count(i) * math.FMA(z, z, -1))
	}
	return [2]float64{sum / r.Disp[0]}
}

// sigmaLaw is a normal distribution of y, or of log y, whose rows may be censored and truncated.
func sigmaLaw(logs bool) located {
	return located{law: normal, logs: logs, place: func(sigma float64) place { return place{scale: sigma} },
		slopes: func(sigma float64) (logScale, shift float64) { return 1 / sigma, 0 }}
}
