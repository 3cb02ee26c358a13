package family

import (
	"math"
	"testing"
)

// In log space the tails of binary links are exact far beyond where
// probabilities underflow.
func TestBinaryTails(t *testing.T) {
	for _, c := range []struct {
		link             string
		eta, logP, first float64
	}{
		{"probit", -700, -245007.4700188, 700.0014285685},
		{"cloglog", -700, -700, 1}, {"cauchit", -700, -math.Log(700*math.Pi) - 1/(3*700.0*700), 1.0 / 700},
	} {
		l := Family{Name: "bernoulli", Link: c.link}.Of().tails
		first, _ := l.slopeP(c.eta)
		if !(math.Abs(l.logP(c.eta)/c.logP-1) <= 1e-11) || math.Abs(first/c.first-1) > 1e-5 {
			t.Errorf("%s at %v: log p %v, slope %v, want %v and %v", c.link, c.eta, l.logP(c.eta), first, c.logP, c.first)
		}
	}
}
