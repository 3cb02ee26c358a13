package selection

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"glmbatch/discrete/herded"
	"glmbatch/infer"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// problem has an intercept and d correlated candidates, the first two of which matter.
func problem(t testing.TB, n, d int, intercept prior.Prior) *glm.Target {
	t.Helper()
	rng := infer.NewStream(11, "problem")
	x := design.NewDense(n, d+1)
	data := &glm.Data{X: x, Y: make([]float64, n)}
	for i := range n {
		common := variate.Normal(rng)
		x.Col(0)[i] = 1
		for j := 1; j <= d; j++ {
			x.Col(j)[i] = 0.7*variate.Normal(rng) + 0.7*common
		}
		data.Y[i] = 1 + 0.8*x.Col(1)[i] - 0.6*x.Col(2)[i] + 1.2*variate.Normal(rng)
	}
	m := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"},
		Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}, Coefficients: []prior.Prior{intercept}}
	for range d {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.SpikeSlab, Inclusion: 0.3, Scale: 0.8})
	}
	target, err := glm.NewTarget(data, m)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// evidence is the density of y with coefficients integrated out, but for powers of 2π, over a grid of sigma: one
// column after the other adds s²·xxᵀ to the covariance (Sherman and Morrison).
func evidence(target *glm.Target, in []int) float64 {
	data, model := target.Data(), target.Model()
	total := 0.0
	const step = 0.002
	for sigma := 0.2; sigma < 8; sigma += step {
		n := float64(data.Rows())
		logDet := 2 * n * math.Log(sigma)
		var solved [][]float64
		inverse := func(v []float64) []float64 {
			out := make([]float64, len(v))
			for i := range v {
				out[i] = v[i] / sigma / sigma
			}
			for _, u := range solved {
				d := dot(u, v)
				for i := range u {
					out[i] -= u[i] * d
				}
			}
			return out
		}
		for _, j := range in {
			s := model.Coefficients[j].Scale
			u := inverse(data.X.Col(j))
			grow := 1 + s*s*dot(u, data.X.Col(j))
			logDet += math.Log(grow)
			for i := range u {
				u[i] *= s / math.Sqrt(grow)
			}
			solved = append(solved, u)
		}
		total += step * math.Exp(-logDet/2-dot(inverse(data.Y), data.Y)/2+model.Dispersion.LogDensity(sigma))
	}
	return total
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// Inclusion probabilities are those of all models, each integrated over a grid of sigma by another route.
func TestInclusionIsEnumerated(t *testing.T) {
	const d = 5
	target := problem(t, 20, d, prior.Prior{Kind: prior.Normal, Scale: 2})
	s, err := New(target, Options{Method: Exact})
	if err != nil {
		t.Fatal(err)
	}
	want, total := make([]float64, d), 0.0
	for model := range 1 << d {
		in, weight := []int{0}, 1.0
		for j := range d {
			if model>>j&1 == 1 {
				in, weight = append(in, j+1), weight*0.3
			} else {
				weight *= 0.7
			}
		}
		weight *= evidence(target, in)
		total += weight
		for _, j := range in[1:] {
			want[j-1] += weight
		}
	}
	for j, got := range s.Inclusion() {
		if w := want[j] / total; math.Abs(got-w) > 1e-8 {
			t.Errorf("coefficient %d is in with probability %.12f, by a grid %.12f", j+1, got, w)
		}
	}
}

// One step of an exact chain is a draw from the posterior, wherever it stood: the joint law of parameters and data
// stays as it is.
//
// False alarms: at most 1e-6. Power: a distance of 0.09 with 2000 pairs; other prior odds and another slab are seen.
func TestExactInvariance(t *testing.T) {
	c := infertest.SelectionCases()[0]
	exact := func(target *glm.Target) (infer.Setup, error) { return New(target, Options{Method: Exact}) }
	stay := func(infer.Kernel, []float64) error { return nil }
	check := infertest.Check{Case: c, Sampler: exact, Seed: infertest.Seed(t), Steps: 1,
		Pairs: infertest.Scale(1000, 20_000), Place: stay}
	infertest.Invariance(t, check)
	check.Pairs, check.Seed = 4000, 1
	check.Sampler = infertest.Wrong(exact, func(_ *glm.Data, m *glm.Model) {
		for j := range m.Coefficients {
			m.Coefficients[j].Inclusion = 0.5
		}
	})
	infertest.MustReject(t, func(tb infertest.TB) { infertest.Invariance(tb, check) })
	check.Sampler = infertest.WrongPriorScale(exact, 3)
	infertest.MustReject(t, func(tb infertest.TB) { infertest.Invariance(tb, check) })
}

// Chains of all methods are restored to the bit, and log densities are those of the definition.
func TestConformance(t *testing.T) {
	target := problem(t, 20, 4, prior.Prior{Kind: prior.Flat})
	for _, m := range []Method{Gibbs, Herded, Exact} {
		t.Run(string(m), func(t *testing.T) {
			s, err := New(target, Options{Method: m})
			if err != nil {
				t.Fatal(err)
			}
			infertest.Conforms(t, s, infertest.Posterior{Parameters: s.Parameters(),
				LogDensity: func(theta []float64) (logLik, logPrior float64) {
					return infertest.LogDensity(target, theta[:target.Dim()])
				},
				Other: func() ([]byte, error) { return nil, errors.New("none") }})
		})
	}
}

// errorsOf returns the largest error of an inclusion probability after each number of sweeps, from the first sweep on.
func errorsOf(t *testing.T, s *Setup, c infer.Chain, at []int) []float64 {
	t.Helper()
	k, err := s.inner.Kernel(c) // the indicators alone
	if err != nil {
		t.Fatal(err)
	}
	n := s.model.Variables()
	x, sum := make([]float64, n), make([]float64, n)
	var out []float64
	for sweep := 1; len(out) < len(at); sweep++ {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(x)
		worst := 0.0
		for i, p := range s.Inclusion() {
			sum[i] += x[i]
			worst = max(worst, math.Abs(sum[i]/float64(sweep)-p))
		}
		if sweep == at[len(out)] {
			out = append(out, worst)
		}
	}
	return out
}

// Herding of the indicators beside Gibbs sampling: root mean squares over 40 chains of the largest error of an
// inclusion probability. With few candidates each state of the others comes up often, and herding is ahead; with 12 it
// has 2^11 weights a variable, most of which hardly move in a thousand sweeps, and is behind.
//
// Deterministic: no false alarms.
func TestHerdingBesideGibbs(t *testing.T) {
	at := []int{100, 1000, 10_000}
	found := map[string][]float64{}
	for _, d := range []int{4, 8, 12} {
		target := problem(t, 40, d, prior.Prior{Kind: prior.Normal, Scale: 2})
		for _, o := range []Options{{Method: Gibbs}, {Method: Herded},
			{Method: Herded, Herded: herded.Options{Sharing: herded.All}}} {
			s, err := New(target, o)
			if err != nil {
				t.Fatal(err)
			}
			const chains = 40
			out := make([]float64, len(at))
			for c := range chains {
				chain := infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(uint64(c), "x")}
				for k, e := range errorsOf(t, s, chain, at) {
					out[k] += e * e / chains
				}
			}
			for k := range out {
				out[k] = math.Sqrt(out[k])
			}
			name := fmt.Sprint(d, " ", o.Method, " ", o.Herded.Sharing)
			found[name] = out
			t.Logf("%s: error after %v sweeps: %.5f", name, at, out)
		}
	}
	for _, c := range []struct {
		less, more string
		k          int
	}{{"4 herded ", "4 gibbs ", 0}, {"4 herded ", "4 gibbs ", 2}, {"8 herded ", "8 gibbs ", 2}, {"12 gibbs ", "12 herded ", 0},
		{"12 herded all", "12 gibbs ", 0}, {"12 gibbs ", "12 herded all", 2}} {
		if !(found[c.less][c.k] < found[c.more][c.k]) {
			t.Errorf("after %d sweeps %s has an error of %.5f, %s one of %.5f", at[c.k], c.less, found[c.less][c.k], c.more,
				found[c.more][c.k])
		}
	}
	if fall := found["4 herded "][0] / found["4 herded "][2]; fall < 50 {
		t.Errorf("with 4 candidates the error of herding falls %.1f times from 100 to 10,000 sweeps, want 50", fall)
	}
}

// What has no closed form, or too many candidates, is refused in words.
func TestRefuses(t *testing.T) {
	var unsupported *conjugate.UnsupportedError
	many := problem(t, 30, conjugate.MaxCandidates+1, prior.Prior{Kind: prior.Normal, Scale: 2})
	if _, err := New(many, Options{Method: Exact}); !errors.As(err, &unsupported) {
		t.Errorf("too many candidates: %v", err)
	}
	_, target, err := infertest.SelectionCases()[1].Simulate(infer.NewStream(1, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(target, Options{Method: Exact}); !errors.As(err, &unsupported) {
		t.Errorf("bernoulli: %v", err)
	}
}
