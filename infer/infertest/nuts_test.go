package infertest_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
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

// cost is what four chains of 1000 draws after 1000 of warm-up came to.
type cost struct {
	ess         float64 // least bulk ESS of a parameter
	warm, drawn int64   // gradients of warm-up and of sampling
	divergences int
}

// measureNuts runs four chains as Stan does by default.
func measureNuts(t *testing.T, k known, opts nuts.Options) (c cost) {
	target, err := glm.NewTarget(k.data, k.model)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := nuts.New(target, opts)
	if err != nil {
		t.Fatal(err)
	}
	draws := make([][][]float64, target.Dim()) // [parameter][chain][draw]
	for chain := range 4 {
		kernel, err := setup.Kernel(infer.Chain{Index: chain, Count: 4, Warmup: 1000,
			Stream: infer.NewStream(1, "cost", k.name, strconv.Itoa(chain))})
		if err != nil {
			t.Fatal(err)
		}
		theta := make([]float64, target.Dim())
		for j := range draws {
			draws[j] = append(draws[j], make([]float64, 1000))
		}
		for i := range 2000 {
			info, err := kernel.Step()
			if err != nil {
				t.Fatalf("%s, chain %d, iteration %d: %v", k.name, chain, i, err)
			}
			if i < 1000 {
				c.warm += info.Gradients
				continue
			}
			c.drawn += info.Gradients
			if info.Divergent {
				c.divergences++
			}
			kernel.Position(theta)
			for j, v := range theta {
				draws[j][chain][i-1000] = v
			}
		}
	}
	c.ess = math.Inf(1)
	for j := range draws {
		c.ess = min(c.ess, diag.ESSBulk(draws[j]))
	}
	return c
}

// TestNutsCost prints ESS per gradient of every posterior (full form), and
// demands what these easy posteriors give a sound form of NUTS: no more
// divergences than one draw in a thousand and, where the metric is not diagonal, an
// effective draw for every 25 gradients. The least seen is one for 14; with
// Stan's regularisation of the metric three posteriors need 40 to 110.
func TestNutsCost(t *testing.T) {
	if !infertest.Full() {
		t.Skip("a minute; set GLMBATCH_STAT=1")
	}
	all := append(family(t, "gaussian"), family(t, "binomial")...)
	t.Logf("%-45s %-9s %8s %9s %9s %8s %4s", "posterior", "metric", "min ESS", "warm-up", "sampling", "ESS/grad", "div")
	for _, k := range all {
		for _, metric := range []string{"diagonal", "dense", "low_rank"} {
			c := measureNuts(t, k, nuts.Options{Metric: metric})
			rate := c.ess / float64(c.drawn)
			t.Logf("%-45s %-9s %8.0f %9d %9d %8.4f %4d", k.name, metric, c.ess, c.warm, c.drawn, rate, c.divergences)
			if c.divergences > 4 {
				t.Errorf("%s, %s: %d of 4000 draws diverged", k.name, metric, c.divergences)
			}
			if metric != "diagonal" && !(rate > 0.04) {
				t.Errorf("%s: %.3g effective draws per gradient", k.name, rate)
			}
		}
	}
}

// NUTS keeps its contract on every family, link and dispersion: bits, resumes,
// densities. Families come with walls of eta, where a trajectory ends.
func TestNutsConformsOnEveryFamily(t *testing.T) {
	for i, c := range infertest.FamilyCases() {
		if i%6 != 1 && !infertest.Full() {
			continue
		}
		_, target, err := c.Simulate(infer.NewStream(5, "nuts", c.Name))
		if err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) { infertest.Conformance(t, target, warmed(nutsSampler(nuts.Options{}), 60)) })
	}
}

// False alarms: 1e-6 for each family. Power: a distance of 0.13 between laws at
// 1,000 pairs, in the quick form for every eighth family.
func TestNutsInvarianceOnFamilies(t *testing.T) {
	for i, c := range infertest.FamilyCases() {
		if i%8 != 1 && !infertest.Full() {
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
