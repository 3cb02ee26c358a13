package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/infer/model"
	"glmbatch/infer/nuts"
)

func sampler(p *model.Problem) (infer.Setup, error) { return model.New(p, nil) }

// Chains of every study repeat, resume and have the densities of the definition.
func TestConformance(t *testing.T) {
	for name := range studies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := one(t, name)
			if s.dear {
				infertest.Study(t)
			}
			setup, err := model.New(p, nil)
			must(t, err)
			text := setup.(infer.Explainer).Explain()
			if strings.Contains(text, "different rows of") != s.repeated {
				t.Errorf("equal rows: %s", text)
			}
			infertest.Conforms(t, setup, infertest.Posterior{
				Parameters: setup.Parameters(),
				LogDensity: func(theta []float64) (logLik, logPrior float64) {
					_, _, logLik, logPrior = s.densities(p, theta)
					return logLik, logPrior
				},
				Other: func() ([]byte, error) { return nil, errors.New("none") },
			})
		})
	}
}

// Steps leave the joint distribution of positions and responses as it is. A response that counts often is not several
// draws.
func TestInvariance(t *testing.T) {
	for name, s := range studies {
		if s.weighted || s.rows > 1000 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s.dear {
				infertest.Study(t)
			}
			check := infertest.Check{Seed: infertest.Seed(t), Pairs: infertest.Scale(600, 20_000)}
			if s.levels > 0 && s.columns > 3 {
				check.Steps, check.Pairs = 24, 4*check.Pairs // the first eight are sweeps, others propose coefficients
			}
			infertest.InvarianceOf(t, s.joint(name, sampler), check)
		})
	}
}

// After each step all caches agree with the values.
func TestPointsAgree(t *testing.T) {
	for name := range studies {
		_, p := one(t, name)
		setup, err := model.New(p, nil)
		must(t, err)
		k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, name)})
		must(t, err)
		for i := range 50 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if err := k.(interface{ Check() error }).Check(); err != nil {
				t.Fatalf("%s, iteration %d: %v", name, i, err)
			}
		}
		model.Spoil(k, 1e-6)
		if err := k.(interface{ Check() error }).Check(); err == nil {
			t.Errorf("%s: an error of 1e-6 in the last row is not found", name)
		}
	}
}

// The gradient of Target is that of its density, which is the definition's, and coordinates go to parameters and back.
func TestGradient(t *testing.T) {
	for name := range studies {
		s, p := one(t, name)
		target, err := model.NewTarget(p, nil, "")
		must(t, err)
		u, _ := target.Start(infer.Chain{Count: 1, Stream: infer.NewStream(2, name)})
		d, density := target.Dim(), target.Densities()
		grad, none, back := make([]float64, d), make([]float64, d), make([]float64, d)
		theta := make([]float64, len(target.Parameters()))
		_, logLik, logPrior := density(u, grad)
		target.Constrain(u, theta)
		target.Unconstrain(theta, back)
		_, _, wantLik, wantPrior := s.densities(p, theta)
		if math.Abs(logLik-wantLik) > 1e-9 || math.Abs(logPrior-wantPrior) > 1e-9 {
			t.Errorf("%s: densities %v and %v, want %v and %v", name, logLik, logPrior, wantLik, wantPrior)
		}
		for j := range u {
			const h = 1e-5
			at := u[j]
			u[j] = at + h
			above, _, _ := density(u, none)
			u[j] = at - h
			below, _, _ := density(u, none)
			u[j] = at
			if want := (above - below) / (2 * h); math.Abs(grad[j]-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%s: slope %d is %v, want %v", name, j, grad[j], want)
			}
			if math.Abs(back[j]-at) > 1e-9*(1+math.Abs(at)) {
				t.Errorf("%s: coordinate %d is %v, and %v after both ways", name, j, at, back[j])
			}
		}
	}
}

// NUTS and Gibbs have the same posterior. Without make study it is that of many rows, where TestInvariance has no chains.
func TestHamiltonian(t *testing.T) {
	many := []string{"cumulative, many rows", "hurdle_gamma, many rows", "categorical, many rows", "multinomial, many rows"}
	for _, name := range append([]string{"three", "groups", "multinomial by groups, weighted", "acat by group", "custom"}, many...) {
		if (studies[name].dear || !slices.Contains(many, name)) && !infertest.Studies() {
			continue
		}
		_, p := one(t, name)
		target, err := model.NewTarget(p, nil, "")
		must(t, err)
		setup, err := nuts.NewFor(target, nuts.Options{})
		must(t, err)
		gibbs, err := model.New(p, nil)
		must(t, err)
		means := func(setup infer.Setup, count int) (mean, sd []float64) {
			k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: 500, Stream: infer.NewStream(2, name)})
			must(t, err)
			d := len(setup.Parameters())
			theta := make([]float64, d)
			mean, sd = make([]float64, d), make([]float64, d)
			for i := range count + 500 {
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
				if k.Position(theta); i >= 500 {
					for j, v := range theta {
						mean[j] += v / float64(count)
						sd[j] += v * v / float64(count)
					}
				}
			}
			for j, m := range mean {
				sd[j] = math.Sqrt(sd[j] - m*m)
			}
			return mean, sd
		}
		draws := 10_000
		if slices.Contains(many, name) {
			if draws = 2000; !strings.Contains(gibbs.(infer.Explainer).Explain(), "all parameters at once") {
				t.Errorf("%s: %s", name, gibbs.(infer.Explainer).Explain())
			}
		}
		a, sd := means(gibbs, draws)
		b, spread := means(setup, draws*3/10)
		for j := range a {
			if ratio := sd[j] / spread[j]; math.Abs(a[j]-b[j]) > 0.12*sd[j] || ratio < 0.85 || ratio > 1.18 {
				t.Errorf("%s: %s has mean %v and sd %v by Gibbs, and %v and %v by NUTS", name, setup.Parameters()[j].Name, a[j],
					sd[j], b[j], spread[j])
			}
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
