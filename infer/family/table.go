package family

// table is the table of families, in the order in which they are listed.
var table = []*Distribution{gaussian, studentT, bernoulli, binomial, poisson, negativeBinomial, gamma, inverseGaussian,
	beta, lognormal, skewNormal, exgaussian, categorical, zeroInflatedPoisson, zeroInflatedNegativeBinomial, hurdlePoisson,
	hurdleNegativeBinomial, hurdleGamma, hurdleLognormal}

// given are the likelihoods along one of several linear predictors. No spec names them.
var given = append(scales(gaussian, studentT, lognormal, skewNormal), parts(zeroFamilies)...)

// Table returns the families; it must not be changed.
func Table() []*Distribution { return table }

// OfOne returns the families of one linear predictor.
func OfOne() (out []*Distribution) {
	for _, l := range table {
		if l.Family().Several() == nil {
			out = append(out, l)
		}
	}
	return out
}
