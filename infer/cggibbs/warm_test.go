package cggibbs

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// wideTarget is a logistic posterior whose priors are some 500 times as wide as it.
func wideTarget(t *testing.T) *glm.Target {
	t.Helper()
	const n, d = 100, 3
	s := infer.NewStream(5, "warm")
	x, y := design.NewDense(n, d), make([]float64, n)
	for i := range n {
		x.Col(0)[i] = 1
		for j := 1; j < d; j++ {
			x.Col(j)[i] = variate.Normal(s)
		}
		if variate.Normal(s)+x.Col(1)[i] > 0 {
			y[i] = 1
		}
	}
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}, Coefficients: make([]prior.Prior, d)}
	for j := range m.Coefficients {
		m.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 100}
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: 0}, m)
	must(t, err)
	return target
}

// counted draws 300 sweeps and returns the evaluations of an update.
func counted(t *testing.T, target *glm.Target) float64 {
	t.Helper()
	s, err := New(target, Options{})
	must(t, err)
	k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "warm")})
	must(t, err)
	total := int64(0)
	for range 300 {
		info, err := k.Step()
		must(t, err)
		total += info.Evaluations
	}
	return float64(total) / float64(300*target.Dim())
}

// An earlier posterior's scales halve the evaluations of an update under wide
// priors, and are never wider than the prior's own.
func TestEarlierScalesSpareEvaluations(t *testing.T) {
	target := wideTarget(t)
	earlier := glm.Previous{Mean: make([]float64, 3), SD: []float64{0.25, 0.3, math.NaN()}}
	warm, err := target.From(earlier)
	must(t, err)
	if got := []float64{unit(warm, 0), unit(warm, 1), unit(warm, 2)}; got[0] != 1.25 || got[1] != 1.5 || got[2] != 100 {
		t.Errorf("units of width %v, want 5 earlier standard deviations, and the prior's own where they are unknown", got)
	}
	earlier.SD = []float64{0.25, 0.3, 1000}
	wide, err := target.From(earlier)
	if err != nil || unit(wide, 2) != 100 {
		t.Errorf("a unit of width %v, %v; want no more than the prior's", unit(wide, 2), err)
	}
	earlier.SD = []float64{0.25, 0.3, 0.25}
	if warm, err = target.From(earlier); err != nil {
		t.Fatal(err)
	}
	if cold, got := counted(t, target), counted(t, warm); !(got < 0.6*cold) {
		t.Errorf("%.2f evaluations an update, and %.2f without an earlier posterior: want fewer than 0.6 of these", got, cold)
	}
}
