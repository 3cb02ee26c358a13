package infertest_test

import (
	"testing"

	"glmbatch/infer/cggibbs"
	laws "glmbatch/infer/family"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
)

// gridSamplers are the samplers of every family, as the grid runs them: nuts
// with a fixed step and short trajectories for invariance, and warmed up for ranks.
func gridSamplers() map[string][2]infertest.Sampler {
	g := gibbs(cggibbs.Options{})
	return map[string][2]infertest.Sampler{
		"cggibbs": {g, g},
		"nuts":    {nutsSampler(nuts.Options{StepSize: 0.2, MaxDepth: 5}), warmed(nutsSampler(nuts.Options{}), 80)},
	}
}

// eachGrid runs check on every case of the grid, or in the quick form on one
// case in every, from first on.
func eachGrid(t *testing.T, first, every int, check func(t *testing.T, c infertest.Case)) {
	for i, c := range infertest.GridCases() {
		if c.Data.Kind != nil || !infertest.Full() && i%every != first {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { check(t, c) })
	}
}

// Exact invariance on every family × link × kind of prior.
//
// False alarms: at most 1e-6 for each of the 2 × 135 checks of the full form. Power: a distance of 0.11 between
// distributions with 1,500 pairs, of 0.19 with the 460 of the quick form, which takes one case in 17 for each
// sampler.
func TestGridInvariance(t *testing.T) {
	for name, s := range gridSamplers() {
		t.Run(name, func(t *testing.T) {
			eachGrid(t, len(name)%7, 17, func(t *testing.T, c infertest.Case) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: s[0], Seed: infertest.Seed(t),
					Steps: infertest.Scale(2, 3), Pairs: infertest.Scale(460, 1500)})
			})
		})
	}
}

// Exact invariance with censored and truncated rows, and the fault that takes censored rows as observed. The quick
// form takes weibull, and one other case in 6 for each sampler. It leaves out student_t, whose distribution
// function is expensive and which TestCombinationsInvariance has.
//
// False alarms: at most 1e-6 for each of 26 checks. Power: that of TestGridInvariance.
func TestLimitedInvariance(t *testing.T) {
	for i, c := range infertest.GridCases() {
		if c.Data.Kind == nil {
			continue
		}
		for name, s := range gridSamplers() {
			of := c.Model.Family.Name
			if !infertest.Full() && of != "weibull" && (of == "student_t" || i%6 != len(name)%6) {
				continue
			}
			check := infertest.Check{Case: c, Sampler: s[0], Seed: infertest.Seed(t), Steps: infertest.Scale(2, 3),
				Pairs: infertest.Scale(460, 1500)}
			t.Run(name+" "+c.Name, func(t *testing.T) { infertest.Invariance(t, check) })
			if f := c.Model.Family; name == "cggibbs" && f.Limits == laws.Censored && (f.Name == "gaussian" || f.Name == "weibull") {
				check.Sampler, check.Steps, check.Pairs = infertest.Observed(s[0]), 10, 2000
				t.Run("caught "+c.Name, func(t *testing.T) {
					infertest.MustReject(t, func(tb infertest.TB) { infertest.Invariance(tb, check) })
				})
			}
		}
	}
}

// Simulation-based calibration on the same grid, in the full form.
//
// False alarms: at most 1e-6 for each check, as far as draws 15 sweeps (nuts: 3
// trajectories) apart are independent. Power: a distance of 0.13 from uniform
// ranks with 500 data sets.
func TestGridRanks(t *testing.T) {
	if !infertest.Full() {
		t.Skip("20 minutes; set GLMBATCH_STAT=1")
	}
	for name, s := range gridSamplers() {
		t.Run(name, func(t *testing.T) {
			steps := 15
			if name == "nuts" {
				steps = 3
			}
			eachGrid(t, 0, 1, func(t *testing.T, c infertest.Case) {
				infertest.Ranks(t, infertest.Check{Case: c, Sampler: s[1], Seed: infertest.Seed(t), Steps: steps, Pairs: 500})
			})
		})
	}
}
