package cggibbs

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// Sweeps of rows on families with closed sums and with laws, with weights, and with a sweep of coordinates among them. Not
// every simulated response has rows that serve, but most have. False alarms and power as TestBasisInvariance.
func TestRowsInvariance(t *testing.T) {
	seed, tried, served := infertest.Seed(t), 0, 0
	byRows := func(target *glm.Target) (infer.Setup, error) {
		s, err := New(target, Options{Basis: "reduced", Update: "rows", RefreshEvery: 7})
		if err == nil {
			tried++
			if s.(*reducedSetup).byRow != nil {
				served++
			}
		}
		return s, err
	}
	cases := []infertest.Case{wide(infertest.Bernoulli(12), 5, 8), wide(infertest.Poisson(8), 5, 8)}
	for _, c := range everyFamily() {
		if f := c.Model.Family; (f.Link == "probit" || f.Link == "sqrt") && f.LogConcave() {
			cases = append(cases, widened(c, wide(c, 5, 8)))
		}
	}
	for _, c := range cases {
		tried, served = 0, 0
		infertest.Invariance(t, infertest.Check{Case: c, Sampler: byRows, Seed: seed, Steps: 3, Pairs: infertest.Scale(1000, 20_000)})
		if 2*served < tried {
			t.Errorf("%s: rows served in %d fits of %d", c.Name, served, tried)
		}
	}
}

// walled is a posterior of separated classes: 40 columns, prior standard deviations of 10.
func walled(t testing.TB, rows int) *glm.Target {
	t.Helper()
	return posterior(t, "bernoulli", rows, 40, prior.Prior{Kind: prior.Normal, Scale: 10})
}

// In the direction of a row its linear predictor moves and no other, and Q is the precision of the prior there.
func TestRowDirections(t *testing.T) {
	k, _ := based(t, walled(t, 12), Options{Basis: "reduced"})
	if k.byRow == nil {
		t.Fatal(k.Explain())
	}
	x, n := k.reduction.design, k.reduction.design.Rows
	directions := make([][]float64, n)
	for i := range directions {
		unit, moved := make([]float64, n), make([]float64, n)
		directions[i], unit[i] = make([]float64, n), 1
		k.reduction.space.Lowered(unit, directions[i])
		for j, z := range directions[i] {
			kernels.Axpy(z, x.Col(j), moved)
		}
		for r, want := range unit {
			if math.Abs(moved[r]-want) > 1e-10 {
				t.Errorf("along row %d row %d moves by %v", i, r, moved[r])
			}
			if r > i {
				continue
			}
			q, size := kernels.Dot(directions[i], directions[r]), k.byRow.column(i)[i]
			if math.Abs(q-k.byRow.column(i)[r]) > 1e-10*size {
				t.Errorf("the precision of rows %d and %d is %v, Q has %v", i, r, q, k.byRow.column(i)[r])
			}
		}
	}
}

// Where rows do not serve, or are not asked for, coordinates move, and the set-up says why.
func TestRowsServe(t *testing.T) {
	wide, similar := walled(t, 12), posterior(t, "bernoulli", 12, 40, prior.Prior{Kind: prior.Normal, Scale: 1e-3})
	values := similar.Data().X.(*design.Dense).Values
	for i := range values { // rows that are alike, under a prior that says more than the responses
		values[i] = math.FMA(0.01, values[i], 1)
	}
	similar, err := glm.NewTarget(similar.Data(), *similar.Model())
	must(t, err)
	for _, c := range []struct {
		name   string
		target *glm.Target
		o      Options
		want   string
	}{
		{"separated", wide, Options{}, "; updates: rows"},
		{"separated, asked for", wide, Options{Update: "rows"}, "; updates: rows"},
		{"coordinates", wide, Options{Update: "stepping_out"}, "; updates: stepping_out"},
		{"random scan", wide, Options{Scan: "random"}, "not by rows, for the scan is random"},
		{"more rows than columns", walled(t, 60), Options{}, "not by rows, for rows are dependent"},
		{"a dispersion", posterior(t, "gaussian", 12, 40, unitNormal), Options{}, "not by rows, for a dispersion is sampled"},
		{"all alike", similar, Options{}, "not by rows, for a pass over the rows would keep"},
	} {
		c.o.Basis = "reduced"
		k, s := based(t, c.target, c.o)
		words := s.(infer.Explainer).Explain()
		if !strings.Contains(words, c.want) || (k.rowMove != nil) != strings.HasSuffix(words, "rows") {
			t.Errorf("%s: %s, want %q", c.name, words, c.want)
		}
	}
}
