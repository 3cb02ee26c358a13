package groups

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// ofFamily is a study of a family and link, its linear predictor above 0 if the link's domain ends there.
func ofFamily(f glm.Family, n int, groupings ...[2]int) study {
	s := newStudy(f.Name, f.Link, n, groupings...)
	if f.PositiveEta() {
		s.walled = true
		s.model.Coefficients = []prior.Prior{{Kind: prior.Normal, Location: 2, Scale: 0.4}, {Kind: prior.Normal, Scale: 0.4},
			{Kind: prior.Normal, Scale: 0.4}}
		for _, e := range s.model.Effects {
			e.SD[0].Scale = 0.4
		}
	}
	if f.Name == "binomial" {
		s.data.Trials = make([]float64, n)
		for i := range s.data.Trials {
			s.data.Trials[i] = float64(1 + i%4)
		}
	}
	return s
}

// Sweeps of each family and link that the program has, with one of slices, do not change the distribution of
// position and response. False alarms and power: see limit.
func TestFamiliesAreInvariant(t *testing.T) {
	for _, f := range laws.OfOne() {
		for _, link := range f.Links {
			t.Run(f.Name+"/"+link.Name, func(t *testing.T) {
				s := ofFamily(glm.Family{Name: f.Name, Link: link.Name}, 12, [2]int{3, 2}, [2]int{5, 1})
				holds(t, s, infertest.Scale(300, 20_000), Options{}, func(k *kernel) error {
					if err := sweeps(2)(k); err != nil {
						return err
					}
					return sliced(k)
				})
			})
		}
	}
}

// designs of calibration: 2, 3, 8 and 50 levels, unbalanced and one of them empty, crossed with empty cells, sds near 0, 1, 2 and
// 4 terms, nested.
func designs() map[string]study {
	gaussian, logit := glm.Family{Name: "gaussian", Link: "identity"}, glm.Family{Name: "bernoulli", Link: "logit"}
	poisson := glm.Family{Name: "poisson", Link: "log"}
	return map[string]study{
		"gaussian, 2 levels":             ofFamily(gaussian, 16, [2]int{2, 1}),
		"gaussian, 3 levels of 4 terms":  ofFamily(gaussian, 40, [2]int{3, 4}),
		"gaussian, sd near 0":            ofFamily(gaussian, 30, [2]int{6, 1}).small(),
		"gaussian, nested":               ofFamily(gaussian, 36, [2]int{4, 1}).nested(12, 0),
		"bernoulli, 8 levels of 2 terms": ofFamily(logit, 40, [2]int{8, 2}),
		"bernoulli, 50 levels":           ofFamily(logit, 120, [2]int{50, 1}),
		"bernoulli, crossed":             ofFamily(logit, 30, [2]int{8, 1}, [2]int{7, 1}),
		"poisson, 3 levels":              ofFamily(poisson, 20, [2]int{3, 1}),
		"poisson, sd near 0":             ofFamily(poisson, 30, [2]int{8, 1}).small(),
	}
}

// Ranks of parameters drawn from the prior among the draws of chains that start elsewhere are uniform: coefficients,
// dispersions, sds, correlations, effects of the first and the last level of each term, and log_lik.
//
// False alarms: 1e-4 over all, by Massart's bound, as far as draws 10 iterations apart are independent. Power: a
// distance of 0.4 in make test, of 0.06 in make stat.
func TestRanksAreUniform(t *testing.T) {
	const warmup, draws, apart = 150, 15, 10
	n := infertest.Scale(60, 2000)
	for name, s := range designs() {
		t.Run(name, func(t *testing.T) {
			seed := infertest.Seed(t)
			var names []string
			var ranks [][]float64
			for i := range n {
				rng := infer.NewStream(seed, "ranks", name, strconv.Itoa(i))
				theta, data := s.draw(rng)
				target, err := NewModel(data, s.model, nil)
				must(t, err)
				var watched []int
				for j, p := range target.Parameters() {
					e := slices.IndexFunc(data.Effects, func(e *design.Effects) bool { return e.Group == p.Grouping })
					if p.Kind != infer.GroupEffect || p.Level == data.Effects[e].Levels[0] ||
						p.Level == data.Effects[e].Levels[len(data.Effects[e].Levels)-1] {
						watched = append(watched, j)
					}
				}
				if names == nil {
					for _, j := range watched {
						names = append(names, target.Parameters()[j].Name)
					}
					names, ranks = append(names, "log_lik"), make([][]float64, len(names)+1)
				}
				below := rank(t, data, s.model, rng, theta, target, watched, warmup, draws, apart)
				for k, b := range below {
					ranks[k] = append(ranks[k], (b+rng.Float64())/(draws+1))
				}
			}
			limit := math.Sqrt(math.Log(2*float64(len(names)*len(designs()))/1e-4) / (2 * float64(n)))
			for k, u := range ranks {
				slices.Sort(u)
				distance := 0.0
				for i, v := range u {
					distance = max(distance, v-float64(i)/float64(n), float64(i+1)/float64(n)-v)
				}
				if distance > limit {
					t.Errorf("ranks of %s are not uniform: distance %.3f, limit %.3f", names[k], distance, limit)
				}
			}
		})
	}
}

// rank counts the draws of a chain below theta and its log likelihood.
func rank(t *testing.T, data *glm.Data, model glm.Model, rng *infer.Stream, theta []float64, target *Model, watched []int,
	warmup, draws, apart int) []float64 {
	t.Helper()
	setup, err := New(data, model, nil, Options{})
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Index: 3, Count: 4, Stream: rng})
	must(t, err)
	p, at, below := NewPredictor(target), make([]float64, len(theta)), make([]float64, len(watched)+1)
	p.SetTheta(theta)
	for i := range warmup + draws*apart {
		info, err := k.Step()
		must(t, err)
		if i < warmup || (i-warmup)%apart > 0 {
			continue
		}
		k.Position(at)
		for w, j := range watched {
			if at[j] < theta[j] {
				below[w]++
			}
		}
		if info.LogLik < p.Value().LogLik {
			below[len(watched)]++
		}
	}
	return below
}
