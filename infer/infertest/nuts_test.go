package infertest_test

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
)

// warmed is a sampler whose chains are planned with a warm-up and come back at
// its end.
func warmed(s infertest.Sampler, warmup int) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		setup, err := s(target)
		return warmedSetup{setup, warmup}, err
	}
}

type warmedSetup struct {
	infer.Setup
	warmup int
}

func (s warmedSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	c.Warmup = s.warmup
	k, err := s.Setup.Kernel(c)
	for i := 0; i < s.warmup && err == nil; i++ {
		_, err = k.Step()
	}
	return k, err
}

func nutsSampler(opts nuts.Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) { return nuts.New(target, opts) }
}

// nutsDraws compares means of a warmed-up chain on the designs as they are.
func nutsDraws(t infertest.TB, all []known, s infertest.Sampler, seed uint64, batches, size int) {
	t.Helper()
	var names []string
	var p []float64
	for _, k := range all {
		rows, truth, mcse, scale, err := k.run(s, k.data, func([]float64) {}, false, seed, 0, batches, size)
		if err != nil {
			t.Fatalf("%s: %v", k.name, err)
		}
		names, p = append(names, k.name), append(p, hotelling(rows, truth, mcse, scale))
	}
	verdict(t, names, p)
}

// False alarms: at most 1e-5 for each metric over the 25 posteriors, as far as
// batch means are independent and nearly normal: draws of NUTS hardly depend on
// each other. Power: TestNutsPosteriordbCatches. The diagonal metric, which is
// slower on designs as they are, belongs to the full form.
func TestNutsAgainstPosteriordb(t *testing.T) {
	all := append(family(t, "gaussian"), family(t, "binomial")...)
	for _, metric := range []string{"dense", "diagonal"} {
		t.Run(metric, func(t *testing.T) {
			if metric == "diagonal" && !infertest.Full() {
				t.Skip("10 s; set GLMBATCH_STAT=1")
			}
			s := warmed(nutsSampler(nuts.Options{Metric: metric}), infertest.Scale(250, 1000))
			nutsDraws(t, all, s, infertest.Seed(t), infertest.Scale(20, 200), infertest.Scale(12, 50))
		})
	}
}

func TestNutsPosteriordbCatches(t *testing.T) {
	small := slices.DeleteFunc(family(t, "gaussian"), func(k known) bool { return k.data.Rows() > 200 })
	sound := warmed(nutsSampler(nuts.Options{Metric: "dense"}), 250)
	for name, s := range map[string]infertest.Sampler{
		"without row": infertest.WithoutRow(sound),
		"prior scale": infertest.WrongPriorScale(sound, 0.01),
		"frozen":      infertest.Frozen(sound, 1),
		"scaled":      infertest.Scaled(sound, 0, 1.3),
	} {
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(t infertest.TB) { nutsDraws(t, small, s, 1, 40, 25) })
		})
	}
}

// NUTS keeps its contract on every family, link and dispersion: bits, resumes, densities. Families come with
// bounded domains of eta, where a trajectory ends.
func TestNutsConformsOnEveryFamily(t *testing.T) {
	for i, c := range infertest.FamilyCases() {
		if i%6 != 1 && !infertest.Full() {
			continue
		}
		_, target, err := c.Simulate(infer.NewStream(5, "nuts", c.Name))
		must(t, err)
		t.Run(c.Name, func(t *testing.T) { infertest.Conformance(t, target, warmed(nutsSampler(nuts.Options{}), 60)) })
	}
}

// Rows with precisions and frequencies keep the contract too.
func TestNutsConformsWithWeights(t *testing.T) {
	for i, c := range infertest.WeightedCases() {
		if i%2 != 0 && !infertest.Full() {
			continue
		}
		c.Data.Frequency = []float64{1, 2, 1, 3, 1, 1, 4, 1, 2}
		_, target, err := c.Simulate(infer.NewStream(5, "nuts", c.Name))
		must(t, err)
		t.Run(c.Name, func(t *testing.T) { infertest.Conformance(t, target, warmed(nutsSampler(nuts.Options{}), 60)) })
	}
}

// False alarms: 1e-6 for each family. Power: a distance of 0.13 between laws at
// 1,000 pairs, in the quick form for every sixteenth family.
func TestNutsInvarianceOnFamilies(t *testing.T) {
	for i, c := range infertest.FamilyCases() {
		if i%16 != 1 && !infertest.Full() {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{
				Case: c, Sampler: nutsSampler(nuts.Options{StepSize: 0.2}), Alpha: 1e-6,
				Pairs: infertest.Scale(1000, 20_000), Steps: 3, Seed: infertest.Seed(t),
			})
		})
	}
}
