package family

import (
	"math"

	"glmbatch/internal/vec"
)

// loglogisticLaw: shape·log(y/mu) is logistic.
var loglogisticLaw = located{law: logistic, logs: true,
	place:  func(shape float64) place { return place{scale: 1 / shape} },
	slopes: func(shape float64) (logScale, shift float64) { return -1 / shape, 0 }}

// loglogistic: y of median mu and shape, odds (y/mu)^shape of an event before y.
var loglogistic = &Distribution{
	Name:        "loglogistic",
	Links:       []*Link{logLink},
	Dispersions: []Dispersion{shapeOfTimes},
	Centre:      logMedian,
	Support:     positives,
	Notation: Notation{Law: "LogLogistic(μ_i, shape)", LaTeX: `\mathrm{LogLogistic}(\mu_i, k)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: "the median response", Note: "μ is the median of y",
		Caution: "read medians and quantiles: a loglogistic response has a mean only if its shape is above 1"},
	Mean: func(eta float64, disp [2]float64) float64 {
		if !(disp[0] > 1) {
			return math.Inf(1)
		}
		inverse := 1 / disp[0] // Γ(1 + 1/shape)·Γ(1 − 1/shape)
		return vec.Exp(eta + vec.LogGamma(1+inverse) + vec.LogGamma(1-inverse))
	},
	Prepare:  logs,
	Along:    loglogisticLaw.along,
	Limited:  loglogisticLaw.limited(),
	Constant: loglogisticLaw.constant,
	Draw:     loglogisticLaw.draw,
	CDF:      loglogisticLaw.cdf,
	Ends:     inverseScaleEnds,
}
