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
		{Pattern: "*", Prior: normal(2)}, {Pattern: "race*", Prior: normal(3)}, {Pattern: "raceblack", Prior: normal(4)},
		{Pattern: "ra*", Prior: normal(5)}, {Pattern: "race????e", Prior: normal(6)}, {Pattern: "*a*", Prior: normal(7)},
		{Pattern: "x*", Prior: normal(8)}, {Pattern: "*x", Prior: normal(9)},
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
