package variate

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A step from a scale drawn from its prior, given a coefficient drawn from it, must not change the joint
// distribution: the scale half Cauchy, and the coefficient over the new scale normal (for tau, the squares of three
// of them χ² with 3 degrees).
//
// False alarms: at most 1e-6 per run, split over 4 laws. Power: 40,000 draws put
// the limit at 0.0136; half without its factor ½ is caught.
func TestHorseshoeSteps(t *testing.T) {
	n := 40_000
	if os.Getenv("GLMBATCH_STAT") == "1" {
		n = 4_000_000
	}
	limit := math.Sqrt(math.Log(2/(1e-6/4)) / (2 * float64(n)))
	halfCauchy := func(x float64) float64 { return 2 * math.Atan(x) / math.Pi }
	const tau0, lambda = 0.3, 2.5 // of the three coefficients under tau
	check := func(fault float64) (worst float64) {
		src := rand.New(rand.NewPCG(13, 14))
		scale, rest := make([]float64, n), make([]float64, n)
		for i := range n {
			before := HalfCauchy(src)
			beta := before * Normal(src)
			scale[i] = math.Exp(LocalScale(src, math.Log(before), fault*0.5*beta*beta))
			rest[i] = beta / scale[i]
		}
		worst = max(distance(scale, halfCauchy), distance(rest, normalCDF))
		for i := range n {
			before := tau0 * HalfCauchy(src)
			sum := 0.0
			for range 3 {
				beta := before * lambda * Normal(src)
				sum += beta * beta
			}
			tau := math.Exp(GlobalScale(src, math.Log(before), math.Log(tau0), fault*0.5*sum/(lambda*lambda), 3))
			scale[i], rest[i] = tau/tau0, sum/(lambda*lambda*tau*tau)
		}
		return max(worst, distance(scale, halfCauchy), distance(rest, chi3CDF))
	}
	if d := check(1); d > limit {
		t.Errorf("Kolmogorov distance %.4f, limit %.4f", d, limit)
	}
	if d := check(2); d <= limit {
		t.Errorf("a factor of 2 is not caught: distance %.4f, limit %.4f", d, limit)
	}
}
