package family

import (
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// weibullLaw: the logarithm of (y/s)^shape is extreme, s = mu/Γ(1 + 1/shape), so that mu is the mean as in brms.
var weibullLaw = located{law: extreme, logs: true,
	place: func(shape float64) place {
		inverse := 1 / shape
		return place{scale: inverse, shift: -vec.LogGamma(1 + inverse)}
	},
	slopes: func(shape float64) (logScale, shift float64) {
		inverse := 1 / shape
		return -inverse, float64(vec.Digamma(1+inverse)*inverse) * inverse
	}}

// weibull: y of mean mu and shape, hazard proportional to y^(shape − 1).
var weibull = &Distribution{
	Name:        "weibull",
	Links:       []*Link{logLink},
	Dispersions: []Dispersion{shapeOfTimes},
	Centre:      logMedian,
	Support:     positives,
	Notation: Notation{Law: "Weibull(μ_i, shape)", LaTeX: `\mathrm{Weibull}(\mu_i, k)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse, Note: "scale μ/Γ(1 + 1/shape)"},
	Prepare:  logs,
	Along:    weibullLaw.along,
	Limited:  weibullLaw.limited(),
	Constant: weibullLaw.constant,
	Draw:     weibullLaw.draw,
	CDF:      weibullLaw.cdf,
	Ends:     inverseScaleEnds,
}

// shapeOfTimes is the shape of weibull and loglogistic, with the prior of brms.
var shapeOfTimes = Dispersion{Name: "shape", Concentrates: true,
	Default: func(float64) prior.Prior { return prior.Prior{Kind: prior.Gamma, Shape: 0.01, Rate: 0.01} }}
