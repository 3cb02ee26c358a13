package cggibbs

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// The basis of fewest operations follows from rows, coefficients and priors.
func TestAuto(t *testing.T) {
	laplace, uniform := prior.Prior{Kind: prior.Laplace, Scale: 1}, prior.Prior{Kind: prior.Uniform, Low: -1, High: 1}
	flat := prior.Prior{Kind: prior.Flat}
	for _, c := range []struct {
		family string
		n, d   int
		prior  prior.Prior
		want   string
	}{
		{"bernoulli", 62, 400, unitNormal, "reduced"},
		{"bernoulli", 200, 20, unitNormal, "rotated"},
		{"bernoulli", 40, 44, unitNormal, "rotated"}, // few directions to save
		{"poisson", 100, 10, flat, "rotated"},
		{"poisson", 20, 300, laplace, "mixture"}, // k² of T, and all priors at each evaluation
		{"poisson", 100, 10, uniform, "coordinate"},
		{"poisson", 3, basis.RotateLimit + 1, laplace, "mixture"},
		{"poisson", 3, basis.RotateLimit + 1, unitNormal, "reduced"},
		{"gaussian", 50, 5, laplace, "rotated"}, // for joint moves
	} {
		target := posterior(t, c.family, c.n, c.d, c.prior)
		basis, reason, _ := Auto(target, Options{})
		if basis != c.want {
			t.Errorf("%s, %d × %d, %v: %s (%s), want %s", c.family, c.n, c.d, c.prior, basis, reason, c.want)
		}
		s, err := New(target, Options{Basis: "auto"})
		must(t, err)
		words := s.(infer.Explainer).Explain()
		if !strings.HasPrefix(words, c.want+":") || !strings.Contains(words, "auto chose it for "+reason) {
			t.Errorf("%s, %d × %d: %q, want %s and the reason %q", c.family, c.n, c.d, words, c.want, reason)
		}
		if _, compact := s.(infer.Compact); compact != (c.want == "reduced") {
			t.Errorf("%s, %d × %d: a set-up of type %T", c.family, c.n, c.d, s)
		}
	}
}

// Horseshoes, which have no intercept among them, move in the directions that the likelihood depends on if these
// are few.
func TestAutoOfHorseshoes(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want string
	}{{62, 400, "mixture"}, {300, 10, "coordinate"}} {
		base := posterior(t, "poisson", c.n, c.d, prior.Prior{Kind: prior.Horseshoe, Scale: 0.1})
		if basis, reason, _ := Auto(base, Options{}); basis != c.want {
			t.Errorf("%d × %d: %s (%s), want %s", c.n, c.d, basis, reason, c.want)
		}
	}
}

// The basis that auto chooses has the draws of the basis by its name.
func TestAutoHasTheBitsOfItsBasis(t *testing.T) {
	target := posterior(t, "bernoulli", 12, 40, unitNormal)
	var infos []infer.Info
	for _, basis := range []string{"auto", "reduced"} {
		s, err := New(target, Options{Basis: basis})
		must(t, err)
		k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		infos = append(infos, step(t, k))
	}
	if infos[0] != infos[1] {
		t.Error("auto has other draws than reduced")
	}
}

// Where the pilot is left out it could not have changed the choice: the same basis has the
// fewest operations with what the pilot finds. Where it could have, it is asked.
func TestAutoAsksThePilotWhereItMatters(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		asked bool
	}{{62, 400, false}, {200, 60, true}, {200, 20, true}, {3, basis.RotateLimit + 1, false}} {
		target := posterior(t, "bernoulli", c.n, c.d, unitNormal)
		got := costsOf(target)
		if got.piloted != c.asked {
			t.Errorf("%d × %d: pilot %v, want %v", c.n, c.d, got.piloted, c.asked)
		}
		if got.piloted {
			continue
		}
		basis, reason, _ := Auto(target, Options{})
		if !strings.Contains(reason, "takes at least one sweep") || !strings.Contains(reason, " or more") {
			t.Errorf("%d × %d: %q does not say that the pilot was left out", c.n, c.d, reason)
		}
		got.sweeps = dependence(target)
		for _, other := range append([]string{"coordinate"}, otherBases...) {
			if other != basis && got.possible(other) && got.of(other) <= got.of(basis) {
				t.Errorf("%d × %d: %s without the pilot, %s with its %v sweeps", c.n, c.d, basis, other, got.sweeps)
			}
		}
	}
	uniform := posterior(t, "poisson", 20, 60, prior.Prior{Kind: prior.Uniform, Low: -1, High: 1})
	if !costsOf(uniform).piloted {
		t.Error("no pilot where the coordinate basis is taken")
	}
}

// Between two columns with correlation c a sweep keeps c², whatever the point; if that is small only rounding is
// left after some sweeps, which is not counted.
func TestDependenceOfTwoColumns(t *testing.T) {
	for _, c := range []float64{0.01, 0.2, 0.8, 0.99} {
		x := design.NewDense(4, 2)
		x.Col(0)[0], x.Col(1)[0], x.Col(1)[1] = 1, c, math.Sqrt(1-c*c)
		wide := prior.Prior{Kind: prior.Normal, Scale: 1e6}
		target, err := glm.NewTarget(&glm.Data{X: x, Y: []float64{1, 2, -1, 0.5}, Intercept: -1}, glm.Model{
			Family: glm.Family{Name: "gaussian", Link: "identity"}, Coefficients: []prior.Prior{wide, wide},
			Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1},
		})
		must(t, err)
		if got, want := dependence(target), (1+c*c)/(1-c*c); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("correlation %v: %v sweeps to a draw, want %v", c, got, want)
		}
	}
}
