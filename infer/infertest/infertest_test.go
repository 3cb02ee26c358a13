package infertest

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// one returns a simulated posterior of c.
func one(t *testing.T, c Case) *glm.Target {
	t.Helper()
	_, target, err := c.Simulate(infer.NewStream(3, "one", c.Name))
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestConformance(t *testing.T) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { Conformance(t, one(t, c), Reference(Sound)) })
	}
}

// Each fault must be detected by its check.
func TestConformanceCatches(t *testing.T) {
	sound := Reference(Sound)
	for name, c := range map[string]struct {
		s    Sampler
		want string // in some verdict
	}{
		"lost cache":       {Reference(LostCache), "restored at iteration"},
		"lost stream":      {Reference(LostStream), "restored at iteration"},
		"unchecked slices": {Reference(BadSlices), "bytes: panic"},
		"disturbing save":  {Reference(Disturbing), "two saves differ"},
		"shared state":     {Reference(Shared), "in turn with others"},
		"stuck":            {Reference(Stuck), "did not move"},
		"stale cache":      {Reference(StaleCache), "Info has log likelihood"},
		"frozen":           {Frozen(sound, 2), "did not move"},
		"no offset":        {WithoutOffset(sound), "Info has log likelihood"},
		"without row":      {WithoutRow(sound), "Info has log likelihood"},
		"prior scale":      {WrongPriorScale(sound, 1.001), "Info has log likelihood"},
		"sigma scale":      {WrongSigmaScale(sound, 1.001), "Info has log likelihood"},
		"scaled draws":     {Scaled(sound, 1, 1.001), "Info has log likelihood"},
	} {
		t.Run(name, func(t *testing.T) {
			target := one(t, Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7}))
			r := new(recorder)
			r.run(func(t TB) { Conformance(t, target, c.s) })
			if r.broken != "" || !strings.Contains(strings.Join(r.verdicts, "\n"), c.want) {
				t.Errorf("no verdict has %q: %q, broken %q", c.want, r.verdicts, r.broken)
			}
		})
	}
}

// False alarms: 1e-6 per case. Power: a Kolmogorov–Smirnov distance of 0.065 in
// the quick form, 0.029 in full; see Invariance.
func TestInvariance(t *testing.T) {
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			Invariance(t, Check{Case: c, Sampler: Reference(Sound), Seed: Seed(t)})
		})
	}
}

// Power: see TestPower, which measures it on these very faults.
func TestInvarianceCatches(t *testing.T) {
	for name, c := range invarianceFaults() {
		t.Run(name, func(t *testing.T) {
			c.Seed = Seed(t)
			MustReject(t, func(t TB) { Invariance(t, c) })
		})
	}
}

// invarianceFaults pairs each fault with a case and a number of steps that let
// it show.
func invarianceFaults() map[string]Check {
	cauchy := Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7})
	few := Gaussian(4, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})
	sound := Reference(Sound)
	return map[string]Check{
		"prior scale":  {Case: few, Sampler: WrongPriorScale(sound, 1.5), Steps: 20},
		"sigma scale":  {Case: few, Sampler: WrongSigmaScale(sound, 1.5), Steps: 20},
		"no offset":    {Case: Poisson(8), Sampler: WithoutOffset(sound), Steps: 20},
		"without row":  {Case: cauchy, Sampler: WithoutRow(sound), Steps: 20},
		"stale cache":  {Case: cauchy, Sampler: Reference(StaleCache), Steps: 20},
		"no Jacobian":  {Case: cauchy, Sampler: Reference(NoJacobian), Steps: 20},
		"no rejection": {Case: Poisson(8), Sampler: Reference(NoReject)},
		"scaled draws": {Case: cauchy, Sampler: Scaled(sound, 1, 1.3)},
	}
}

// TestPower measures, with GLMBATCH_STAT=1, how often the quick form of
// Invariance rejects each planted fault, and never its control.
func TestPower(t *testing.T) {
	if !Full() {
		t.Skip("long: set GLMBATCH_STAT=1")
	}
	const seeds = 20
	first := Seed(t)
	for name, c := range invarianceFaults() {
		rejected := 0
		for i := range seeds {
			c.Seed, c.Pairs = first+uint64(i), 4000
			r := new(recorder)
			r.run(func(t TB) { Invariance(t, c) })
			if len(r.verdicts) > 0 {
				rejected++
			}
		}
		t.Logf("%s: rejected with %d of %d seeds", name, rejected, seeds)
		if rejected < seeds-1 {
			t.Errorf("%s: rejected with %d of %d seeds only", name, rejected, seeds)
		}
	}
}

// TestRanks: a coordinate that never moves leaves every law as it is, so that
// Invariance cannot see it; Ranks begins elsewhere and does.
func TestRanks(t *testing.T) {
	c := Check{Case: Bernoulli(12), Sampler: Reference(Sound), Seed: Seed(t), Steps: 20, Pairs: Scale(300, 5000)}
	Ranks(t, c)
	c.Sampler = Frozen(Reference(Sound), 1)
	MustReject(t, func(t TB) { Ranks(t, c) })
}

// TestMustReject: neither silence nor a check that could not be made is a
// rejection.
func TestMustReject(t *testing.T) {
	for name, c := range map[string]struct {
		check          func(TB)
		errors, broken bool
	}{
		"silent":   {func(TB) {}, true, false},
		"broken":   {func(t TB) { t.Fatalf("no data") }, false, true},
		"rejected": {func(t TB) { t.Errorf("wrong") }, false, false},
		"panic":    {func(TB) { panic("out of range") }, false, false},
	} {
		r := new(recorder)
		r.run(func(t TB) { MustReject(t, c.check) })
		if (len(r.verdicts) > 0) != c.errors || (r.broken != "") != c.broken {
			t.Errorf("%s: verdicts %q, broken %q", name, r.verdicts, r.broken)
		}
	}
}
