package infertest

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"glmbatch/infer"
	"glmbatch/infer/prior"
)

func TestStudentTail(t *testing.T) {
	for _, df := range []int{1, 2, 3, 4, 7, 30, 59, 100, 599} {
		for _, x := range []float64{0, 0.1, 1, 2.5, 6} {
			want := 2 * distuv.StudentsT{Sigma: 1, Nu: float64(df)}.CDF(-x)
			if got := studentTail(x, df); math.Abs(got-want) > 1e-12 {
				t.Errorf("P(|T| > %v) with %d degrees of freedom: %v, want %v", x, df, got, want)
			}
		}
	}
}

// gewekeChains is the number of chains of the forms.
func gewekeChains() int { return Scale(60, 600) }

// False alarms: 1e-6 per case. Power: see Geweke.
func TestGeweke(t *testing.T) {
	for _, c := range []Case{Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7}), Poisson(8)} {
		t.Run(c.Name, func(t *testing.T) {
			Geweke(t, Check{Case: c, Sampler: Reference(Sound), Seed: Seed(t), Pairs: Scale(2000, 20_000)}, gewekeChains())
		})
	}
}

// Each fault is seen with twice the chains of the quick form.
func TestGewekeCatches(t *testing.T) {
	cauchy := Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7})
	few := Gaussian(4, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})
	sound := Reference(Sound)
	for name, c := range map[string]Check{
		"stale cache": {Case: cauchy, Sampler: Reference(StaleCache), Steps: 20, Draws: 60},
		"no Jacobian": {Case: few, Sampler: Reference(NoJacobian), Steps: 3, Draws: 100},
		"prior scale": {Case: few, Sampler: WrongPriorScale(sound, 1.8)},
		"no offset":   {Case: Poisson(8), Sampler: WithoutOffset(sound)},
		"without row": {Case: cauchy, Sampler: WithoutRow(sound), Steps: 10},
	} {
		t.Run(name, func(t *testing.T) {
			c.Seed, c.Pairs = Seed(t), Scale(2000, 20_000)
			MustReject(t, func(t TB) { Geweke(t, c, Scale(120, 600)) })
		})
	}
}

// TestGewekeIsCalibrated: the p-values of its test of means are uniform for
// means of 40 autocorrelated uniform numbers, in 60 chains, and of their squares.
// False alarms 1e-6; 2,000 p-values show a distance of 0.06 from uniform.
func TestGewekeIsCalibrated(t *testing.T) {
	const reps, chains, length = 2000, 60, 40
	for name, of := range map[string]func(u float64) float64{
		"location": func(u float64) float64 { return u - 0.5 },
		"spread":   func(u float64) float64 { return (u-0.5)*(u-0.5) - 1.0/12 },
	} {
		rng, p := infer.NewStream(Seed(t), "geweke calibration", name), make([]float64, reps)
		for r := range p {
			values := make([]float64, chains)
			for c := range values {
				u := rng.Float64()
				for range length {
					if rng.Float64() < 0.3 { // else it stays
						u = rng.Float64()
					}
					values[c] += of(u) / length
				}
			}
			p[r] = tTest(values, 0)
		}
		if d, limit := uniform(p), uniformLimit(reps, 1e-6); d > limit {
			t.Errorf("%s: p-values are off the uniform law by %.3f, limit %.3f", name, d, limit)
		}
	}
}
