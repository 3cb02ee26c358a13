package family

import "slices"

// table is the table of families, in the order in which they are listed.
var table = []*Distribution{gaussian, studentT, bernoulli, binomial, poisson, negativeBinomial, gamma, inverseGaussian,
	beta, lognormal, skewNormal, exgaussian, weibull, exponential, loglogistic, frechet,
	piecewiseExponential, categorical,
	zeroInflatedPoisson, zeroInflatedNegativeBinomial, hurdlePoisson, hurdleNegativeBinomial, hurdleGamma,
	hurdleLognormal, cumulative, sratio, cratio, acat, betaBinomial, zeroInflatedBinomial,
	zeroInflatedBetaBinomial, zeroInflatedBeta, zeroOneInflatedBeta, multinomial}

// given are the likelihoods along one of several linear predictors. No spec names them.
var given = slices.Concat(scales(gaussian, studentT, lognormal, skewNormal), parts(zeroFamilies), orderings(),
	varyingViews(table), []*Distribution{ones()})

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
