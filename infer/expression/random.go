package expression

import (
	"math"

	"glmbatch/internal/variate"
)

// Source gives uniform numbers in the open interval (0, 1).
type Source = variate.Source

// above reports whether numbers are above 0 and not huge, without which generators might not end.
func above(of ...float64) bool {
	for _, x := range of {
		if !(x > 0 && x < 1e150) {
			return false
		}
	}
	return true
}

// random makes a function that draws, and is NaN if its arguments are not allowed.
func random(name string, args int, allowed func(a, b, c float64) bool,
	draw func(s Source, a, b, c float64) float64) *function {
	return &function{name: name, args: args, random: func(s Source, a, b, c float64) float64 {
		if s == nil || !allowed(a, b, c) {
			return math.NaN()
		}
		return draw(s, a, b, c)
	}}
}

func share(p float64) bool { return p >= 0 && p <= 1 }

// randoms are the functions that draw numbers. The parameters of gamma are shape and rate.
var randoms = []*function{
	random("uniform", 0, func(_, _, _ float64) bool { return true },
		func(s Source, _, _, _ float64) float64 { return s.Float64() }),
	random("uniform", 2, func(a, b, _ float64) bool { return a <= b },
		func(s Source, a, b, _ float64) float64 { return math.FMA(b-a, s.Float64(), a) }),
	random("normal", 2, func(_, sd, _ float64) bool { return sd >= 0 },
		func(s Source, m, sd, _ float64) float64 { return math.FMA(sd, variate.Normal(s), m) }),
	random("student_t", 3, func(df, _, scale float64) bool { return above(df, scale) },
		func(s Source, df, m, scale float64) float64 { return math.FMA(scale, variate.StudentT(s, df), m) }),
	random("exponential", 1, func(rate, _, _ float64) bool { return above(rate) },
		func(s Source, rate, _, _ float64) float64 { return variate.Exponential(s) / rate }),
	random("gamma", 2, func(shape, rate, _ float64) bool { return above(shape, rate) },
		func(s Source, shape, rate, _ float64) float64 { return variate.GammaMean(s, shape) * (shape / rate) }),
	random("beta", 2, func(a, b, _ float64) bool { return above(a, b) },
		func(s Source, a, b, _ float64) float64 { return variate.Beta(s, a, b) }),
	random("bernoulli", 1, func(p, _, _ float64) bool { return share(p) },
		func(s Source, p, _, _ float64) float64 { return variate.Binomial(s, 1, p, 1-p) }),
	random("binomial", 2, func(n, p, _ float64) bool { return share(p) && n >= 0 && n < 1<<53 && n == math.Floor(n) },
		func(s Source, n, p, _ float64) float64 { return variate.Binomial(s, n, p, 1-p) }),
	random("poisson", 1, func(m, _, _ float64) bool { return m == 0 || above(m) },
		func(s Source, m, _, _ float64) float64 { return variate.Poisson(s, m) }),
	random("negative_binomial", 2, func(m, shape, _ float64) bool { return above(m, shape) },
		func(s Source, m, shape, _ float64) float64 { return variate.NegativeBinomial(s, m, shape) }),
}
