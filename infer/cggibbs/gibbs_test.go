package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
)

var familyNames = []string{"gaussian", "bernoulli", "binomial", "poisson"}

// posterior makes a random posterior of n rows and d columns, the first one
// constant.
func posterior(t testing.TB, family string, n, d int, law prior.Prior) *glm.Target {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := design.NewDense(n, d)
	for j := range d {
		for i := range n {
			x.Col(j)[i] = r.NormFloat64()
			if j == 0 {
				x.Col(j)[i] = 1
			}
		}
	}
	data := &glm.Data{X: x, Y: make([]float64, n), Intercept: 0}
	if family == "binomial" {
		data.Trials = make([]float64, n)
	}
	for i := range n {
		switch family {
		case "gaussian":
			data.Y[i] = r.NormFloat64()
		case "binomial":
			data.Trials[i] = float64(1 + r.IntN(5))
			data.Y[i] = float64(r.IntN(1 + int(data.Trials[i])))
		default:
			data.Y[i] = float64(r.IntN(2))
		}
	}
	f, err := laws.Parse(family, "")
	must(t, err)
	m := glm.Model{Family: f, Dispersion: prior.Prior{Kind: prior.HalfCauchy, Scale: 1}}
	for j := range d {
		m.Coefficients = append(m.Coefficients, law)
		if j == 0 && law.Kind.Shrinks() { // never the intercept
			m.Coefficients[0] = unitNormal
		}
	}
	target, err := glm.NewTarget(data, m)
	must(t, err)
	return target
}

var unitNormal = prior.Prior{Kind: prior.Normal, Scale: 1}

// chain starts chain 0 of 4.
func chain(t testing.TB, target *glm.Target, o Options) *kernel {
	t.Helper()
	s, err := New(target, o)
	must(t, err)
	k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	return k.(*kernel)
}

func step(t testing.TB, k infer.Kernel) infer.Info {
	t.Helper()
	info, err := k.Step()
	must(t, err)
	return info
}

func TestOptions(t *testing.T) {
	target := posterior(t, "bernoulli", 10, 2, unitNormal)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Basis: "oblique"}, `option basis is "oblique": want "coordinate", "rotated", "reduced", "mixture" or "auto"`},
		{Options{Update: "flip"}, `option update is "flip": want "doubling", "stepping_out", "tangent", "matched" or "rows"`},
		{Options{Update: "rows"}, `rows move in basis "reduced"`},
		{Options{Basis: "auto", Update: "rows"}, `rows move in basis "reduced"`},
		{Options{Kernels: "avx"}, `option kernels is "avx": want "scalar" or "vector"`},
		{Options{Scan: "zigzag"}, `option scan is "zigzag": want "systematic" or "random"`},
		{Options{Width: -1}, "option width is -1"},
		{Options{Width: math.NaN()}, "option width is NaN"},
		{Options{Width: math.Inf(1)}, "option width is +Inf"},
		{Options{MaxDoublings: -1}, "option max_doublings is -1"},
		{Options{MaxDoublings: 51}, "option max_doublings is 51"},
		{Options{Focus: []string{"x1"}, Scan: "random"}, `none but with scan "systematic" in basis "coordinate"`},
		{Options{Focus: []string{"x1"}, Basis: "auto"}, `none but with scan "systematic" in basis "coordinate"`},
		{Options{SweepEvery: 2}, "where focus is given"},
		{Options{Focus: []string{"x1"}, SweepEvery: -1}, "option sweep_every is -1"},
	} {
		_, err := New(target, c.o)
		var option *OptionError
		if !errors.As(err, &option) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.o, err, c.want)
		}
	}
	named := Options{Basis: "coordinate", Kernels: "vector", Scan: "systematic", Width: 1, MaxDoublings: 20, RefreshEvery: 128}
	a, b := chain(t, target, Options{}), chain(t, target, named)
	if !reflect.DeepEqual(a.opts, b.opts) {
		t.Errorf("the zero options are %+v", a.opts)
	}
	if s, _ := New(target, Options{}); s != nil {
		if _, err := s.Kernel(infer.Chain{}); err == nil {
			t.Error("a chain without a stream is no error")
		}
	}
}

// Widths are the prior's standard deviation times the option.
func TestWidths(t *testing.T) {
	k := chain(t, posterior(t, "gaussian", 30, 2, prior.Prior{Kind: prior.Normal, Scale: 10}), Options{Width: 0.5})
	if k.widths[0] != 5 || k.widths[2] != 0.5 {
		t.Errorf("widths %v", k.widths)
	}
	flat := posterior(t, "gaussian", 3000, 2, prior.Prior{Kind: prior.Flat})
	k = chain(t, flat, Options{})
	if want := 10 / math.Sqrt(3000); math.Abs(k.widths[0]/want-1) > 0.1 {
		t.Errorf("width %v of a flat coordinate, want about %v", k.widths[0], want)
	}
}

// After every coordinate the cached predictor is Xβ, the cached log likelihood
// that of the position, and no other coordinate has moved.
func TestCacheMatchesProduct(t *testing.T) {
	for _, f := range familyNames {
		target := posterior(t, f, 23, 5, unitNormal)
		k := chain(t, target, Options{RefreshEvery: -1})
		before, after := make([]float64, target.Dim()), make([]float64, target.Dim())
		moves := 0
		for range 40 {
			for j := range target.Dim() {
				k.Position(before)
				if !k.update(j) {
					t.Fatalf("%s: %v", f, k.Bad)
				}
				k.Position(after)
				for i := range after {
					if i != j && after[i] != before[i] {
						t.Fatalf("%s: an update of %d moved %d", f, j, i)
					}
				}
				if after[j] != before[j] {
					moves++
				}
				fresh := glm.NewPoint(target)
				fresh.SetTheta(after)
				for i, e := range fresh.Eta() {
					if math.Abs(e-k.point.Eta()[i]) > 1e-11 {
						t.Fatalf("%s: cached eta[%d] = %v, Xβ gives %v", f, i, k.point.Eta()[i], e)
					}
				}
				if a, b := fresh.Value().LogLik, k.point.Value().LogLik; math.Abs(a-b) > 1e-10 {
					t.Fatalf("%s: cached log likelihood %v, fresh %v", f, b, a)
				}
			}
		}
		if want := 40 * target.Dim() * 9 / 10; moves < want {
			t.Errorf("%s: %d moves, want %d at least", f, moves, want)
		}
	}
}

// The conditional log densities of a gaussian model are, up to a constant, the conjugate normal and the scaled
// inverse-χ² on the log scale.
func TestGaussianConditionals(t *testing.T) {
	target := posterior(t, "gaussian", 17, 3, prior.Prior{Kind: prior.Normal, Location: 0.5, Scale: 0.8})
	k := chain(t, target, Options{})
	data := target.Data()
	theta := []float64{0.2, -0.4, 0.9, 1.3}
	must(t, k.SetPosition(theta))
	sigma := theta[3]
	for j := range 3 {
		precision, shift := 1/0.64, 0.5/0.64
		for i, x := range data.X.Col(j) {
			rest := data.Y[i]
			for l := range 3 {
				if l != j {
					rest -= data.X.Col(l)[i] * theta[l]
				}
			}
			precision += x * x / (sigma * sigma)
			shift += x * rest / (sigma * sigma)
		}
		mean := shift / precision
		logf := func(b float64) float64 { return -precision * (b - mean) * (b - mean) / 2 }
		checkConditional(t, k, j, theta[j], logf)
	}
	rss := 0.0
	for i, y := range data.Y {
		r := y
		for l := range 3 {
			r -= data.X.Col(l)[i] * theta[l]
		}
		rss += r * r
	}
	checkConditional(t, k, 3, math.Log(sigma), func(l float64) float64 {
		s := math.Exp(l)
		return -17*l - rss/(2*s*s) - math.Log1p(s*s) + l // half-Cauchy, Jacobian
	})
}

// checkConditional compares differences of the log density of coordinate j.
func checkConditional(t *testing.T, k *kernel, j int, here float64, logf func(float64) float64) {
	t.Helper()
	k.coord, k.here = j, here
	zero, _ := k.at(0)
	for _, d := range []float64{-3, -1, -0.1, 0.2, 0.7, 5} {
		v, _ := k.at(d)
		got, want := v-zero, logf(here+d)-logf(here)
		if math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
			t.Errorf("coordinate %d: log density differs by %v over %v, conjugate %v", j, got, d, want)
		}
	}
}

// Cached and uncached chains share every decision, so that their points agree
// up to rounding and their counts of evaluations exactly.
func TestUncachedAgrees(t *testing.T) {
	for _, f := range familyNames {
		for _, scan := range []string{"systematic", "random"} {
			target := posterior(t, f, 15, 6, unitNormal)
			a := chain(t, target, Options{Scan: scan})
			b := chain(t, target, Options{Scan: scan, Uncached: true})
			x, y := make([]float64, target.Dim()), make([]float64, target.Dim())
			for i := range 400 {
				u, v := step(t, a), step(t, b)
				if u.Evaluations != v.Evaluations {
					t.Fatalf("%s, %s, iteration %d: %d evaluations cached, %d uncached", f, scan, i, u.Evaluations, v.Evaluations)
				}
				a.Position(x)
				b.Position(y)
				for j := range x {
					if math.Abs(x[j]-y[j]) > 1e-9 {
						t.Fatalf("%s, %s, iteration %d: θ[%d] = %v cached, %v uncached", f, scan, i, j, x[j], y[j])
					}
				}
			}
		}
	}
}

// One sweep reads n entries for each evaluation and each move when cached, n·d
// for each evaluation when not: counted exactly for d = 2 … 4096. A poisson
// model has no sigma, whose updates read nothing.
func TestCountsOfWork(t *testing.T) {
	const n = 4
	for d := 2; d <= 4096; d *= 2 {
		if d > 256 && testing.Short() {
			break
		}
		sweeps := int64(3)
		if d > 512 && !infertest.Full() {
			sweeps = 1
		}
		target := posterior(t, "poisson", n, d, unitNormal)
		cached := chain(t, target, Options{RefreshEvery: -1})
		uncached := chain(t, target, Options{RefreshEvery: -1, Uncached: true})
		var a, b infer.Info
		for range sweeps {
			u, v := step(t, cached), step(t, uncached)
			a.Evaluations, a.Touched = a.Evaluations+u.Evaluations, a.Touched+u.Touched
			b.Evaluations, b.Touched = b.Evaluations+v.Evaluations, b.Touched+v.Touched
		}
		if a.Evaluations != b.Evaluations {
			t.Fatalf("d=%d: %d evaluations cached, %d uncached", d, a.Evaluations, b.Evaluations)
		}
		if want := n * (a.Evaluations + int64(d)*sweeps); a.Touched != want {
			t.Errorf("d=%d: %d entries read cached, want %d", d, a.Touched, want)
		}
		if want := int64(n*d) * b.Evaluations; b.Touched != want {
			t.Errorf("d=%d: %d entries read uncached, want %d", d, b.Touched, want)
		}
		perSweep := float64(a.Touched) / float64(sweeps*n) / float64(d)
		t.Logf("d=%4d: entries per sweep and row: %8.0f cached (%.1f·d), %10.0f uncached (%.1f·d²)", d,
			perSweep*float64(d), perSweep, float64(b.Touched)/float64(sweeps*n), float64(b.Touched)/float64(sweeps*n)/float64(d)/float64(d))
		if perSweep > 30 {
			t.Errorf("d=%d: %.1f passes per coordinate", d, perSweep)
		}
	}
}

// A refresh ends rounding error that moves leave in the cache.
func TestRefresh(t *testing.T) {
	target := posterior(t, "bernoulli", 40, 8, unitNormal)
	never, often := chain(t, target, Options{RefreshEvery: -1}), chain(t, target, Options{RefreshEvery: 4})
	for range 2000 {
		step(t, never)
	}
	drift := func(k *kernel) float64 {
		theta := make([]float64, target.Dim())
		k.Position(theta)
		fresh, worst := glm.NewPoint(target), 0.0
		fresh.SetTheta(theta)
		for i, e := range fresh.Eta() {
			worst = max(worst, math.Abs(e-k.point.Eta()[i]))
		}
		return worst
	}
	if d := drift(never); d == 0 || d > 1e-11 {
		t.Errorf("without refreshes the cache drifts by %v in 2000 sweeps", d)
	}
	for i := range 9 {
		info := step(t, often)
		extra := info.Touched - 40*info.Evaluations - 40*8
		if want := map[bool]int64{true: 40 * 8}[i%4 == 0]; extra != want {
			t.Errorf("iteration %d reads %d entries for a refresh, want %d", i, extra, want)
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for _, f := range familyNames {
		for _, o := range []Options{{}, {Scan: "random", RefreshEvery: 1}, {Uncached: true}, {Kernels: "vector", RefreshEvery: 1}} {
			k := chain(t, posterior(t, f, 20, 4, unitNormal), o)
			if a := testing.AllocsPerRun(20, func() { step(t, k) }); a != 0 {
				t.Errorf("%s, %+v: %v allocations in a step", f, o, a)
			}
		}
	}
}

// A cache that holds NaN is reported, and the coordinates stay as they were.
func TestNonFinite(t *testing.T) {
	k := chain(t, posterior(t, "bernoulli", 20, 3, unitNormal), Options{})
	step(t, k)
	before, after := make([]float64, 3), make([]float64, 3)
	k.Position(before)
	cache := k.point.Cache()
	cache[4] = math.NaN() // one entry of eta
	k.point.SetCache(cache)
	_, err := k.Step()
	var bad *update.NonFiniteError
	if !errors.As(err, &bad) || bad.Parameter != "x1" || bad.Iteration != 1 || bad.Value == bad.Value {
		t.Fatalf("error %v", err)
	}
	if k.Position(after); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the chain moved from %v to %v", before, after)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, shape := range []struct {
		family string
		n, d   int
	}{
		{"bernoulli", 62, 2001}, {"bernoulli", 1000, 100}, {"binomial", 1000, 100}, {"poisson", 1000, 100},
		{"gaussian", 1000, 100}, {"bernoulli", 100_000, 10},
	} {
		for _, uncached := range []bool{false, true} {
			if uncached && shape.n*shape.d*shape.d > 1e7 {
				continue
			}
			b.Run(fmt.Sprintf("family=%s/prior=normal/n=%d/d=%d/uncached=%v", shape.family, shape.n, shape.d, uncached), func(b *testing.B) {
				k := chain(b, posterior(b, shape.family, shape.n, shape.d, prior.Prior{Kind: prior.Normal, Scale: 10}), Options{Uncached: uncached})
				var evaluations, touched int64
				for b.Loop() {
					info := step(b, k)
					evaluations += info.Evaluations
					touched += info.Touched
				}
				b.ReportMetric(float64(evaluations)/float64(b.N)/float64(shape.d), "evals/update")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(touched), "ns/entry")
			})
		}
	}
}
