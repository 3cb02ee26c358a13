package check

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/words"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// Fewest is the number of ranked simulations below which nothing can be said.
const Fewest = 20

// Limits of a verdict.
const (
	degenerate = 0.05 // share of degenerate simulations that is warned about
	named      = 5    // parameters that are named, at most
)

// judgeRanks tests the ranks of a complete calibration and says what was found.
func judgeRanks(c *report.Calibration) {
	var ranked []report.Simulation
	for _, s := range c.Simulations {
		if s.Outcome == report.Ranked {
			ranked = append(ranked, s)
		}
	}
	c.Tests, c.Words = nil, nil
	c.Verdict = judge.Pass
	if len(ranked) < Fewest {
		c.Verdict = judge.ErrorGrade
		c.Words = append(c.Words, fmt.Sprintf("only %d of %d simulated data sets could be fitted: too few to judge by",
			len(ranked), len(c.Simulations)))
		c.Words = append(c.Words, share(c)...)
		return
	}
	p := testAll(c, ranked)
	rejected := 0
	for i, yes := range holm(p, c.FalseAlarms) {
		c.Tests[i].Rejected = yes
		if yes {
			rejected++
		}
	}
	switch {
	case rejected > 0:
		c.Verdict = judge.Fail
		c.Words = append(c.Words, findings(c, rejected, len(ranked))...)
	default:
		least := slices.MinFunc(c.Tests, func(a, b report.RankTest) int { return compare(a.P, b.P) })
		c.Words = append(c.Words, fmt.Sprintf("the ranks of %d quantities over %d simulated data sets are uniform "+
			"(smallest p %.2g, of %s; a right sampler fails once in %.0f checks)",
			len(p), len(ranked), least.P, words.Visible(least.Parameter), 1/c.FalseAlarms))
		c.Words = append(c.Words,
			fmt.Sprintf("draws that are %.2f posterior standard deviations off would have been seen",
				shift(len(ranked), len(p), c.FalseAlarms)))
	}
	warn := share(c)
	if warn != nil && c.Verdict == judge.Pass {
		c.Verdict = judge.Warn
	}
	if n, _ := count(c, "error"); n > 0 {
		c.Verdict = judge.Fail
	}
	c.Words = append(c.Words, warn...)
}

// testAll fills the tests of a calibration and returns their p-values.
func testAll(c *report.Calibration, ranked []report.Simulation) []float64 {
	u := newUniformity(len(ranked), c.Draws)
	ranks := make([]int, len(ranked))
	var p []float64
	for j, name := range c.Parameters {
		t := report.RankTest{Parameter: name}
		for i, s := range ranked {
			ranks[i] = s.Ranks[j]
			t.Mean += float64(s.Ranks[j]) / float64(c.Draws) / float64(len(ranked))
		}
		for _, r := range ranks {
			e := float64(r)/float64(c.Draws) - t.Mean
			t.SD += e * e / float64(len(ranked)-1)
		}
		t.SD = math.Sqrt(t.SD)
		t.P = u.p(ranks)
		c.Tests = append(c.Tests, t)
		p = append(p, t.P)
	}
	return p
}

// findings says which ranks are not uniform, the clearest first, and what that
// means.
func findings(c *report.Calibration, rejected, n int) []string {
	tests := slices.Clone(c.Tests)
	slices.SortStableFunc(tests, func(a, b report.RankTest) int { return compare(a.P, b.P) })
	out := []string{fmt.Sprintf("the ranks of %d of %d quantities over %d simulated data sets are not uniform: the "+
		"draws are not those of the posterior", rejected, len(tests), n)}
	spread := math.Sqrt((1 + 2/float64(c.Draws)) / 12) // of rank/draws, if uniform
	for _, t := range tests[:min(rejected, named)] {
		how := "the ranks have an odd shape"
		z := (t.Mean - 0.5) / (spread / math.Sqrt(float64(n)))
		w := (t.SD/spread - 1) * math.Sqrt(2.5*float64(n)) // the kurtosis of a uniform distribution is 1.8
		switch {
		case math.Abs(z) >= math.Abs(w) && z < -2:
			how = "the truth lies below the draws too often: these are too large"
		case math.Abs(z) >= math.Abs(w) && z > 2:
			how = "the truth lies above the draws too often: these are too small"
		case w > 2:
			how = "the truth lies outside the draws too often: these are too narrow, or do not mix"
		case w < -2:
			how = "the truth lies amid the draws too often: these are too wide"
		}
		out = append(out, fmt.Sprintf("%s: p = %.2g; %s (mean rank %.2f, uniform 0.50; sd %.2f, uniform %.2f)",
			words.Visible(t.Parameter), t.P, how, t.Mean, t.SD, spread))
	}
	return out
}

// share says what was odd about the simulated data sets and their chains; nil
// if nothing was.
func share(c *report.Calibration) (out []string) {
	n := len(c.Simulations)
	overflow, _ := count(c, "overflow")
	refused, first := count(c, "refused")
	equal, slow, redrawn := 0, 0, 0
	for _, s := range c.Simulations {
		redrawn += s.Redrawn
		if s.AllEqual && s.Outcome == report.Ranked {
			equal++
		}
		if s.Outcome == report.Ranked && !s.Mixed {
			slow++
		}
	}
	if bad := overflow + refused + equal; float64(bad) > degenerate*float64(n) {
		words := fmt.Sprintf("%d of %d simulated data sets (%.0f %%) are degenerate: in %d all responses are equal, in %d "+
			"they overflow, %d have no posterior that could be fitted",
			bad, n, 100*float64(bad)/float64(n), equal, overflow, refused)
		if refused > 0 {
			words += " (" + first.Note + ")"
		}
		if c.Given == Prior { //name:ok what simulations are made around
			words += "; the prior allows what no data look like: give narrower priors, or calibrate around the data with " +
				"--posterior"
		}
		out = append(out, words)
	}
	if stopped, first := count(c, "error"); stopped > 0 {
		out = append(out, fmt.Sprintf("the sampler stopped with an error on %d of %d simulated data sets, first on number "+
			"%d: %s", stopped, n, first.Index+1, first.Note))
	}
	if redrawn > n {
		out = append(out, fmt.Sprintf("the prior was drawn %.1f times for each draw inside the domain of the link",
			1+float64(redrawn)/float64(n)))
	}
	if slow > 0 {
		out = append(out, fmt.Sprintf("in %d of %d the chain moved too slowly to be thinned to independent draws; its "+
			"ranks count all the same", slow, n))
	}
	return out
}

// count finds the simulations with an outcome.
func count(c *report.Calibration, outcome string) (n int, first report.Simulation) {
	for _, s := range c.Simulations {
		if s.Outcome == outcome {
			if n == 0 {
				first = s
			}
			n++
		}
	}
	return n, first
}

// shift is the shift of draws, in posterior standard deviations, that n simulations can detect in the distribution
// of ranks: 2·Φ(s/2) − 1 against the bound of Massart (1990) for k quantities.
func shift(n, k int, alpha float64) float64 {
	d := math.Sqrt(math.Log(2*float64(k)/alpha) / (2 * float64(n)))
	if d >= 1 {
		return math.Inf(1)
	}
	return 2 * math.Sqrt2 * math.Erfinv(d)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
