package family

// exponentialLaw is that of weibull with the shape 1.
var exponentialLaw = located{law: extreme, logs: true,
	place:  func(float64) place { return place{scale: 1} },
	slopes: func(float64) (logScale, shift float64) { return 0, 0 }}

// exponential: y of mean mu, with a constant hazard 1/mu.
var exponential = &Distribution{
	Name:    "exponential",
	Links:   []*Link{logLink},
	Centre:  logMedian,
	Support: positives,
	Notation: Notation{Law: "Exponential(μ_i)", LaTeX: `\mathrm{Exponential}(\mu_i)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse, Note: "hazard 1/μ"},
	Prepare:  logs,
	Along:    exponentialLaw.along,
	Limited:  exponentialLaw.limited(),
	Constant: exponentialLaw.constant,
	Draw:     exponentialLaw.draw,
	CDF:      exponentialLaw.cdf,
}
