package family

// bernoulli: y ~ bernoulli(p).
var bernoulli = &Distribution{
	Name:     "bernoulli",
	Links:    []*Link{Logit, Probit, Cloglog, Cauchit},
	Support:  binary01,
	Additive: true,
	Notation: Notation{Law: "Bernoulli(p_i)", LaTeX: `\mathrm{Bernoulli}(p_i)`, Mean: "p_i", TeX: "p_i",
		Of: probability},
	Along:    ofProbability,
	Constant: choices,
	Draw:     drawSuccesses,
	CDF:      successesUpTo,
}
