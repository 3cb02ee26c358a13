package groups

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

var forms = []string{"centred", "non_centred"}

// targeted returns the target of a study with a response drawn from its prior.
func targeted(t testing.TB, s study, effects string) (*Target, *glm.Data) {
	t.Helper()
	_, data := s.draw(infer.NewStream(3, "targeted"))
	target, err := NewTarget(data, s.model, nil, TargetOptions{Effects: effects})
	must(t, err)
	return target, data
}

// The log density over u is the density by definition of the parameters that Constrain makes, times the determinant of
// its derivatives, which are taken by differences.
func TestTargetIsTheDensity(t *testing.T) {
	for name, s := range studies() {
		for _, effects := range forms {
			t.Run(name+"/"+effects, func(t *testing.T) {
				target, data := targeted(t, s, effects)
				at, truth, n := target.Densities(), s.density(data), target.Dim()
				grad, theta, back := make([]float64, n), make([]float64, n), make([]float64, n)
				var got, want []float64
				for c := range 4 {
					u, _ := target.Start(infer.Chain{Index: c, Count: 4, Stream: infer.NewStream(uint64(c), name)})
					for i := range u {
						u[i] += 0.03 * math.Sin(float64(3*i+c))
					}
					logPosterior, logLik, logPrior := at(u, grad)
					target.Constrain(u, theta)
					target.Unconstrain(theta, back)
					for i := range u {
						if off(back[i], u[i]) {
							t.Fatalf("coordinate %d is %v, and %v from its parameters", i, u[i], back[i])
						}
					}
					lik, prior := truth(theta)
					if math.IsInf(prior, -1) && math.IsInf(logPrior, -1) {
						continue // outside the domain
					}
					if off(logLik, lik) || off(logPrior, prior) {
						t.Fatalf("log likelihood %v and prior %v, want %v and %v", logLik, logPrior, lik, prior)
					}
					got, want = append(got, logPosterior), append(want, lik+prior+logJacobian(target, u))
				}
				if len(got) < 2 {
					t.Fatal("hardly any place has a density")
				}
				for c := range got[1:] {
					if g, w := got[c+1]-got[0], want[c+1]-want[0]; !(math.Abs(g-w) < 1e-5*(1+math.Abs(w))) {
						t.Errorf("from place 0 to %d the log density grows by %v, want %v", c+1, g, w)
					}
				}
			})
		}
	}
}

// logJacobian is the log determinant of the derivatives of Constrain.
func logJacobian(target *Target, u []float64) float64 {
	n := len(u)
	a, up, down, at := make([]float64, n*n), make([]float64, n), make([]float64, n), append([]float64(nil), u...)
	for j := range u {
		const h = 1e-5
		at[j] = u[j] + h
		target.Constrain(at, up)
		at[j] = u[j] - h
		target.Constrain(at, down)
		at[j] = u[j]
		for i := range up {
			a[i*n+j] = (up[i] - down[i]) / (2 * h)
		}
	}
	sum := 0.0
	for j := range n { // with pivots
		pivot := j
		for i := j; i < n; i++ {
			if math.Abs(a[i*n+j]) > math.Abs(a[pivot*n+j]) {
				pivot = i
			}
		}
		for k := range n {
			a[j*n+k], a[pivot*n+k] = a[pivot*n+k], a[j*n+k]
		}
		sum += math.Log(math.Abs(a[j*n+j]))
		for i := j + 1; i < n; i++ {
			f := a[i*n+j] / a[j*n+j]
			for k := j; k < n; k++ {
				a[i*n+k] -= f * a[j*n+k]
			}
		}
	}
	return sum
}

// The gradient is that of the log density, by differences.
func TestTargetGradient(t *testing.T) {
	for name, s := range studies() {
		for _, effects := range forms {
			t.Run(name+"/"+effects, func(t *testing.T) {
				target, _ := targeted(t, s, effects)
				at, n := target.Densities(), target.Dim()
				grad, none := make([]float64, n), make([]float64, n)
				u, _ := target.Start(infer.Chain{Count: 1, Stream: infer.NewStream(1, name)})
				for i := range u {
					u[i] += 0.1 * math.Sin(float64(3*i))
				}
				here, _, _ := at(u, grad)
				if math.IsInf(here, 0) || math.IsNaN(here) {
					t.Fatalf("log density %v", here)
				}
				for j := range u {
					const h = 1e-5
					v := append([]float64(nil), u...)
					v[j] = u[j] + h
					up, _, _ := at(v, none)
					v[j] = u[j] - h
					down, _, _ := at(v, none)
					if want := (up - down) / (2 * h); !(math.Abs(grad[j]-want) < 1e-5*(1+math.Abs(want)+math.Abs(here))) {
						t.Errorf("coordinate %d: %v, want %v", j, grad[j], want)
					}
				}
			})
		}
	}
}

// nutsOf samples a study by NUTS.
func nutsOf(t testing.TB, s study, effects string, o nuts.Options) (infer.Setup, *glm.Data) {
	target, data := targeted(t, s, effects)
	setup, err := nuts.NewFor(target, o)
	must(t, err)
	return setup, data
}

// planned is a sampler whose chains have a warm-up.
type planned struct{ infer.Setup }

func (p planned) Kernel(c infer.Chain) (infer.Kernel, error) {
	c.Warmup = 40
	return p.Setup.Kernel(c)
}

// At every iteration of a warm-up of 40 and the 20 after it, and without warm-up.
func TestNutsConforms(t *testing.T) {
	all := studies()
	for name, s := range map[string]study{"gaussian/2": all["gaussian/2"], "bernoulli/crossed": all["bernoulli/crossed"],
		"poisson/4": all["poisson/4"], "sparse": newStudy("bernoulli", "logit", 20, [2]int{5, 1}).sparse()} {
		for _, effects := range append(forms, "auto") {
			t.Run(name+"/"+effects, func(t *testing.T) {
				setup, data := nutsOf(t, s, effects, nuts.Options{MaxDepth: 5, StepSize: 0.02})
				of := infertest.Posterior{Parameters: setup.Parameters(), LogDensity: s.density(data),
					Other: func() ([]byte, error) { return s.narrower(data) }}
				infertest.Conforms(t, setup, of)
				infertest.Conforms(t, planned{setup}, of)
			})
		}
	}
}

// False alarms: see limit. Power: see TestSweepsAreInvariant; TestTargetGradient detects faults of the gradient
// alone, which change no distribution. The quick form has some models only.
func TestNutsIsInvariant(t *testing.T) {
	all := studies()
	if !infertest.Full() {
		maps.DeleteFunc(all, func(name string, _ study) bool {
			return !slices.Contains([]string{"gaussian/2", "bernoulli/small", "poisson/nested"}, name)
		})
	}
	for name, s := range all {
		for _, effects := range forms {
			t.Run(name+"/"+effects, func(t *testing.T) {
				step := 0.25
				if strings.HasSuffix(name, "small") { // effects of 0.05
					step = 0.02
				}
				at, z := unmoved(t, s, infertest.Scale(300, 10_000), infertest.Seed(t),
					func(data *glm.Data) (*setup, infer.Setup, error) {
						target, err := NewTarget(data, s.model, nil, TargetOptions{Effects: effects})
						if err != nil {
							return nil, nil, err
						}
						setup, err := nuts.NewFor(target, nuts.Options{StepSize: step, MaxDepth: 4})
						return target.setup, setup, err
					}, func(k infer.Kernel) (err error) {
						for i := 0; i < 3 && err == nil; i++ {
							_, err = k.Step()
						}
						return err
					})
				t.Logf("largest |z| %.2f, of %s", z, at)
				if !(z < limit) || at == "" {
					t.Errorf("|z| = %.2f of %q", z, at)
				}
			})
		}
	}
}

// The pilot's choice, whose reasons Explain gives; a coefficient is carried once, by the grouping that knows least of it.
func TestFormsAreChosen(t *testing.T) {
	nested := func(t testing.TB) study { // the data do not inform the coarse effects
		s := newStudy("gaussian", "identity", 200, [2]int{2, 1}).nested(12, 0)
		s.model.Effects[0].SD[0].Scale, s.model.Effects[1].SD[0] = 0.01, prior.Prior{Kind: prior.Constant, Location: 1}
		s.model.Dispersion = prior.Prior{Kind: prior.Constant, Location: 0.2}
		_, data := s.draw(infer.NewStream(3, "nested"))
		s.data = *data
		return s
	}
	for name, c := range map[string]struct {
		of   func(t testing.TB) study
		want []string
	}{
		"sleepstudy": {problems["sleepstudy"], []string{"Subject: 18 levels of Intercept, Days, non-centred (the data have 0."}},
		"VerbAgg": {problems["VerbAgg"], []string{"id: 316 levels of Intercept, centred (the data have 0.87 ", " about x1, x2;",
			"item: 24 levels of Intercept, centred (the data have 0.95 ", " about (Intercept), x3, x4, x5"}},
		"nested": {nested, []string{"g: 2 levels of Intercept, centred (the data have 0.", "fine: 12 levels of Intercept, centred"}},
	} {
		s := c.of(t)
		target, err := NewTarget(&s.data, s.model, nil, TargetOptions{})
		must(t, err)
		for _, want := range c.want {
			if words := target.Explain(); !strings.Contains(words, want) || strings.Count(words, "(Intercept)") > 1 {
				t.Errorf("%s: %q, want %q", name, words, want)
			}
		}
	}
	if _, err := NewTarget(&glm.Data{}, glm.Model{}, nil, TargetOptions{Effects: "both"}); err == nil {
		t.Error("effects: both")
	}
}
