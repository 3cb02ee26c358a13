package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// lognormal: log y ~ normal(mu, sigma²/precision), as in brms.
var lognormal = &Distribution{
	Name:  "lognormal",
	Links: []*Link{logLocation},
	// sigma has no unit: 1 is a coefficient of variation of 1.3.
	Dispersions: []Dispersion{{Name: "sigma", Power: -2, Start: 1, Concentrates: true,
		Default: func(float64) prior.Prior { return prior.DefaultSigma(1) }}},
	Support: positives,
	Notation: Notation{Law: "LogNormal(μ_i, sigma²)", LaTeX: `\mathrm{LogNormal}(\mu_i, \sigma^2)`, Mean: "μ_i",
		TeX: `\mu_i`, Of: meanResponse, Note: "μ is the mean of log y, exp(μ + sigma²/2) that of y",
		Caution: "read medians and quantiles: the posterior mean of exp(μ + sigma²/2) exists only if sigma is fixed, or " +
			"its prior falls faster than exp(−sigma²/2)"},
	Mean:    func(eta float64, disp [2]float64) float64 { return vec.Exp(math.FMA(0.5*disp[0], disp[0], eta)) },
	Prepare: logs,
	// The log density is a parabola in eta.
	Along:   func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: normalLaw{}, Concave: true} },
	Limited: sigmaLaw(true).limited(),
	Constant: func(r *Rows) float64 {
		logs := r.sum(func(i int) float64 { return r.LogY[i] })
		return r.halfLogs() + math.FMA(-r.Total, halfLog2Pi, -logs)
	},
	Draw: func(s prior.Source, at Row) float64 {
		y := vec.Exp(math.FMA(at.Disp[0], variate.Normal(s), at.Eta))
		return math.Min(math.Max(LeastPositive, y), MostPositive)
	},
	CDF: func(y float64, at Row) float64 {
		if !(y > 0) {
			return 0
		}
		return normalCDF((vec.Log(y) - at.Eta) / at.Disp[0])
	},
	// The likelihood is gaussian(identity) for log y, with its powers.
	Ends: func(e Evidence) (zero, tail float64) {
		if e.Perfect {
			return -e.Spare, e.Rows - e.Flat
		}
		return math.Inf(1), e.Rows - e.Flat
	},
}

// logLocation has the mean of log y as eta, whose exponential is the median of y.
var logLocation = &Link{Name: "identity", Eta: "mu", Mean: "eta", Scale: "the mean of the logarithm",
	Effect: "multiplies the response by exp(b)", Factor: true, Inverse: vec.Exp, Of: vec.Log}

// normalLaw: −(y − eta)²·precision/2sigma², of log y if the family reads it.
type normalLaw struct{}

func (normalLaw) Terms(r Rows, eta, dst []float64) {
	at := r.located()[:len(eta)]
	if r.Roots != nil && r.Disp[0] == 1 { // as rows with scales of their own have it
		for i, root := range r.Roots[:len(eta)] {
			z := (at[i] - eta[i]) * root
			dst[i] = -0.5 * float64(z*z)
		}
		return
	}
	for i, e := range eta {
		z := (at[i] - e) / r.Disp[0] * r.Root(i)
		dst[i] = -0.5 * float64(z*z)
	}
}

func (normalLaw) Slopes(r Rows, eta, grad, curv, info []float64) {
	at := r.located()
	for i, e := range eta {
		precision := r.Weight(i) / r.Disp[0] / r.Disp[0]
		grad[i], curv[i], info[i] = (at[i]-e)*precision, precision, precision
	}
}

func (normalLaw) Norm(r Rows) float64 { return -r.Total * vec.Log(r.Disp[0]) }

func (normalLaw) Scores(r Rows, eta []float64) [2]float64 {
	at, sum := r.located(), 0.0
	for i, e := range eta {
		z := (at[i] - e) / r.Disp[0] * r.Root(i)
		sum += float64(r.Count(i) * math.FMA(z, z, -1))
	}
	return [2]float64{sum / r.Disp[0]}
}
