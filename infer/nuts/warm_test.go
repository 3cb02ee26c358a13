package nuts

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// warmed is a target that knows an earlier posterior: scales 0.5, 0.6, …, the last
// of them unknown if asked for, and a step size.
func warmed(target *glm.Target, step float64, unknown bool) (*glm.Target, error) {
	p := glm.Previous{Mean: make([]float64, target.Dim()), SD: make([]float64, target.Dim()), StepSize: step}
	for j := range p.SD {
		p.Mean[j], p.SD[j] = 0.1, 0.5+0.1*float64(j)
	}
	if unknown {
		p.Mean[0], p.SD[0] = math.NaN(), math.NaN()
	}
	return target.From(p)
}

// A warm chain begins with the earlier scales and step size, learns a metric only if its warm-up is long enough for
// a better one, changes neither after warm-up, and resumes from a saved state with the same bits in each of these.
func TestWarmChain(t *testing.T) {
	for _, warmup := range []int64{60, 400} {
		target, err := warmed(posterior(t, infertest.Poisson(8)), 0.7, true)
		must(t, err)
		s, err := New(target, Options{})
		must(t, err)
		start := func() *kernel {
			k, err := s.Kernel(infer.Chain{Count: 1, Warmup: int(warmup), Stream: infer.NewStream(4)})
			must(t, err)
			return k.(*kernel)
		}
		k, states, infos := start(), [][]byte(nil), []infer.Info(nil)
		began := slices.Clone(k.space.metric.m)
		if conditional := target.ConditionalScale(0); began[0] != conditional*conditional || began[1] != 0.6*0.6 {
			t.Errorf("the metric begins as %v", began)
		}
		for k.iteration < warmup+100 {
			state, err := k.MarshalBinary()
			must(t, err)
			info, err := k.Step()
			must(t, err)
			states, infos = append(states, state), append(infos, info)
			if k.iteration == warmup {
				if learnt := !slices.Equal(began, k.space.metric.m); learnt != (warmup >= minLearning) {
					t.Errorf("warm-up of %d learnt a metric: %v", warmup, learnt)
				}
				began = slices.Clone(k.space.metric.m)
			}
		}
		if infos[0].StepSize != 0.7 || infos[1].StepSize == 0.7 {
			t.Errorf("step sizes %v, %v: want the earlier one first, and then others", infos[0].StepSize, infos[1].StepSize)
		}
		if !slices.Equal(began, k.space.metric.m) || infos[warmup].StepSize != infos[warmup+99].StepSize {
			t.Errorf("after a warm-up of %d the chain learns on: metric %v, then %v; step size %v, then %v", warmup, began, k.space.metric.m,
				infos[warmup].StepSize, infos[warmup+99].StepSize)
		}
		for _, from := range []int64{0, 30, 59, 60, warmup - 51, warmup - 1, warmup} {
			k := start()
			must(t, k.UnmarshalBinary(states[from]))
			for i := from; i < min(from+70, warmup+100); i++ {
				if info, err := k.Step(); err != nil || info != infos[i] {
					t.Fatalf("warm-up of %d, restored at %d: iteration %d is %+v, error %v, want %+v", warmup, from, i, info, err, infos[i])
				}
			}
		}
	}
}

// False alarms: at most 1e-6. Power: see infertest.Invariance; 1,000 independent pairs. Chains that start from
// another earlier posterior keep the distribution of the current one.
func TestWarmInvariance(t *testing.T) {
	warm := func(target *glm.Target) (infer.Setup, error) {
		target, err := warmed(target, 0.4, false)
		if err != nil {
			return nil, err
		}
		return New(target, Options{})
	}
	infertest.Invariance(t, infertest.Check{Case: infertest.Gaussian(6, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}), Sampler: with(warm, 0, nil),
		Seed: infertest.Seed(t), Pairs: infertest.Scale(1000, 20_000)})
}

// An earlier posterior serves diagonal metrics of coefficients alone.
func TestWhatAnEarlierPosteriorServes(t *testing.T) {
	target := posterior(t, infertest.Poisson(8))
	for metric, want := range map[string]bool{"": true, "diagonal": true, "dense": false, "low_rank": false} {
		if got := (Options{Metric: metric}).Warms(target); got != want {
			t.Errorf("metric %q: %v", metric, got)
		}
	}
}
