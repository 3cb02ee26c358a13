package family

// binomial: y ~ binomial(trials, p).
var binomial = &Distribution{
	Name:     "binomial",
	Links:    []*Link{Logit, Probit, Cloglog, Cauchit},
	Support:  successes,
	Additive: true,
	Notation: Notation{Law: "Binomial(n_i, p_i)", LaTeX: `\mathrm{Binomial}(n_i, p_i)`, Mean: "p_i", TeX: "p_i",
		Of: probability},
	Along:    ofProbability,
	Constant: choices,
	Draw:     drawSuccesses,
	CDF:      successesUpTo,
}
