package prior

import (
	"math"
	"testing"
)

// The variance of a coefficient is a mean of 1 and its weight, or 1 over it; slopes are derivatives.
func TestShare(t *testing.T) {
	for _, precision := range []bool{false, true} {
		s := Share{Weights: []float64{0, 0.3, 1, 2.6}, Precision: precision, Prior: Prior{Kind: Beta, Shape: 2, Rate: 3}}
		for _, rho := range []float64{0.02, 0.5, 0.97} {
			x := s.At(rho)
			if back := s.Value(x); math.Abs(back-rho) > 1e-15 {
				t.Errorf("rho %v comes back as %v", rho, back)
			}
			const step = 1e-5
			derivative := func(f func(x float64) float64) float64 { return (f(x+step) - f(x-step)) / (2 * step) }
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 1e-8*(1+math.Abs(want)) {
					t.Errorf("%s at rho = %v, precision %v: %v, want %v", what, rho, precision, got, want)
				}
			}
			near("log Jacobian", s.LogJacobian(x), math.Log(derivative(s.Value)))
			near("density", s.logPrior(x), math.Log(12*rho*(1-rho)*(1-rho)))
			near("slope of the prior", s.priorSlope(x),
				derivative(func(x float64) float64 { return s.logPrior(x) + s.LogJacobian(x) }))
			for i, a := range s.Weights {
				want := 1 - rho + rho*a
				if precision {
					want = 1 / want
				}
				near("variance", math.Exp(2*s.logSpread(x, i)), want)
				near("slope", s.slope(x, i), derivative(func(x float64) float64 { return s.logSpread(x, i) }))
			}
		}
		if far := s.logSpread(1e4, 0); math.IsInf(far, 0) || !math.IsInf(s.logPrior(1e4), -1) {
			t.Errorf("far from 0: spread %v, density %v", far, s.logPrior(1e4))
		}
	}
}
