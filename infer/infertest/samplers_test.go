package infertest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

func conjugateSampler(target *glm.Target) (infer.Setup, error) { return conjugate.New(target) }

func gibbs(opts cggibbs.Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) { return cggibbs.New(target, opts) }
}

// placeGibbs puts a fresh chain of cggibbs at theta through its state, whose
// layout package cggibbs documents: beta and log sigma follow version, flags,
// iteration and their number.
func placeGibbs(k infer.Kernel, theta []float64) error {
	state, err := k.MarshalBinary()
	if err != nil {
		return err
	}
	if state[0] != 1 || state[1] != 0 {
		return fmt.Errorf("state of version %d with flags %d: placeGibbs knows 1 and 0", state[0], state[1])
	}
	u := int(binary.LittleEndian.Uint64(state[10:]))
	for j, v := range theta[:u] {
		if j == 3 { // the cases have three coefficients, then sigma
			v = math.Log(v)
		}
		binary.LittleEndian.PutUint64(state[18+8*j:], math.Float64bits(v))
	}
	if err := k.UnmarshalBinary(state); err != nil {
		return err
	}
	got := make([]float64, len(theta))
	k.Position(got)
	for j, v := range theta {
		if math.Abs(got[j]-v) > 1e-14*math.Abs(v) {
			return fmt.Errorf("placed at %v, want %v", got, theta)
		}
	}
	return nil
}

// anywhere is for samplers whose draws do not depend on the point before.
func anywhere(infer.Kernel, []float64) error { return nil }

// gibbsOptions are the forms of the sampler that differ on the way of a chain.
var gibbsOptions = map[string]cggibbs.Options{
	"paper":    {},
	"random":   {Scan: "random"},
	"uncached": {Uncached: true},
	"narrow":   {Width: 0.2, RefreshEvery: 2},
	"limited":  {Width: 0.3, MaxDoublings: 1},
}

func gaussians() []infertest.Case {
	return []infertest.Case{
		infertest.Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7}),
		infertest.Gaussian(4, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}),
		infertest.Gaussian(2, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}), // n < d
	}
}

func TestSamplersConform(t *testing.T) {
	for _, c := range infertest.Cases() {
		_, target, err := c.Simulate(infer.NewStream(3, "conform", c.Name))
		must(t, err)
		for name, opts := range gibbsOptions {
			t.Run("cggibbs/"+name+"/"+c.Name, func(t *testing.T) { infertest.Conformance(t, target, gibbs(opts)) })
		}
		if c.Model.Family.Name == "gaussian" {
			t.Run("conjugate/"+c.Name, func(t *testing.T) { infertest.Conformance(t, target, conjugateSampler) })
		}
	}
}

// False alarms: 1e-6 per case and check. Power: a distance of 0.11 between laws,
// and of 0.075 from uniform ranks, in the quick form; 0.029 and 0.021 in full.
func TestConjugateInvariance(t *testing.T) {
	for _, c := range gaussians() {
		t.Run(c.Name, func(t *testing.T) {
			check := infertest.Check{Case: c, Sampler: conjugateSampler, Steps: 1, Place: anywhere, Seed: infertest.Seed(t),
				Pairs: infertest.Scale(1500, 20_000)}
			infertest.Invariance(t, check)
			infertest.Ranks(t, check) // independent draws: exact ranks
		})
	}
}

// Faults of the target that exact draws must show.
func TestConjugateCatches(t *testing.T) {
	for name, s := range map[string]infertest.Sampler{
		"frozen":      infertest.Frozen(conjugateSampler, 2),
		"prior scale": infertest.WrongPriorScale(conjugateSampler, 2),
		"sigma scale": infertest.WrongSigmaScale(conjugateSampler, 2),
		"no offset":   infertest.WithoutOffset(conjugateSampler),
		"without row": infertest.WithoutRow(conjugateSampler),
		"scaled":      infertest.Scaled(conjugateSampler, 1, 2),
	} {
		t.Run(name, func(t *testing.T) {
			c := infertest.Check{Case: gaussians()[1], Sampler: s, Steps: 1, Place: anywhere, Pairs: infertest.Scale(2000, 20_000), Seed: infertest.Seed(t)}
			infertest.MustReject(t, func(t infertest.TB) { infertest.Ranks(t, c) })
		})
	}
}

func TestGibbsInvariance(t *testing.T) {
	for name, opts := range gibbsOptions {
		for _, c := range infertest.Cases() {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: gibbs(opts), Place: placeGibbs, Seed: infertest.Seed(t),
					Pairs: infertest.Scale(1500, 20_000)})
			})
		}
	}
}

func TestGibbsCatches(t *testing.T) {
	few := infertest.Gaussian(4, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})
	sound := gibbs(cggibbs.Options{})
	for name, c := range map[string]infertest.Check{
		"prior scale": {Case: few, Sampler: infertest.WrongPriorScale(sound, 1.8)},
		"sigma scale": {Case: few, Sampler: infertest.WrongSigmaScale(sound, 1.6)},
		"no offset":   {Case: infertest.Poisson(8), Sampler: infertest.WithoutOffset(sound)},
		"without row": {Case: few, Sampler: infertest.WithoutRow(sound)},
		"scaled":      {Case: few, Sampler: infertest.Scaled(sound, 1, 1.5)},
	} {
		t.Run(name, func(t *testing.T) {
			c.Steps, c.Pairs, c.Place, c.Seed = 20, infertest.Scale(4000, 20_000), placeInner, infertest.Seed(t)
			infertest.MustReject(t, func(t infertest.TB) { infertest.Invariance(t, c) })
		})
	}
}

// placeInner places the kernel behind a wrapper, if any.
func placeInner(k infer.Kernel, theta []float64) error {
	if w, ok := k.(interface{ Inner() infer.Kernel }); ok {
		k = w.Inner()
	}
	return placeGibbs(k, theta)
}

// TestGibbsRanks: draws 10 sweeps apart, 20 after the sampler's own start, on posteriors that nearly mix in a
// sweep.
func TestGibbsRanks(t *testing.T) {
	for _, c := range []infertest.Case{infertest.Bernoulli(12), infertest.Poisson(8), infertest.Gaussian(9, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})} {
		t.Run(c.Name, func(t *testing.T) {
			check := infertest.Check{Case: c, Sampler: gibbs(cggibbs.Options{}), Steps: infertest.Scale(10, 40), Seed: infertest.Seed(t),
				Draws: 7, Pairs: infertest.Scale(300, 3000)}
			infertest.Ranks(t, check)
			check.Sampler = infertest.Frozen(check.Sampler, 1)
			infertest.MustReject(t, func(t infertest.TB) { infertest.Ranks(t, check) })
		})
	}
}
