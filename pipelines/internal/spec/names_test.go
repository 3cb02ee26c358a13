package spec

import (
	"testing"

	"glmbatch/infer/prior"
)

// TestPriorFor checks that the more exact pattern wins, whatever the order.
func TestPriorFor(t *testing.T) {
	normal := func(scale float64) CoefficientPrior {
		return CoefficientPrior{prior.Prior{Kind: prior.Normal, Scale: scale}}
	}
	p := Priors{Coefficients: normal(1), ByName: []*NamedPrior{
		{"*", normal(2)}, {"race*", normal(3)}, {"raceblack", normal(4)}, {"ra*", normal(5)}, {"race????e", normal(6)}, {"*a*", normal(7)}, {"x*", normal(8)}, {"*x", normal(9)},
	}}
	for name, want := range map[string]float64{
		"age": 7, "race": 3, "raceblack": 4, "racewhite": 6, "racier": 5, "b": 2, "x1": 8, "fx": 9, "xx": 8,
	} {
		if got := p.For(name).Scale; got != want {
			t.Errorf("%s: prior %g, want %g", name, got, want)
		}
	}
	p.ByName = nil
	if got := p.For("age").Scale; got != 1 {
		t.Errorf("without by_name: %g", got)
	}
}
