package infertest_test

import (
	"slices"
	"testing"

	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
)

// The posteriors with student_t priors (diamonds, 5000 × 25, correlated columns) and with bounds (GLM_Poisson:
// uniform priors of the coefficients).
//
// False alarms: at most 1e-5 for each sampler over both, as far as batch means are independent and nearly normal.
// Power: TestOtherPosteriordbCatches. Diamonds costs NUTS 10 s, and cggibbs mixes there after some 500 sweeps: full
// form only. Auto samples it from 26 rows, in a second.
func TestOthersAgainstPosteriordb(t *testing.T) {
	diamonds, all := others(t)
	all = append(all, diamonds...)
	t.Run("nuts", func(t *testing.T) {
		s := warmed(nutsSampler(nuts.Options{Metric: "dense"}), infertest.Scale(250, 1000))
		nutsDraws(t, all, s, infertest.Seed(t), infertest.Scale(40, 200), infertest.Scale(8, 50))
	})
	t.Run("cggibbs", func(t *testing.T) {
		gibbsDraws(t, all, gibbs(cggibbs.Options{}), infertest.Seed(t), infertest.Scale(40, 60), infertest.Scale(100, 1500))
	})
	t.Run("auto", func(t *testing.T) {
		gibbsDraws(t, all, gibbs(cggibbs.Options{Basis: "auto"}), infertest.Seed(t), infertest.Scale(40, 60), infertest.Scale(100, 1500))
	})
}

// others returns diamonds, in the full form only, and GLM_Poisson.
func others(t *testing.T) (diamonds, poisson []known) {
	t.Helper()
	for _, k := range family(t, "other") {
		switch {
		case k.model.Family.Name == "poisson":
			poisson = append(poisson, k)
		case infertest.Full():
			diamonds = append(diamonds, k)
		}
	}
	return diamonds, poisson
}

func TestOtherPosteriordbCatches(t *testing.T) {
	diamonds, poisson := others(t)
	sound := warmed(nutsSampler(nuts.Options{Metric: "dense"}), 250)
	for name, c := range map[string]struct {
		all []known
		s   infertest.Sampler
	}{
		"a count doubled": {poisson, infertest.Wrong(sound, func(data *glm.Data, _ *glm.Model) {
			data.Y = slices.Clone(data.Y)
			data.Y[20] *= 2
		})},
		"frozen": {poisson, infertest.Frozen(sound, 1)},
		"scaled": {poisson, infertest.Scaled(sound, 0, 1.01)},
		"a wall through the posterior": {poisson, infertest.Wrong(sound, func(_ *glm.Data, m *glm.Model) {
			m.Coefficients[1].High = 1.25 // its mean
		})},
		"prior scale": {diamonds, infertest.WrongPriorScale(sound, 0.1)},
		"intercept's prior scale": {diamonds, infertest.Wrong(sound, func(_ *glm.Data, m *glm.Model) {
			m.Coefficients[0].Scale = 1e-3 // its location is 8, the mean 7.788 ± 0.0017
			m.Coefficients[0].DF = 300
		})},
	} {
		if len(c.all) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			infertest.MustReject(t, func(t infertest.TB) { nutsDraws(t, c.all, c.s, 1, 40, 8) })
		})
	}
}
