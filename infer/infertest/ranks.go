package infertest

import (
	"strconv"

	"glmbatch/infer"
)

// Ranks checks simulation-based calibration: with theta ~ prior and y ~
// model(theta), the rank of a statistic of theta among as many of independent
// posterior draws is uniform. The chain begins at the sampler's own start.
//
// False alarms: at most Alpha, split evenly over the statistics, for independent draws. Draws of a chain are Steps
// apart after 2·Steps of warm-up: choose Steps so that the chain has mixed after that many. Power: a distance of
// √(log(2k/Alpha)/(2·Pairs)) from uniform ranks, 0.092 for 1,000 pairs with Alpha 1e-6 and 13 statistics, 0.021 for
// 20,000.
//
// Source: Talts, Betancourt, Simpson, Vehtari and Gelman (2018), Validating
// Bayesian inference algorithms with simulation-based calibration,
// arXiv:1804.06788; data-dependent statistics after Modrák et al. (2023),
// doi:10.1214/23-BA1404.
func Ranks(t TB, c Check) {
	t.Helper()
	c.withDefaults(t, 25, 1000).ranks(t, c.jointOf())
}

// RanksOf is Ranks of any posterior, whose Given is evaluated at positions of its sampler; of the check all but Case,
// Sampler and Place counts.
func RanksOf(t TB, law Joint, c Check) {
	t.Helper()
	c.withDefaults(t, 25, 1000).ranks(t, law)
}

func (c Check) ranks(t TB, law Joint) {
	t.Helper()
	names := law.Statistics
	u := make([][]float64, len(names))
	for i := range c.Pairs {
		rng := infer.NewStream(c.Seed, "ranks", law.Name, strconv.Itoa(i))
		theta, given, err := law.Simulate(rng)
		if err != nil {
			t.Fatalf("%s, pair %d: %v", law.Name, i, err)
		}
		below, equal, err := c.countBelow(given, given.Evaluate(theta), i)
		if err != nil {
			t.Errorf("%s, pair %d: %v", law.Name, i, err)
			return
		}
		for k, count := range below { // a uniform jitter makes discrete ranks continuous, and breaks ties
			u[k] = append(u[k], (float64(count)+rng.Float64()*float64(1+equal[k]))/float64(c.Draws+1))
		}
	}
	limit := uniformLimit(c.Pairs, c.Alpha/float64(len(names)))
	largest := 0.0
	for k, name := range names {
		d := uniform(u[k])
		largest = max(largest, d)
		if d > limit {
			t.Errorf("%s: the ranks of %s are not uniform: Kolmogorov–Smirnov distance %.3f, limit %.3f", law.Name, name, d,
				limit)
		}
	}
	t.Logf("%s: largest of %d distances %.3f, limit %.3f", law.Name, len(names), largest, limit)
}

// countBelow runs a chain and counts, per statistic, draws below truth and those that equal it, as in a uniform
// prior density between its ends.
func (c Check) countBelow(given Given, truth []float64, i int) (below, equal []int, err error) {
	setup, err := given.Setup()
	if err != nil {
		return nil, nil, err
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(c.Seed, "ranks", "chain", strconv.Itoa(i))})
	if err != nil {
		return nil, nil, err
	}
	below, equal = make([]int, len(truth)), make([]int, len(truth))
	theta := make([]float64, len(setup.Parameters()))
	for draw := -1; draw < c.Draws; draw++ { // one draw's distance more is warm-up
		for range c.Steps {
			if _, err := k.Step(); err != nil {
				return nil, nil, err
			}
		}
		if draw < 0 {
			continue
		}
		k.Position(theta)
		for s, v := range given.Evaluate(theta) {
			switch {
			case v < truth[s]:
				below[s]++
			case v == truth[s]:
				equal[s]++
			}
		}
	}
	return below, equal, nil
}
