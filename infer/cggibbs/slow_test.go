package cggibbs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// directed gives a coordinate sampler two directions of all coefficients, as slow ones.
func directed(o Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		o, err := o.filled()
		if err != nil {
			return nil, err
		}
		made, err := newBasis(target, o)
		if err != nil {
			return nil, err
		}
		betas := make([][]float64, 2)
		for i := range betas {
			for j := range target.Cols() {
				betas[i] = append(betas[i], 0.4*math.Cos(float64(3*i+2*j)))
			}
		}
		made.(*basisSetup).follow(betas)
		return made, nil
	}
}

var directedVariants = []Options{{Update: "stepping_out"}, {Update: "tangent"}, {Update: "matched", RefreshEvery: -1}, {Update: "doubling", Scan: "random"}}

// slowCases are those with normal and flat priors, dense and sparse.
func slowCases() []infertest.Case {
	var out []infertest.Case
	for _, c := range infertest.Cases() {
		sparse, _ := withZeros(&c.Data)
		out = append(out, c)
		c.Name, c.Data = c.Name+"/sparse", *sparse
		out = append(out, c)
	}
	return out
}

func TestSlowConformance(t *testing.T) {
	for i, c := range slowCases() {
		o := directedVariants[i%len(directedVariants)]
		if _, err := o.update(&c.Model); err != nil {
			continue // not log-concave
		}
		t.Run(c.Name+"/"+o.Update, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), directed(o)) })
	}
}

// The cached predictor and v are those of the coefficients after every iteration.
func TestSlowCacheMatchesProduct(t *testing.T) {
	for _, c := range slowCases() {
		target := simulated(t, c)
		s, err := directed(Options{Update: "stepping_out", RefreshEvery: -1})(target)
		if err != nil {
			t.Fatal(err)
		}
		made, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "slow")})
		if err != nil {
			t.Fatal(err)
		}
		k, theta, before := made.(*basisKernel), make([]float64, target.Dim()), make([]float64, target.Dim())
		for range 20 {
			k.Position(before)
			if !k.moveSlow() {
				t.Fatal(k.failed(-1))
			}
			copy(theta, k.line.v)
			moved := 0
			for j := range target.Cols() {
				if k.point.Beta(j) != k.line.v[j] {
					t.Fatalf("%s: coefficient %d is %v in the predictor, %v in v", c.Name, j, k.point.Beta(j), k.line.v[j])
				}
				if theta[j] != before[j] {
					moved++
				}
			}
			if moved < target.Cols() {
				t.Fatalf("%s: %d of %d coefficients moved", c.Name, moved, target.Cols())
			}
			k.point.Settle()
			k.arrive()
			got, eta := k.point.Value().LogLik, append([]float64(nil), k.point.Eta()...)
			k.point.Refresh()
			for i, want := range k.point.Eta() {
				if !(math.Abs(eta[i]-want) <= 1e-12*(1+math.Abs(want))) {
					t.Fatalf("%s: row %d is %v, product %v", c.Name, i, eta[i], want)
				}
			}
			if want := k.point.Value().LogLik; !(math.Abs(got-want) <= 1e-10*(1+math.Abs(want))) {
				t.Fatalf("%s: log_lik %v, anew %v", c.Name, got, want)
			}
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between laws
// with 460 pairs, of 0.029 in full. The quick form takes one pair of case and variant
// in eight.
func TestSlowInvariance(t *testing.T) {
	if testing.Short() {
		t.Skip("statistical; run without -short")
	}
	seed := infertest.Seed(t)
	for i, c := range slowCases() {
		for k, o := range directedVariants {
			if !infertest.Full() && (i+k)%8 != 3 {
				continue
			}
			if _, err := o.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(fmt.Sprintf("%s/%s", c.Name, o.Update), func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: directed(o), Seed: seed, Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Faults of the updates along directions must be rejected: a prior of another slope
// or centre, and a predictor that moves otherwise than the coefficients.
func TestSlowCatches(t *testing.T) {
	if testing.Short() {
		t.Skip("statistical; run without -short")
	}
	for name, plant := range map[string]func(s *slowDirections, i int){
		"slope of the prior": func(s *slowDirections, i int) {
			for j := range s.weighted[i] {
				s.weighted[i][j] *= -3
			}
		},
		"centre of the prior": func(s *slowDirections, i int) { s.centre[i] += 1.5 },
		"rows": func(s *slowDirections, i int) {
			for r := range s.lines[i].Eta {
				s.lines[i].Eta[r] *= -1
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			faulty := func(target *glm.Target) (infer.Setup, error) {
				made, err := directed(Options{Update: "stepping_out"})(target)
				if err == nil {
					for i := range 2 {
						plant(made.(*basisSetup).slow, i)
					}
				}
				return made, err
			}
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: infertest.Poisson(8), Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(1000, 20_000)})
			})
		})
	}
}

// words is a sparse posterior whose columns have a row each, but for the first sixteen,
// which are eight pairs of columns that differ in one row: twelve slow directions, with the
// columns that stand twice.
func words(t testing.TB, n, d int) *glm.Target {
	t.Helper()
	x, y := design.NewSparse(n, d, n*d/8), make([]float64, n)
	stream := infer.NewStream(6, "words")
	for j := range d {
		rows, values := []int32{int32(j % n)}, []float64{1}
		switch {
		case j < 16 && j%2 == 0:
			rows, values = nil, nil
			for i := range n {
				if stream.Float64() < 0.2 {
					rows, values = append(rows, int32(i)), append(values, 1)
				}
			}
		case j < 16:
			c := x.Column(j - 1)
			rows, values = c.Rows[1:], c.Values[1:]
		}
		x.Append(rows, values)
	}
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}}
	for range d {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 10})
	}
	for i := range y {
		if stream.Float64() < 0.5 {
			y[i] = 1
		}
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: -1}, m)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// Slow directions are orthonormal in the curvature, and sweeps with them forget sooner:
// what two sweeps leave of a direction is much, of a random one little.
func TestFindSlow(t *testing.T) {
	target := words(t, 300, 304)
	betas, err := findSlow(target)
	if err != nil {
		t.Fatal(err)
	}
	if want := 304 / slowShare / 2; len(betas) != want { // twice as many do not stay independent
		t.Errorf("%d directions, want %d", len(betas), want)
	}
	weights, ridge := curvatureAt(target)
	for a, u := range betas {
		for b, v := range betas[:a+1] {
			sum := 0.0
			one, other := make([]float64, len(weights)), make([]float64, len(weights))
			for j, r := range ridge {
				sum += r * u[j] * v[j]
				target.Data().X.Column(j).AddTo(one, u[j])
				target.Data().X.Column(j).AddTo(other, v[j])
			}
			for i, w := range weights {
				sum += w * one[i] * other[i]
			}
			if a == b {
				sum--
			}
			if !(math.Abs(sum) <= 1e-10) {
				t.Errorf("product of directions %d and %d is off by %v", a, b, sum)
			}
		}
	}
	before, after := dependence(target), dependenceWith(target, betas)
	t.Logf("%.1f sweeps to a draw, %.1f with slow directions", before, after)
	if !(after < 0.7*before) {
		t.Errorf("%v sweeps to a draw, %v with slow directions: they are not slow", before, after)
	}
	s := newRowRelaxed(target.Data().X, weights, ridge)
	for i, beta := range betas {
		for j, x := range beta {
			s.move(j, x-s.u[j])
		}
		if energy := s.energy(); !(math.Abs(energy-1) <= 1e-10) {
			t.Errorf("direction %d has an energy of %v before a sweep", i, energy)
		}
	}
}

// Where there are no slow directions the sampler does without, and says why.
func TestNoSlowDirections(t *testing.T) {
	for _, c := range []struct {
		target *glm.Target
		want   string
	}{
		{posterior(t, "bernoulli", 10, 3, unitNormal), "or there are too few coefficients"},
		{posterior(t, "bernoulli", 10, 3, prior.Prior{Kind: prior.Laplace, Scale: 1}), "these want normal or flat priors"},
	} {
		s, err := New(c.target, Options{Slow: "on"})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.(infer.Explainer).Explain(); !strings.Contains(got, "; no slow directions: ") || !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	for _, o := range []Options{{Slow: "yes"}, {Slow: "on", Basis: "reduced"}, {Slow: "on", Uncached: true}} {
		if _, err := New(posterior(t, "bernoulli", 10, 3, unitNormal), o); err == nil || !strings.Contains(err.Error(), "option slow") {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}

// Auto takes slow directions where they save operations on a sparse design, and the
// reduced basis where rows are few; what it takes has the draws of its options.
func TestAutoOfSparse(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want Options
		says string
	}{
		{300, 304, Options{Update: "tangent", Slow: "on"}, "coordinate: each of 304 coefficients by itself, then 9 directions"},
		{30, 900, Options{Basis: "reduced"}, "reduced: the likelihood sees 30 directions"},
	} {
		target := words(t, c.n, c.d)
		var infos []infer.Info
		for _, o := range []Options{{Basis: "auto"}, c.want} {
			s, err := New(target, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.(infer.Explainer).Explain(); !strings.HasPrefix(got, c.says) {
				t.Errorf("%d × %d: %q, want %q", c.n, c.d, got, c.says)
			}
			k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
			if err != nil {
				t.Fatal(err)
			}
			infos = append(infos, step(t, k))
		}
		if infos[0] != infos[1] {
			t.Errorf("%d × %d: auto has other draws", c.n, c.d)
		}
	}
}
