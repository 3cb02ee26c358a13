package model_test

import (
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// studies are the models that the tests of this package are of.
var studies = map[string]study{
	"two":       {rows: 25, classes: 2, columns: 2},
	"three":     {rows: 25, classes: 3, columns: 3},
	"five":      {rows: 40, classes: 5, columns: 2},
	"weighted":  {rows: 20, classes: 3, columns: 2, weighted: true},
	"student_t": {rows: 20, classes: 3, columns: 3, law: prior.Prior{Kind: prior.StudentT, Scale: 1.5, DF: 4}},
	"laplace":   {rows: 20, classes: 3, columns: 2, law: prior.Prior{Kind: prior.Laplace, Scale: 1}},
	"groups":    {rows: 40, classes: 3, columns: 2, levels: 4},
	"linked":    {rows: 40, classes: 3, columns: 2, levels: 4, terms: []int{1, 1}},
	"sparse":    {rows: 40, classes: 3, columns: 9, sparse: true},

	"multinomial":                     {rows: 15, classes: 3, columns: 3, trials: 4},
	"multinomial of two, weighted":    {dear: true, rows: 15, classes: 2, columns: 2, trials: 3, weighted: true},
	"multinomial by groups, weighted": {rows: 20, classes: 4, columns: 2, trials: 5, levels: 4, weighted: true},
	"multinomial, many rows":          {dear: true, rows: 2100, classes: 3, columns: 3, trials: 4},

	"cumulative": {of: ordered("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 3, rows: 25, columns: 3},
	"cumulative by group": {dear: true, of: ordered("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 2, rows: 40,
		columns: 2, levels: 4},
	"cumulative probit with disc": {dear: true, of: discriminating("cumulative", "probit"), density: cumulative(inverseProbit),
		cuts: 2, rows: 25, columns: 2},
	"classes without rows": {of: discriminating("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 3,
		rows: 60, columns: 2, levels: 5, law: prior.Prior{Kind: prior.Normal, Scale: 6}},
	"sratio cloglog": {of: ordered("sratio", "cloglog"), density: stopping(inverseCloglog), cuts: 2, rows: 25,
		columns: 3, smooth: 2},
	"cratio with disc": {of: discriminating("cratio", "cauchit"), density: continuing(inverseCauchit), cuts: 2, rows: 30,
		columns: 2, weighted: true},
	"acat by group": {of: ordered("acat", "logit"), density: adjacent, cuts: 3, rows: 40, columns: 2, levels: 4},

	"cumulative, many rows": {of: ordered("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 3, rows: 2100,
		columns: 3},
	"hurdle_gamma, many rows": {of: family.Named("hurdle_gamma").Family(), density: hurdle(gamma, false), rows: 2100,
		columns: 3, shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"categorical, many rows": {rows: 2100, classes: 3, columns: 3},

	"shape": {of: predicted("negative_binomial", "shape"), density: spread(negativeBinomial), rows: 30, columns: 3},
	"shape by group": {dear: true, of: predicted("gamma", "shape"), density: spread(gamma), rows: 40, columns: 2, levels: 4,
		weighted: true},
	"phi":          {dear: true, of: predicted("beta", "phi"), density: spread(beta), rows: 25, columns: 3},
	"nu":           {dear: true, of: predicted("student_t", "nu"), density: degrees, rows: 20, columns: 2, shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"sigma and nu": {dear: true, of: predicted("student_t", "sigma", "nu"), density: degrees, rows: 20, columns: 2},
	"alpha":        {dear: true, of: predicted("skew_normal", "alpha"), density: skewness, rows: 20, columns: 2, shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"zi and shape": {of: predicted("zero_inflated_negative_binomial", "shape"), density: inflated(negativeBinomial), rows: 30,
		columns: 2, sparse: true},
	"hu and shape": {dear: true, of: predicted("hurdle_negative_binomial", "shape"), density: hurdle(negativeBinomial, true), rows: 30, columns: 2},
	"hu and sigma": {dear: true, of: predicted("hurdle_gamma", "shape"), density: hurdle(gamma, false), rows: 30, columns: 2},
	"sigma of censored rows": {of: censoring("lognormal"), density: censored(3, lognormal, func(eta []float64) float64 {
		return math.Erfc((math.Log(3)-eta[0])/math.Exp(eta[1])/math.Sqrt2) / 2
	}), bound: 3, rows: 25, columns: 2},
	"shape of censored rows by smooth": {dear: true, of: censoring("weibull", "shape"), density: censored(3, spread(weibull), func(eta []float64) float64 {
		s := math.Exp(eta[1])
		return math.Exp(-math.Exp(s * (math.Log(3) - eta[0] + logGamma(1+1/s))))
	}), bound: 3, rows: 30, columns: 4, smooth: 2},

	"hazard in pieces": {of: censoring("piecewise_exponential", "from0.5", "from1.5"), density: pieces(0.5, 1.5), bound: 3,
		rows: 30, columns: 2},
	"hazard in pieces by group": {dear: true, of: censoring("piecewise_exponential", "from1"), density: pieces(1), bound: 3,
		rows: 40, columns: 2, levels: 4},

	"sigma":  {of: predicted("gaussian"), density: gaussian, rows: 20, columns: 3},
	"smooth": {rows: 30, classes: 3, columns: 4, smooth: 2},
	"sigma by smooth": {dear: true, of: predicted("student_t"), density: student, rows: 25, columns: 5, smooth: 3,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 0.5}},
	"zero_inflated_poisson by smooth": {dear: true, of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson),
		rows: 30, columns: 5, smooth: 3},
	"sigma by group": {of: predicted("gaussian"), density: gaussian, rows: 40, columns: 2, levels: 4},
	"log sigma of a weighted lognormal": {of: predicted("lognormal"), density: lognormal, rows: 20, columns: 3,
		weighted: true},
	"sigma of student_t": {dear: true, of: predicted("student_t"), density: student, rows: 25, columns: 2,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 0.5}},
	"sigma of skew_normal": {dear: true, of: predicted("skew_normal"), density: skewNormal, rows: 25, columns: 2,
		shape: prior.Prior{Kind: prior.Normal, Location: 2, Scale: 0.3}},
	"zero_inflated_poisson": {of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson), rows: 30,
		columns: 3},
	"zero_inflated_poisson by group": {of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson),
		rows: 40, columns: 2, levels: 4, weighted: true},
	"zero_inflated_poisson by linked groups": {of: family.Named("zero_inflated_poisson").Family(),
		density: inflated(poisson), rows: 60, columns: 2, levels: 6, terms: []int{2, 1}},
	"equal rows by group": {of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson), rows: 80,
		columns: 2, levels: 3, repeated: true},
	"equal rows, weighted": {rows: 60, classes: 3, columns: 2, weighted: true, repeated: true},
	"many columns by group": {of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson), rows: 15,
		columns: 5, levels: 3},
	"many columns of classes by group": {dear: true, rows: 60, classes: 3, columns: 4, levels: 4},
	"disc by linked groups": {dear: true, of: discriminating("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 2,
		rows: 40, columns: 2, levels: 4, terms: []int{1, 1, 0, 0}},
	"zero_inflated_negative_binomial": {dear: true, of: family.Named("zero_inflated_negative_binomial").Family(),
		density: inflated(negativeBinomial), rows: 30, columns: 2, sparse: true,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"hurdle_poisson": {of: family.Named("hurdle_poisson").Family(), density: hurdle(poisson, true), rows: 30, columns: 3},
	"hurdle_negative_binomial": {of: family.Named("hurdle_negative_binomial").Family(),
		density: hurdle(negativeBinomial, true), rows: 30, columns: 2, weighted: true,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"hurdle_gamma": {dear: true, of: family.Named("hurdle_gamma").Family(), density: hurdle(gamma, false), rows: 30, columns: 2,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"hurdle_lognormal": {of: family.Named("hurdle_lognormal").Family(), density: hurdle(func(y, eta, s float64) float64 {
		return lognormal(y, []float64{eta, math.Log(s)}, 0)
	}, false), rows: 30, columns: 2, shape: prior.Prior{Kind: prior.HalfNormal, Scale: 1}},

	"custom": {of: custom("", "lgamma(y + s) - lgamma(s) - lgamma(y + 1) + s * log(s / (s + mu)) + y * log(mu / (s + mu))",
		"negative_binomial(mu, s)"), density: spread(negativeBinomial), rows: 30, columns: 3},
	"custom by group": {dear: true, of: custom("s", "normal_lpdf(y, log(mu), s)", "normal(log(mu), s)"), density: gaussian,
		rows: 40, columns: 2, levels: 4, weighted: true},

	"equidistant": {dear: true, of: ordered("cumulative", "probit"), density: cumulative(inverseProbit), cuts: 3, rows: 15, columns: 2,
		equal: true},
	"acat, equidistant": {of: ordered("acat", "logit"), density: adjacent, cuts: 3, rows: 12, columns: 2, equal: true},
	"category-specific": {of: ordered("sratio", "cloglog"), density: stopping(inverseCloglog), cuts: 2, rows: 12,
		columns: 2, specific: 1},
	"acat, category-specific by group": {of: ordered("acat", "logit"), density: adjacent, cuts: 2, rows: 12,
		columns: 2, specific: 1, levels: 3},

	"mo": {of: family.Named("gaussian").Family(), density: func(y float64, eta []float64, sd float64) float64 {
		return gaussian(y, []float64{eta[0], math.Log(sd)}, 0)
	}, alone: true, rows: 25, columns: 5, steps: 3, shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}},
	"mo by group": {of: family.Named("poisson").Family(), density: func(y float64, eta []float64, _ float64) float64 {
		return poisson(y, eta[0], 0)
	}, alone: true, rows: 30, columns: 3, steps: 2, levels: 3},
	"mo of cumulative": {dear: true, of: ordered("cumulative", "logit"), density: cumulative(inverseLogit), cuts: 2, rows: 25,
		columns: 3, steps: 3},
	"mo of two predictors": {of: family.Named("zero_inflated_poisson").Family(), density: inflated(poisson), rows: 25,
		columns: 4, steps: 2},
	"zero_inflated_binomial": {of: family.Named("zero_inflated_binomial").Family(), density: inflated(binomialOf5), rows: 30,
		columns: 3, trials: 5},
	"zero_inflated_beta_binomial by group": {of: family.Named("zero_inflated_beta_binomial").Family(),
		density: inflated(betaBinomialOf5), rows: 40, columns: 2, trials: 5, levels: 4, weighted: true,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 1}},
	"zero_inflated_beta": {dear: true, of: family.Named("zero_inflated_beta").Family(), density: hurdle(beta, false), rows: 30, columns: 2,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 1}},
	"zero_inflated_beta by group": {dear: true, of: family.Named("zero_inflated_beta").Family(),
		density: hurdle(beta, false), rows: 40, columns: 2, levels: 4,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 1}},
	"zero_one_inflated_beta, phi": {dear: true, of: predicted("zero_one_inflated_beta", "phi"),
		density: func(y float64, eta []float64, _ float64) float64 { return zerosAndOnes(y, eta, math.Exp(eta[3])) }, rows: 30,
		columns: 2},
	"zero_one_inflated_beta": {of: family.Named("zero_one_inflated_beta").Family(), density: zerosAndOnes, rows: 30, columns: 2,
		shape: prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 1}},
}

// predicted returns a family whose sigma has a predictor, or other parameters have such.
func predicted(name string, parameters ...string) family.Family {
	f := family.Named(name).Family()
	if parameters == nil {
		parameters = []string{"sigma"}
	}
	for _, of := range parameters {
		f, _ = f.WithPredictor(of)
	}
	return f
}

// censoring is predicted with rows that may be censored.
func censoring(name string, parameters ...string) family.Family {
	f, _ := predicted(name, parameters...).WithLimits(family.Censored)
	return f
}
