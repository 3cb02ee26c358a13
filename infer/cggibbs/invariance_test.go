package cggibbs

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

// sampler returns New with options.
func sampler(o Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) { return New(target, o) }
}

var variants = []struct {
	name string
	Options
}{
	{"paper", Options{}},
	{"random scan, narrow, few doublings", Options{Scan: "random", Width: 0.1, MaxDoublings: 3, RefreshEvery: -1}},
	{"wide, vector kernels", Options{Width: 5, RefreshEvery: 2, Kernels: "vector"}},
}

func TestConformance(t *testing.T) {
	for _, f := range familyNames {
		for _, v := range variants {
			t.Run(f+"/"+v.name, func(t *testing.T) {
				infertest.Conformance(t, posterior(t, f, 13, 3, unitNormal), sampler(v.Options))
			})
		}
	}
}

// False alarms: at most 1e-6 for each of 15 checks. Power: see
// infertest.Invariance; 2,000 independent pairs each.
func TestInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for _, c := range infertest.Cases() {
		for _, v := range variants {
			t.Run(c.Name+"/"+v.name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(v.Options), Seed: seed})
			})
		}
	}
}

// stale is a sampler whose cache misses every move of one sweep in two.
type stale struct {
	*kernel
	odd bool
}

func (s *stale) Step() (infer.Info, error) {
	before := s.point.Cache()
	info, err := s.kernel.Step()
	if s.odd = !s.odd; s.odd {
		s.point.SetCache(before)
	}
	return info, err
}

type staleSetup struct{ infer.Setup }

func (s staleSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Setup.Kernel(c)
	if err != nil {
		return nil, err
	}
	return &stale{kernel: k.(*kernel)}, nil
}

// staleCache plants the stale cache.
func staleCache(target *glm.Target) (infer.Setup, error) {
	s, err := New(target, Options{RefreshEvery: -1})
	return staleSetup{s}, err
}

// Each planted fault must be rejected by the check above, for every family.
func TestInvarianceCatches(t *testing.T) {
	plain := sampler(Options{})
	faults := map[string]infertest.Sampler{
		"prior scale": infertest.WrongPriorScale(plain, 2),
		"stale cache": staleCache,
	}
	for _, c := range infertest.Cases() {
		if c.Model.Family.HasDispersion() {
			faults["sigma scale"] = infertest.WrongSigmaScale(plain, 4)
		} else {
			delete(faults, "sigma scale")
		}
		for name, faulty := range faults {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				infertest.MustReject(t, func(tb infertest.TB) {
					infertest.Invariance(tb, infertest.Check{Case: c, Sampler: faulty, Seed: 1, Steps: 4})
				})
			})
		}
	}
}

// Ranks begin at the sampler's own starts, and see what never moves.
//
// False alarms: at most 1e-6 for each of 5 checks. Power: a distance of 0.14
// from uniform ranks with 460 pairs, of 0.03 with 10,000.
func TestRanks(t *testing.T) {
	seed := infertest.Seed(t)
	check := infertest.Check{Sampler: sampler(Options{}), Seed: seed, Pairs: infertest.Scale(460, 10_000),
		Steps: infertest.Scale(10, 25), Draws: infertest.Scale(7, 15)}
	for _, c := range infertest.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			check.Case = c
			infertest.Ranks(t, check)
		})
	}
	frozen := check
	frozen.Case, frozen.Sampler = infertest.Poisson(8), infertest.Frozen(check.Sampler, 1)
	infertest.MustReject(t, func(tb infertest.TB) { infertest.Ranks(tb, frozen) })
}
