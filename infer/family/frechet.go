package family

import (
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// frechetLaw: the logarithm of (y/s)^−nu is extreme, s = mu/Γ(1 − 1/nu), so that mu is the mean as in brms.
var frechetLaw = located{law: extreme, logs: true, mirrored: true,
	place: func(nu float64) place { return place{scale: -1 / nu, shift: -vec.LogGamma((nu - 1) / nu)} },
	slopes: func(nu float64) (logScale, shift float64) {
		inverse := 1 / nu
		return -inverse, -float64(vec.Digamma((nu-1)*inverse)*inverse) * inverse
	}}

// frechet: y of mean mu with a tail y^−nu, nu > 1.
var frechet = &Distribution{
	Name:  "frechet",
	Links: []*Link{logLink},
	Dispersions: []Dispersion{{Name: "nu", Lower: 1, Concentrates: true, Start: 3,
		Default: func(float64) prior.Prior { return prior.DefaultNu }}},
	Centre:  logMedian,
	Support: positives,
	Notation: Notation{Law: "Frechet(μ_i, nu)", LaTeX: `\mathrm{Frechet}(\mu_i, \nu)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse, Note: "scale μ/Γ(1 − 1/nu)"},
	Prepare:  logs,
	Along:    frechetLaw.along,
	Limited:  frechetLaw.limited(),
	Constant: frechetLaw.constant,
	Draw:     frechetLaw.draw,
	CDF:      frechetLaw.cdf,
	// The likelihood has a finite limit at nu = 1 if the location follows the shift of the mean, and falls otherwise.
	Ends: func(e Evidence) (zero, tail float64) {
		_, tail = inverseScaleEnds(e)
		return 0, tail
	},
}
