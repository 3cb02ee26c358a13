package family

// table is the table of families, in the order in which they are listed.
var table = []*Distribution{gaussian, studentT, bernoulli, binomial, poisson, negativeBinomial, gamma, inverseGaussian,
	beta, lognormal, skewNormal, exgaussian}

// Table returns the families; it must not be changed.
func Table() []*Distribution { return table }
