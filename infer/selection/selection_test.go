package selection

import (
	"errors"
	"math"
	"testing"

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
	must(t, err)
	return target
}

// evidence is the density of y with coefficients integrated out, up to powers of 2π, over a grid of sigma: one
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
	must(t, err)
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

// One step of an exact chain is a draw from the posterior, whatever its state: the joint distribution of parameters
// and data is unchanged.
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
			must(t, err)
			infertest.Conforms(t, s, infertest.Posterior{Parameters: s.Parameters(),
				LogDensity: func(theta []float64) (logLik, logPrior float64) {
					return infertest.LogDensity(target, theta[:target.Dim()])
				},
				Other: func() ([]byte, error) { return nil, errors.New("none") }})
		})
	}
}

// A model without closed form, or with too many candidates, is refused with a reason.
func TestRefuses(t *testing.T) {
	var unsupported *conjugate.UnsupportedError
	many := problem(t, 30, conjugate.MaxCandidates+1, prior.Prior{Kind: prior.Normal, Scale: 2})
	if _, err := New(many, Options{Method: Exact}); !errors.As(err, &unsupported) {
		t.Errorf("too many candidates: %v", err)
	}
	_, target, err := infertest.SelectionCases()[1].Simulate(infer.NewStream(1, "x"))
	must(t, err)
	if _, err := New(target, Options{Method: Exact}); !errors.As(err, &unsupported) {
		t.Errorf("bernoulli: %v", err)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
