package cggibbs_test

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Auto takes slices between tangents for rare events: few counts, few successes, few failures, few of many trials, and
// not for others. Frequencies count.
func TestRareEventsHaveTangents(t *testing.T) {
	const n = 400
	few, many := make([]float64, n), make([]float64, n)
	ones, hundreds := make([]float64, n), make([]float64, n)
	for i := range n {
		many[i], ones[i], hundreds[i] = float64(i%2), 1, 100
		if i%100 == 0 {
			few[i] = 1
		}
	}
	most := make([]float64, n)
	for i, y := range few {
		most[i] = 1 - y
	}
	for name, c := range map[string]struct {
		family, link         string
		y, trials, frequency []float64
		want                 bool
	}{
		"few counts":               {"poisson", "log", few, nil, nil, true},
		"many counts":              {"poisson", "log", many, nil, nil, false},
		"few rows of many counts":  {"poisson", "log", few, nil, hundreds, false},
		"few successes":            {"bernoulli", "logit", few, nil, nil, true},
		"few failures":             {"bernoulli", "logit", most, nil, nil, true},
		"many of both":             {"bernoulli", "logit", many, nil, nil, false},
		"few successes of trials":  {"binomial", "logit", few, hundreds, nil, true},
		"many successes of trials": {"binomial", "logit", hundreds, hundreds, nil, true},
		"half of the trials":       {"binomial", "logit", many, ones, nil, false},
	} {
		x := design.NewDense(n, 3)
		for i := range n {
			x.Col(0)[i], x.Col(1)[i], x.Col(2)[i] = 1, float64(i%7)/3-1, float64(i%11)/5-1
		}
		normal := prior.Prior{Kind: prior.Normal, Scale: 2.5}
		target, err := glm.NewTarget(&glm.Data{X: x, Names: []string{"(Intercept)", "a", "b"}, Y: c.y, Trials: c.trials,
			Frequency: c.frequency}, glm.Model{Family: glm.Family{Name: c.family, Link: c.link},
			Coefficients: []prior.Prior{normal, normal, normal}})
		must(t, err)
		setup, err := cggibbs.New(target, cggibbs.Options{Basis: "auto"})
		must(t, err)
		words := setup.(infer.Explainer).Explain()
		if got := strings.Contains(words, "updates: tangent"); got != c.want {
			t.Errorf("%s: %s, want tangents %v", name, words, c.want)
		}
	}
}
