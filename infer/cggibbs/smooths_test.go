package cggibbs

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

func TestSmoothConformance(t *testing.T) {
	for _, c := range infertest.SmoothCases() {
		for _, o := range []Options{{RefreshEvery: 3}, {Scan: "random"}, {Basis: "auto", RefreshEvery: 3}} {
			t.Run(c.Name, func(t *testing.T) {
				_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
				if err != nil {
					t.Fatal(err)
				}
				infertest.Conformance(t, target, sampler(o))
			})
		}
	}
}

// unswept draws all coefficients at once with the standard deviations of smooths, and never sweeps.
func unswept(target *glm.Target) (infer.Setup, error) {
	s, err := New(target, Options{Basis: "auto"})
	if s, ok := s.(*smoothSetup); ok {
		s.every = 0
	}
	return s, err
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.13 between laws with 1,000 pairs, of 0.029 with
// GLMBATCH_STAT=1.
func TestSmoothInvariance(t *testing.T) {
	if testing.Short() {
		t.Skip("statistical; run without -short")
	}
	seed := infertest.Seed(t)
	samplers := map[string]infertest.Sampler{"coordinate": sampler(Options{}), "auto": sampler(Options{Basis: "auto"}), "drawn": unswept}
	for _, c := range infertest.SmoothCases() {
		for name, s := range samplers {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: s, Seed: seed, Pairs: infertest.Scale(1000, 20_000)})
			})
		}
	}
}
