package judge_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/internal/variate"
	"glmbatch/report/judge"
)

// autoregressive returns the summary of 4 chains of 250 draws whose true effective sample size is 4·250/tau. The first
// chain is apart standard deviations away from the others.
func autoregressive(work *diag.Workspace, rng *infer.Stream, tau, apart float64) diag.Summary {
	rho := (tau - 1) / (tau + 1)
	chains := make([][]float64, 4)
	for c := range chains {
		x := variate.Normal(rng)
		for range 250 {
			chains[c] = append(chains[c], x)
			x = rho*x + math.Sqrt(1-rho*rho)*variate.Normal(rng)
		}
	}
	for i := range chains[0] {
		chains[0][i] += apart
	}
	return work.Summarize(chains)
}

// evidence is that of count effects of a grouping with a true effective sample size of 833.
func evidence(rng *infer.Stream, count int) (e judge.Evidence) {
	work := diag.NewWorkspace()
	for i := range count {
		e.Names = append(e.Names, "r_g["+strconv.Itoa(i)+",x]")
		e.Summaries = append(e.Summaries, autoregressive(work, rng, 1.2, 0))
		e.Families = append(e.Families, "effects of g, x")
	}
	return e
}

func alone(e judge.Evidence) judge.Evidence {
	e.Families = nil
	return e
}

// Thousands of effects that mix pass, though the least estimates are below the limit. A stuck one fails, and so does
// one in fifty whose effective sample size is too small.
//
// False alarms: at most 0.05 for each of three gates if every effective sample size is at the limit of 400. These are
// twice that, and the seeds are fixed.
func TestManyEffects(t *testing.T) {
	rng, work := infer.NewStream(5, "families"), diag.NewWorkspace()
	e := evidence(rng, 1500)
	if v := judge.Judge(judge.Defaults(), e); v.Grade != judge.Pass {
		t.Errorf("1500 effects that mix: %+v", v)
	}
	if v := judge.Judge(judge.Defaults(), alone(e)); v.Grade != judge.Fail {
		t.Error("none of 1500 effects is beyond a gate, so that this test shows nothing")
	}
	for name, others := range map[string][]diag.Summary{
		"stuck in one chain":  {autoregressive(work, rng, 1.6, 1)},
		"slow":                {autoregressive(work, rng, 30, 0)},
		"without a diagnosis": {{RHat: math.NaN(), ESSBulk: 900, ESSTail: 900}},
		"many below":          slices.Repeat([]diag.Summary{{RHat: 1, ESSBulk: 350, ESSTail: 900}}, 60),
		"many apart":          slices.Repeat([]diag.Summary{{RHat: 1.012, ESSBulk: 900, ESSTail: 900}}, 60),
	} {
		with := e
		for _, s := range others {
			with.Summaries, with.Families = append(with.Summaries, s), append(with.Families, e.Families[0])
		}
		if v := judge.Judge(judge.Defaults(), with); v.Grade != judge.Fail {
			t.Errorf("%s: %+v, want fail", name, v)
		}
	}
}

// Few effects, and parameters of no family, are held to the limits as they are.
func TestFewEffects(t *testing.T) {
	good, low := diag.Summary{RHat: 1, ESSBulk: 900, ESSTail: 900}, diag.Summary{RHat: 1, ESSBulk: 900, ESSTail: 399}
	for _, c := range []struct {
		families []string
		want     judge.Grade
	}{
		{slices.Repeat([]string{"effects of g, x"}, 99), judge.Fail},
		{slices.Repeat([]string{"effects of g, x"}, 100), judge.Pass},
		{append(slices.Repeat([]string{"effects of g, x"}, 150), ""), judge.Fail},
		{append(slices.Repeat([]string{"effects of g, x"}, 150), "effects of h, x"), judge.Fail},
		{nil, judge.Fail},
	} {
		n := max(len(c.families), 200)
		if c.families != nil {
			n = len(c.families)
		}
		e := judge.Evidence{Summaries: append(slices.Repeat([]diag.Summary{good}, n-1), low), Families: c.families}
		if v := judge.Judge(judge.Defaults(), e); v.Grade != c.want {
			t.Errorf("%d parameters, the last of %q: %+v, want %s", n, c.families[max(0, len(c.families)-1):], v, c.want)
		}
	}
}

// The bound of the worst of a family follows from the number of members: docs/diagnostics.md has these numbers.
func TestBoundOfTheWorst(t *testing.T) {
	for _, c := range []struct {
		members   int
		ess, rhat float64 // the last that pass
	}{{100, 198, 1.030}, {1000, 169, 1.038}, {25_003, 139, 1.049}} {
		families := slices.Repeat([]string{"effects of g, x"}, c.members)
		for _, pass := range []bool{true, false} {
			ess, rhat := c.ess, c.rhat
			if !pass {
				ess, rhat = ess-2, rhat+0.001
			}
			for _, worst := range []diag.Summary{{RHat: rhat, ESSBulk: 900, ESSTail: 900},
				{RHat: 1, ESSBulk: ess, ESSTail: 900}, {RHat: 1, ESSBulk: 900, ESSTail: ess}} {
				e := judge.Evidence{Summaries: slices.Repeat([]diag.Summary{{RHat: 1, ESSBulk: 900, ESSTail: 900}}, c.members),
					Families: families}
				e.Summaries[7] = worst
				if v := judge.Judge(judge.Defaults(), e); (v.Grade == judge.Pass) != pass {
					t.Errorf("one of %d effects with %+v: %+v, want pass %v", c.members, worst, v, pass)
				}
			}
		}
	}
}
