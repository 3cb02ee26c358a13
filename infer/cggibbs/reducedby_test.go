package cggibbs

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// seenBy is NUTS or static HMC in the reduced coordinates, whose step size follows
// from the posterior alone where there is no warm-up.
func seenBy(o nuts.Options) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		return ReducedBy(target, func(seen *glm.Target) (infer.Setup, error) { return nuts.New(seen, o) })
	}
}

var seenVariants = []struct {
	name string
	nuts.Options
}{
	{"nuts", nuts.Options{}},
	{"nuts/dense", nuts.Options{Metric: "dense"}},
	{"hmc", nuts.Options{Static: true, Jitter: 0.2}},
}

// The quick form takes one pair of case and variant in eleven.
func TestReducedByConformance(t *testing.T) {
	for i, c := range append(basisCases(), infertest.WeightedCases()...) {
		for k, v := range seenVariants {
			if !infertest.Full() && (i+k)%11 != 2 {
				continue
			}
			o := v.Options
			o.StepSize = 0.06 // from some starts that of the penalised point leads nowhere
			t.Run(c.Name+"/"+v.name, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), seenBy(o)) })
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full. The quick form takes one pair of case and variant in 34.
func TestReducedByInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range append(append(basisCases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		for k, v := range seenVariants {
			if !infertest.Full() && (i+k)%34 != 3 {
				continue
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: seenBy(v.Options), Seed: seed, Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Faults of what another sampler is given must be rejected: a prior of z that is not
// N(0, I), and a likelihood of other directions.
func TestReducedByCatches(t *testing.T) {
	for name, plant := range map[string]func(seen *glm.Target) (*glm.Target, error){
		"prior of z": func(seen *glm.Target) (*glm.Target, error) {
			m := *seen.Model()
			m.Coefficients = append([]prior.Prior(nil), m.Coefficients...)
			for j := range m.Coefficients {
				m.Coefficients[j].Scale *= 2
			}
			return glm.NewTarget(seen.Data(), m)
		},
		"directions": func(seen *glm.Target) (*glm.Target, error) {
			data := *seen.Data()
			x := design.ToDense(data.X)
			data.X = &design.Dense{Rows: x.Rows, Cols: x.Cols, Values: append([]float64(nil), x.Values...)}
			for i := range x.Rows {
				data.X.(*design.Dense).Col(0)[i] *= -1
			}
			return glm.NewTarget(&data, *seen.Model())
		},
	} {
		t.Run(name, func(t *testing.T) {
			faulty := func(target *glm.Target) (infer.Setup, error) {
				return ReducedBy(target, func(seen *glm.Target) (infer.Setup, error) {
					wrong, err := plant(seen)
					if err != nil {
						return nil, err
					}
					return nuts.New(wrong, nuts.Options{})
				})
			}
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: wide(infertest.Poisson(8), 5, 8), Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(800, 20_000)})
			})
		})
	}
}

// Rows of another sampler's chain expand to the bits of Position.
func TestReducedByExpands(t *testing.T) {
	for _, c := range basisCases()[3:9] {
		s, err := seenBy(nuts.Options{})(simulated(t, c))
		must(t, err)
		expands(t, c.Name, s.(infer.Compact), s.(*seenSetup).reducedSetup)
	}
}

// A posterior without normal priors has no reduced coordinates, and one with scales
// neither; the error says what to do.
func TestReducedByRefuses(t *testing.T) {
	laplace := posterior(t, "bernoulli", 10, 3, prior.Prior{Kind: prior.Laplace, Scale: 1})
	for _, c := range []struct {
		target *glm.Target
		want   string
	}{
		{laplace, "cggibbs: no reduced coordinates: no coefficient has a normal prior; leave out basis"},
		{posterior(t, "bernoulli", 10, 3, prior.Prior{Kind: prior.Horseshoe, Scale: 1}),
			"cggibbs: horseshoe priors have no reduced coordinates: leave out basis, or use method cggibbs with basis: mixture"},
	} {
		if _, err := seenBy(nuts.Options{})(c.target); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
