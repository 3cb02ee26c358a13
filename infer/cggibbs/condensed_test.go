package cggibbs

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// From a condensed gaussian likelihood auto samples the posterior of all rows. False alarms: at most 1e-6. Power: a
// distance of 0.19 between distributions with 460 pairs, of 0.029 in full.
func TestCondensedInvariance(t *testing.T) {
	c := mixed(infertest.Gaussian(20, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}))
	if words := explained(t, simulated(t, c)); !strings.Contains(words, "20 rows told by 4") {
		t.Errorf("not condensed: %s", words)
	}
	for _, joint := range []string{"off", "auto"} {
		infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(Options{Basis: "auto", Joint: joint}), Seed: infertest.Seed(t),
			Steps: 3, Pairs: infertest.Scale(460, 20_000)})
		infertest.Conformance(t, simulated(t, c), sampler(Options{Basis: "auto", Joint: joint}))
	}
}

// From grouped rows auto samples the posterior of all rows, and reports the grouping. False alarms: at most 1e-6
// for each check. Power: a distance of 0.19 between distributions with 460 pairs, of 0.029 in full.
func TestGroupedInvariance(t *testing.T) {
	for _, c := range []infertest.Case{mixed(infertest.Bernoulli(24)), infertest.Poisson(24)} {
		x, offset := c.Data.X.(*design.Dense), append([]float64(nil), c.Data.Offset...)
		for i := range 24 {
			for j := range 3 {
				x.Col(j)[i] = x.Col(j)[i%5]
			}
			offset[i] = offset[i%5]
		}
		c.Data.Offset = offset
		if words := explained(t, simulated(t, c)); !strings.Contains(words, "; 24 rows told by 5, responses of equal predictors summed") {
			t.Errorf("%s: not grouped: %s", c.Name, words)
		}
		for _, joint := range []string{"off", "auto"} {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(Options{Basis: "auto", Joint: joint}), Seed: infertest.Seed(t),
				Steps: 3, Pairs: infertest.Scale(460, 20_000)})
			infertest.Conformance(t, simulated(t, c), sampler(Options{Basis: "auto", Joint: joint}))
		}
	}
}

// explained returns the words of auto.
func explained(t *testing.T, target *glm.Target) string {
	t.Helper()
	s, err := New(target, Options{Basis: "auto"})
	must(t, err)
	return s.(infer.Explainer).Explain()
}
