package transform

import (
	"math"
	"slices"

	"glmbatch/infer/glm"
)

// derivedFunctions are functions of one number: those of formulas, with NaN
// instead of an error where they have no value, and inverse links.
var derivedFunctions = map[string]func(x float64) float64{
	"exp": defined(exponential, math.Inf(-1)), "sqrt": math.Sqrt, "abs": math.Abs,
	"log": defined(positive(naturalLog), 0), "log2": defined(positive(log2), 0), "log10": defined(positive(log10), 0),
	"log1p":    defined(log1p, -1),
	"logistic": inverseLink("logit"), "plogis": inverseLink("logit"), "pnorm": inverseLink("probit"),
	"pcauchy": inverseLink("cauchit"), "inv_cloglog": inverseLink("cloglog"),
}

// defined is f from low on and NaN elsewhere.
func defined(f func(float64) float64, low float64) func(float64) float64 {
	return func(x float64) float64 {
		if !(x >= low) {
			return math.NaN()
		}
		return f(x)
	}
}

func inverseLink(link string) func(float64) float64 {
	family := glm.Family{Link: link}
	return func(x float64) float64 {
		one := [1]float64{x}
		family.Means(one[:], one[:])
		return one[0]
	}
}

// derivedNames lists the functions of derived quantities.
func derivedNames() []string {
	names := append(slices.Clone(points), extremes...)
	//maporder:ok the names are sorted before they are looked at
	for name := range derivedFunctions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
