package priordraws_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/infer/priordraws"
)

// example is a poisson(identity) model, which truncates the prior, with a
// dispersion-free posterior, or another family on the same rows.
func example(family, link string, disp prior.Prior) (*glm.Data, glm.Model) {
	x := design.NewDense(3, 2)
	copy(x.Values, []float64{1, 1, 1, -1, 0, 2})
	data := &glm.Data{X: x, Names: []string{"(Intercept)", "a"}, Y: []float64{1, 0, 2}}
	return data, glm.Model{Family: glm.Family{Name: family, Link: link}, Dispersion: disp,
		Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 1, Scale: 1}, {Kind: prior.Laplace, Scale: 0.5}}}
}

func target(t *testing.T, data *glm.Data, model glm.Model) *glm.Target {
	t.Helper()
	out, err := glm.NewTarget(data, model)
	must(t, err)
	return out
}

// plain is New of a model without group-level effects.
func plain(tg *glm.Target) (infer.Setup, error) { return priordraws.New(groups.Of(tg)) }

func kernel(t *testing.T, tg *glm.Target) infer.Kernel {
	t.Helper()
	setup, err := plain(tg)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, t.Name())})
	must(t, err)
	return k
}

func TestConformance(t *testing.T) {
	data, model := example("gamma", "log", prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 1})
	data.Y = []float64{1, 0.5, 2}
	infertest.Conformance(t, target(t, data, model), plain)
}

// Draws have the prior's quartiles, whatever the response. 20,000 draws put six
// standard errors of a quartile's probability at 0.018: false alarms below 1e-8;
// a scale error of 10 % moves it by 0.021 or more.
func TestDrawsHaveThePrior(t *testing.T) {
	data, model := example("gaussian", "identity", prior.Prior{Kind: prior.Exponential, Rate: 2})
	data.Y = []float64{1e6, -1e6, 3e6}
	k := kernel(t, target(t, data, model))
	theta := make([]float64, 3)
	var below [3][2]float64
	quartiles := [3][2]float64{{1 - 0.6744897501960817, 1 + 0.6744897501960817}, {-0.5 * math.Ln2, 0.5 * math.Ln2}, {math.Log(4./3) / 2, math.Log(4) / 2}}
	const n = 20_000
	for range n {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(theta)
		for p, v := range theta {
			for q, at := range quartiles[p] {
				if v <= at {
					below[p][q] += 1.0 / n
				}
			}
		}
	}
	for p := range theta {
		if math.Abs(below[p][0]-0.25) > 0.0184 || math.Abs(below[p][1]-0.75) > 0.0184 {
			t.Errorf("parameter %d: %v of the draws are below the quartiles", p, below[p])
		}
	}
}

// With a bounded predictor every draw has a mean in every row.
func TestWall(t *testing.T) {
	data, model := example("poisson", "identity", prior.Prior{})
	k := kernel(t, target(t, data, model))
	theta := make([]float64, 2)
	for range 1000 {
		info, err := k.Step()
		must(t, err)
		k.Position(theta)
		for i, x := range data.X.Col(1) {
			if eta := theta[0] + theta[1]*x; !(eta > 0) {
				t.Fatalf("row %d: eta is %v", i, eta)
			}
		}
		if !(info.LogLik <= 0) {
			t.Fatalf("log likelihood %v", info.LogLik)
		}
	}
	model.Coefficients[0] = prior.Prior{Kind: prior.Normal, Location: -100, Scale: 1}
	setup, err := plain(target(t, data, model))
	must(t, err)
	if _, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3)}); err == nil || !strings.Contains(err.Error(), "eta > 0") {
		t.Errorf("a prior outside the domain: %v", err)
	}
}

func TestImproperPriorsAreNamed(t *testing.T) {
	data, model := example("gaussian", "identity", prior.Prior{Kind: prior.Flat})
	model.Coefficients[1] = prior.Prior{Kind: prior.Flat}
	err := priordraws.Check(data, &model)
	var improper *priordraws.ImproperError
	if !errors.As(err, &improper) || !slices.Equal(improper.Names, []string{"a", "sigma"}) || !strings.Contains(err.Error(), "hint: ") {
		t.Errorf("%v", err)
	}
}

// A smooth's coefficients are drawn given its standard deviation: a quotient is standard normal, and the half normal sd
// is below its median half of the time. False alarms: six standard errors, 1e-8.
func TestSmoothsHaveThePrior(t *testing.T) {
	c := infertest.Smoothed(infertest.Poisson(9), prior.Prior{Kind: prior.HalfNormal, Scale: 0.3})
	_, tg, err := c.Simulate(infer.NewStream(1, "smooth"))
	must(t, err)
	infertest.Conformance(t, tg, plain)
	k, s := kernel(t, tg), c.Data.Smooths[0]
	const draws = 20_000
	theta, below := make([]float64, tg.Dim()), make([]float64, 2)
	for range draws {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(theta)
		sd := theta[tg.Dim()-1]
		if math.Abs(theta[s.Last-1]) < 0.6744897501960817*sd {
			below[0]++
		}
		if sd < 0.3*0.6744897501960817 {
			below[1]++
		}
	}
	for i, b := range below {
		if math.Abs(b/draws-0.5) > 0.021 {
			t.Errorf("statistic %d is below its median in %v of %d draws", i, b, draws)
		}
	}
	c.Model.Smooths = []prior.Prior{{Kind: prior.Flat}}
	var improper *priordraws.ImproperError
	if err := priordraws.Check(&c.Data, &c.Model); !errors.As(err, &improper) || improper.Names[0] != "sds_sx1_1" {
		t.Errorf("a flat sd: %v", err)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
