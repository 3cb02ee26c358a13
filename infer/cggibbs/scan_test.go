package cggibbs

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// scanOf returns the scan of a set-up.
func scanOf(t testing.TB, s infer.Setup) *scan {
	t.Helper()
	switch s := s.(type) {
	case *setup:
		return s.scan
	case *basisSetup:
		return s.scan
	}
	t.Fatalf("a %T has no scan", s)
	return nil
}

// listed is the sampler with a scan that the test chooses.
func listed(o Options, every int64, list ...int32) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		s, err := New(target, o)
		if err == nil {
			switch at := s.(type) {
			case *setup:
				at.scan.every, at.scan.list = every, list
			case *basisSetup:
				at.scan.every, at.scan.list = every, list
			}
		}
		return s, err
	}
}

// updates of both kernels.
var updates = []string{"doubling", "matched"}

// Between sweeps the coordinates of the list move and no other ones; in sweeps and in
// warm-up all of them do, dispersions too. Which iterations are sweeps is a matter of
// their number.
func TestScanVisits(t *testing.T) {
	target := posterior(t, "gaussian", 20, 5, unitNormal)
	for _, update := range []string{"", "stepping_out"} {
		s, err := listed(Options{Update: update}, 4, 2, 0, 2)(target)
		must(t, err)
		const warmup = 5
		k, err := s.Kernel(infer.Chain{Count: 4, Warmup: warmup, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		before, now := make([]float64, target.Dim()), make([]float64, target.Dim())
		k.Position(before)
		for i := range 20 {
			step(t, k)
			k.Position(now)
			sweep := i < warmup || (i-warmup)%4 == 0
			for j := range now {
				if moved := now[j] != before[j]; moved != (sweep || j == 0 || j == 2) {
					t.Errorf("update %q, iteration %d, coordinate %d: moved %v", update, i, j, moved)
				}
			}
			copy(before, now)
		}
	}
}

// Chosen scans visit every coordinate in 64 iterations at least, and are explained. Where none can be made all
// iterations are sweeps, and the set-up says why; it never fails.
func TestFocus(t *testing.T) {
	many := posterior(t, "bernoulli", 60, 12, unitNormal)
	horseshoes := posterior(t, "bernoulli", 12, 4, prior.Prior{Kind: prior.Horseshoe, Scale: 1})
	walled := posterior(t, "bernoulli", 12, 3, prior.Prior{Kind: prior.Uniform, Low: -3, High: 3})
	for _, c := range []struct {
		name   string
		target *glm.Target
		Options
		want string
	}{
		{"one", many, Options{Focus: []string{"x3"}}, "scan for x3: a sweep over all 12 coordinates in every"},
		{"matched", many, Options{Update: "matched", Focus: []string{"x3", "x4"}}, "scan for x3, x4: a sweep over all 12"},
		{"period", many, Options{Focus: []string{"x3"}, SweepEvery: 3}, "in every 3 iterations"},
		{"dispersion", posterior(t, "gaussian", 40, 6, unitNormal), Options{Focus: []string{"x2"}}, "a sweep over all 7 coordinates"},
		{"every iteration", many, Options{Focus: []string{"x3"}, SweepEvery: 1}, "no list costs fewer updates"},
		{"horseshoe", horseshoes, Options{Focus: []string{"x3"}}, "the scales of horseshoe priors"},
		{"wall", walled, Options{Focus: []string{"x3"}}, "a uniform prior has no curvature"},
		{"unknown", many, Options{Focus: []string{"x33"}}, "there is no coefficient x33"},
		{"too many", posterior(t, "bernoulli", 2, focusLimit+1, unitNormal), Options{Focus: []string{"x3"}}, "1001 coefficients are more than 1000"},
		{"none", many, Options{Focus: []string{}}, "the target has no variables"},
	} {
		s, err := New(c.target, c.Options)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		words := s.(infer.Explainer).Explain()
		if !strings.Contains(words, c.want) {
			t.Errorf("%s: %q, want %q", c.name, words, c.want)
		}
		checkCertificates(t, c.name, s.(infer.Certifier).Certificates(), scanOf(t, s), c.Focus)
		plan := scanOf(t, s)
		if plan.every < 1 || plan.every > 64 || plan.every > 1 && len(plan.list) == 0 {
			t.Errorf("%s: a sweep in every %d iterations, list %v", c.name, plan.every, plan.list)
		}
		if c.SweepEvery > 1 && plan.every != int64(c.SweepEvery) {
			t.Errorf("%s: a sweep in every %d iterations, asked for %d", c.name, plan.every, c.SweepEvery)
		}
		k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		for range 3 {
			step(t, k)
		}
	}
}

// Setups of every basis without a list certify nothing, and do not fail.
func TestNoCertificates(t *testing.T) {
	target := posterior(t, "bernoulli", 8, 12, unitNormal)
	reduced := func(t *glm.Target) (infer.Setup, error) {
		return ReducedBy(t, func(t *glm.Target) (infer.Setup, error) { return New(t, Options{}) })
	}
	for name, s := range map[string]infertest.Sampler{
		"coordinate": sampler(Options{}), "matched": sampler(Options{Update: "matched"}), "rotated": sampler(Options{Basis: "rotated"}),
		"reduced": sampler(Options{Basis: "reduced"}), "auto": sampler(Options{Basis: "auto"}), "joint": sampler(Options{Basis: "rotated", Joint: "on"}), "reduced by": reduced,
	} {
		made, err := s(target)
		must(t, err)
		if c, ok := made.(infer.Certifier); ok && c.Certificates() != nil {
			t.Errorf("%s: %+v", name, c.Certificates())
		}
	}
}

// checkCertificates checks the certificates of a scan: a bound below one if there is a plan, else none, with the
// reason.
func checkCertificates(t *testing.T, name string, got []infer.Certificate, s *scan, focus []string) {
	t.Helper()
	if len(got) == 0 || !slices.Equal(got[0].Names, focus) || got[0].Note == "" {
		t.Errorf("%s: certificates %+v", name, got)
		return
	}
	switch w := got[0]; {
	case s.plan == nil && (len(got) != 1 || !math.IsNaN(w.Bound) || w.Updates != 0):
		t.Errorf("%s: certified without a plan: %+v", name, got)
	case s.plan != nil && !(len(got) == 2 && w.Bound >= 0 && w.Bound < 1 && w.Updates >= 1):
		t.Errorf("%s: certificates %+v", name, got)
	case s.plan != nil && math.IsNaN(got[1].Bound) != (s.plan.Norms.Least() >= 1):
		t.Errorf("%s: norms %+v, and %+v", name, s.plan.Norms, got[1])
	}
}

// The precision is the curvature of the posterior's log density at its mode, by
// finite differences of the density itself.
func TestPrecision(t *testing.T) {
	target := posterior(t, "poisson", 30, 4, unitNormal)
	q, err := precision(target)
	must(t, err)
	peak := slices.Clone(target.Penalised())
	at := func(i, j int, a, b float64) float64 {
		u := slices.Clone(peak)
		u[i] += a
		u[j] += b
		p := glm.NewPoint(target)
		p.SetUnconstrained(u)
		return p.Value().LogLik + p.LogPrior()
	}
	const h = 1e-3
	for i := range 4 {
		for j := range i + 1 {
			second := -(at(i, j, h, h) - at(i, j, h, -h) - at(i, j, -h, h) + at(i, j, -h, -h)) / (4 * h * h)
			if got := q[i*4+j]; math.Abs(got-second) > 0.02*math.Sqrt(q[i*5]*q[j*5]) {
				t.Errorf("entry %d, %d of the precision is %v, by differences %v", i, j, got, second)
			}
		}
	}
}

// A chain that is saved and restored before every iteration gives the bits of one
// that is left alone, wherever in its cycle it is.
func TestScanRestored(t *testing.T) {
	target := posterior(t, "bernoulli", 40, 6, unitNormal)
	for _, update := range updates {
		s, err := New(target, Options{Focus: []string{"x2"}, SweepEvery: 5, RefreshEvery: 7, Update: update})
		must(t, err)
		if scanOf(t, s).every != 5 {
			t.Fatalf("no list: %s", s.(infer.Explainer).Explain())
		}
		fresh := func() infer.Kernel {
			k, err := s.Kernel(infer.Chain{Count: 4, Warmup: 3, Stream: infer.NewStream(1, "chain")})
			must(t, err)
			return k
		}
		a, b := fresh(), fresh()
		x, y := make([]float64, target.Dim()), make([]float64, target.Dim())
		for i := range 30 {
			state, err := b.MarshalBinary()
			must(t, err)
			b = fresh()
			must(t, b.UnmarshalBinary(state))
			u, v := step(t, a), step(t, b)
			a.Position(x)
			b.Position(y)
			sa, _ := a.MarshalBinary()
			if sb, _ := b.MarshalBinary(); u != v || !slices.Equal(x, y) || !bytes.Equal(sa, sb) {
				t.Fatalf("%s, iteration %d: %v and %+v, restored %v and %+v", update, i, x, u, y, v)
			}
		}
	}
}

// False alarms: at most 1e-6 for each of 10 checks. Power: a distance of 0.19 between distributions with 460 pairs,
// of 0.029 in full. Lists are those that are found, and one that repeats and leaves coordinates out; the iterations
// of a pair are a sweep and lists.
func TestScanInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range infertest.Cases() {
		for k, update := range updates {
			if (i+k)%2 == 1 && !infertest.Full() {
				continue
			}
			for name, s := range map[string]infertest.Sampler{
				"found":  sampler(Options{Focus: []string{"b"}, SweepEvery: 3, Update: update}),
				"chosen": listed(Options{Update: update}, 3, 2, 0, 2),
			} {
				t.Run(c.Name+"/"+update+"/"+name, func(t *testing.T) {
					infertest.Invariance(t, infertest.Check{Case: c, Sampler: s, Seed: seed, Steps: 3, Pairs: infertest.Scale(460, 20_000)})
				})
			}
		}
	}
}

// steered is a fault: which coordinate the list holds depends on the state.
type steered struct{ *kernel }

func (s steered) Step() (infer.Info, error) {
	s.scan.list = s.scan.list[:0]
	if s.point.Beta(1) < 0 {
		s.scan.list = append(s.scan.list, 1)
	}
	return s.kernel.Step()
}

type steeredSetup struct{ infer.Setup }

func (s steeredSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Setup.Kernel(c)
	if err != nil {
		return nil, err
	}
	return steered{k.(*kernel)}, nil
}

// A list that depends on the state is no Gibbs sampler of the posterior, and a sweep
// that leaves a coordinate out never gets there: both must be rejected, the first by the check
// above, the second by ranks, which begin at the sampler's own starts and see what never moves.
func TestScanCatches(t *testing.T) {
	c := infertest.Poisson(8)
	infertest.MustReject(t, func(tb infertest.TB) {
		infertest.Invariance(tb, infertest.Check{Case: c, Seed: 1, Steps: 8, Pairs: 1000,
			Sampler: func(target *glm.Target) (infer.Setup, error) {
				s, err := listed(Options{}, 16)(target)
				return steeredSetup{s}, err
			}})
	})
	infertest.MustReject(t, func(tb infertest.TB) {
		infertest.Ranks(tb, infertest.Check{Case: c, Seed: 1, Steps: 10, Draws: 7, Pairs: 460,
			Sampler: func(target *glm.Target) (infer.Setup, error) {
				s, err := listed(Options{}, 3, 0)(target)
				s.(*setup).scan.dim = 2 // coordinate 2 is in no scan
				return s, err
			}})
	})
}

// Ranks begin at the sampler's own starts. False alarms: at most 1e-6 each. Power: a
// distance of 0.14 from uniform ranks with 460 pairs, of 0.03 with 10,000.
func TestScanRanks(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range infertest.Cases() {
		if i%3 != 0 && !infertest.Full() {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Ranks(t, infertest.Check{Case: c, Sampler: listed(Options{}, 3, 2, 1), Seed: seed,
				Pairs: infertest.Scale(460, 10_000), Steps: infertest.Scale(12, 45), Draws: infertest.Scale(7, 15)})
		})
	}
}
