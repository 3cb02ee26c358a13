package cggibbs

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
)

// Every other family, link and kind of prior; in the quick form every third.
//
// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 with GLMBATCH_STAT=1.
func TestFamilyInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range infertest.FamilyCases() {
		if i%infertest.Scale(3, 1) != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(Options{}), Seed: seed, Steps: infertest.Scale(2, 3), Pairs: infertest.Scale(460, 20_000)})
		})
	}
}

// Faults of the target must be rejected for every family: prior scales three
// times too large, and a first dispersion whose prior is twenty times too wide.
// The quick form takes every twentieth case.
func TestFamilyInvarianceCatches(t *testing.T) {
	plain := sampler(Options{})
	for i, c := range infertest.FamilyCases() {
		if i%infertest.Scale(20, 1) != 0 {
			continue
		}
		check := func(name string, s infertest.Sampler) {
			t.Run(c.Name+"/"+name, func(t *testing.T) {
				infertest.MustReject(t, func(tb infertest.TB) {
					infertest.Invariance(tb, infertest.Check{Case: c, Sampler: s, Seed: 1, Steps: infertest.Scale(5, 10), Pairs: infertest.Scale(1000, 20_000)})
				})
			})
		}
		check("prior scale", infertest.WrongPriorScale(plain, 3))
		if c.Model.Family.HasDispersion() {
			check("dispersion scale", infertest.WrongSigmaScale(plain, 20))
		}
	}
}

// Restarts, streams and worker counts give the same bits for every family.
func TestFamilyConformance(t *testing.T) {
	for _, c := range infertest.FamilyCases() {
		t.Run(c.Name, func(t *testing.T) {
			_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
			must(t, err)
			infertest.Conformance(t, target, sampler(Options{RefreshEvery: 3}))
		})
	}
}

// Cached and uncached chains agree draw for draw while decisions do, on a law as
// on the closed sums.
func TestFamilyUncached(t *testing.T) {
	for _, c := range infertest.FamilyCases() {
		_, target, err := c.Simulate(infer.NewStream(6, "uncached", c.Name))
		must(t, err)
		var ends [2][]float64
		for i, uncached := range []bool{false, true} {
			s, err := New(target, Options{Uncached: uncached})
			must(t, err)
			k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "x")})
			must(t, err)
			for range 30 {
				step(t, k)
			}
			ends[i] = make([]float64, target.Dim())
			k.Position(ends[i])
		}
		for j := range ends[0] {
			if d := ends[0][j] - ends[1][j]; d > 1e-8 || d < -1e-8 {
				t.Errorf("%s: parameter %d is %v cached, %v uncached", c.Name, j, ends[0][j], ends[1][j])
			}
		}
	}
}

// Chains with vector kernels make the scalar chains' draws, to the bit, for every
// family and in every basis; so whatever holds for the one holds for the other.
func TestKernelsAgree(t *testing.T) {
	for _, c := range append(infertest.Cases(), infertest.FamilyCases()...) {
		_, target, err := c.Simulate(infer.NewStream(7, "kernels", c.Name))
		must(t, err)
		for _, basis := range []string{"coordinate", "rotated", "reduced"} {
			var kernels [2]infer.Kernel
			parameters := 0
			for i, name := range []string{"scalar", "vector"} {
				s, err := New(target, Options{Basis: basis, Kernels: name, RefreshEvery: 7})
				must(t, err)
				parameters = len(s.Parameters())
				if kernels[i], err = s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "x")}); err != nil {
					t.Fatal(err)
				}
			}
			x, y := make([]float64, parameters), make([]float64, parameters)
			for i := range 60 {
				u, v := step(t, kernels[0]), step(t, kernels[1])
				kernels[0].Position(x)
				kernels[1].Position(y)
				if u != v || !slices.Equal(x, y) {
					t.Fatalf("%s, %s, iteration %d: %v and %+v scalar, %v and %+v vector", c.Name, basis, i, x, u, y, v)
				}
			}
		}
	}
}

// A law's rows pass through blocks that are used again.
func TestFamilyStepAllocatesNothing(t *testing.T) {
	for _, c := range infertest.FamilyCases() {
		_, target, err := c.Simulate(infer.NewStream(6, "allocations", c.Name))
		must(t, err)
		s, err := New(target, Options{})
		must(t, err)
		k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "x")})
		must(t, err)
		if a := testing.AllocsPerRun(20, func() { step(t, k) }); a != 0 {
			t.Errorf("%s: %v allocations in a step", c.Name, a)
		}
	}
}
