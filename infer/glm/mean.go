package glm

import (
	"math"

	"glmbatch/internal/vec"
)

// Means writes the inverse link of each linear predictor to dst, which may be
// eta: the mean of a response, for student_t its location, for binomial the
// probability of one trial. Outside the link's domain it is NaN.
//
// Cost: O(len(eta)). It panics for a link that is not in the table of families.
func (f Family) Means(eta, dst []float64) {
	mean := inverseLinks[f.Link]
	if mean == nil {
		panic("glm: link " + f.Link + " has no inverse")
	}
	for i, e := range eta {
		dst[i] = mean(e)
	}
}

// inverseLinks are the means of the links of all families.
var inverseLinks = map[string]func(eta float64) float64{
	"identity": func(eta float64) float64 { return eta },
	"log":      vec.Exp,
	"inverse":  beyondWall(func(eta float64) float64 { return 1 / eta }),
	"sqrt":     beyondWall(func(eta float64) float64 { return eta * eta }),
	"1/mu^2":   beyondWall(func(eta float64) float64 { return 1 / math.Sqrt(eta) }),
	"logit":    vec.Logistic,
	"probit":   func(eta float64) float64 { return vec.Exp(vec.LogNormalCDF(eta)) },
	"cloglog":  func(eta float64) float64 { return complementary(vec.Exp(eta)) },
	"cauchit":  vec.CauchyCDF,
}

// beyondWall is NaN unless eta > 0.
func beyondWall(mean func(float64) float64) func(float64) float64 {
	return func(eta float64) float64 {
		if !(eta > 0) {
			return math.NaN()
		}
		return mean(eta)
	}
}

// complementary returns 1 − e^−w for w ≥ 0 without cancellation.
func complementary(w float64) float64 {
	if w > 0.5 {
		return 1 - vec.Exp(-w)
	}
	return w * shrink(w)
}
