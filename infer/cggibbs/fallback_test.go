package cggibbs

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// Setups say which coordinates they sample, and why not those asked for; the
// fallback has the bits of the coordinate sampler.
func TestExplain(t *testing.T) {
	laplace := prior.Prior{Kind: prior.Laplace, Scale: 1}
	normal, other := posterior(t, "bernoulli", 10, 3, unitNormal), posterior(t, "bernoulli", 10, 3, laplace)
	for _, c := range []struct {
		target *glm.Target
		o      Options
		want   string
	}{
		{normal, Options{Basis: "rotated"}, "rotated: 3 coefficients"},
		{normal, Options{Basis: "reduced"}, "the likelihood sees 3 directions of 3 coefficients with normal priors, sampled with 0 others"},
		{normal, Options{Update: "stepping_out"}, "coordinate: each of 3 coefficients by itself; updates: stepping_out"},
		{other, Options{Basis: "rotated"}, "updates: matched"},
		{other, Options{Basis: "reduced"}, "coordinate, for reduced cannot be made: no coefficient has a normal prior"},
		{posterior(t, "poisson", 3, basis.RotateLimit+1, laplace), Options{Basis: "rotated"}, "5001 coordinates to rotate, more than 5000"},
	} {
		s, err := New(c.target, c.o)
		must(t, err)
		if words := s.(infer.Explainer).Explain(); !strings.Contains(words, c.want) {
			t.Errorf("%+v: %q, want %q", c.o, words, c.want)
		}
	}
	s, _ := New(other, Options{Basis: "reduced"})
	k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	if step(t, k) != step(t, chain(t, other, Options{})) {
		t.Error("the fallback is another sampler than the coordinate one")
	}
	student := posterior(t, "bernoulli", 10, 3, prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 1})
	var option *OptionError
	if _, err := New(student, Options{Basis: "rotated", Update: "matched"}); !errors.As(err, &option) || !strings.Contains(err.Error(), "not log-concave") {
		t.Errorf("matched updates of a student_t prior: %v", err)
	}
}

// With flat priors, where no invariance test by prior draws can be made, the draws
// agree with exact ones: gaussian responses, an intercept and another coefficient
// flat, four normal.
//
// False alarms: 1e-5, split over bases, coefficients, sigma and their squares, as
// far as batch means are normal. Power: a shift of 0.2 sd.
func TestFlatAgreesWithConjugate(t *testing.T) {
	plain := posterior(t, "gaussian", 16, 6, unitNormal)
	m := *plain.Model()
	m.Coefficients = append([]prior.Prior(nil), m.Coefficients...)
	m.Coefficients[0], m.Coefficients[3] = prior.Prior{Kind: prior.Flat}, prior.Prior{Kind: prior.Flat}
	data := *plain.Data() // the flat coefficients are near 3, which a prior at 0 would shrink
	data.Y = append([]float64(nil), data.Y...)
	for i, x := range data.X.Col(3) {
		data.Y[i] += 3 + 3*x
	}
	target, err := glm.NewTarget(&data, m)
	must(t, err)
	exact := batches(t, infertest.Seed(t), func() (infer.Setup, error) { return conjugate.New(target) }, target.Dim())
	limit := math.Sqrt2 * math.Erfcinv(1e-5/float64(2*2*target.Dim()))
	for _, basis := range []string{"rotated", "reduced", "mixture"} {
		got := batches(t, infertest.Seed(t), func() (infer.Setup, error) { return New(target, Options{Basis: basis}) }, target.Dim())
		for j := range got {
			diff := got[j][0] - exact[j][0]
			if z := diff / math.Hypot(got[j][1], exact[j][1]); !(math.Abs(z) < limit) {
				t.Errorf("%s, statistic %d: z = %.1f, limit %.1f", basis, j, z, limit)
			}
		}
	}
}

// batches returns mean and standard error, by 100 chains, of each parameter and of
// its square.
func batches(t *testing.T, seed uint64, makeSetup func() (infer.Setup, error), d int) [][2]float64 {
	t.Helper()
	setup, err := makeSetup()
	must(t, err)
	const chains, warm = 100, 10
	draws := infertest.Scale(40, 400)
	out, theta := make([][2]float64, 2*d), make([]float64, d)
	for c := range chains {
		k, err := setup.Kernel(infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(seed, "batch", strconv.Itoa(c))})
		must(t, err)
		means := make([]float64, 2*d)
		for i := range warm + draws {
			step(t, k)
			if k.Position(theta); i < warm {
				continue
			}
			for j, v := range theta {
				means[j] += v / float64(draws)
				means[d+j] += v * v / float64(draws)
			}
		}
		for j, v := range means {
			out[j][0] += v / chains
			out[j][1] += v * v / chains
		}
	}
	for j := range out {
		out[j][1] = math.Sqrt((out[j][1] - out[j][0]*out[j][0]) / chains)
	}
	return out
}
