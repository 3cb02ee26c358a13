package report

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/report/judge"
)

// looFit is a fit of one model with these pointwise results.
func looFit(model, outcomes string, elpd []float64, frequency float64) *Fit {
	f := sampleFit("f-" + model)
	f.Model, f.DrawsOf = model, nil
	f.LOO = &LOO{Outcomes: outcomes, Version: "1", Threshold: 0.7, Observations: frequency * float64(len(elpd))}
	for _, e := range elpd {
		f.LOO.Rows = append(f.LOO.Rows, Pointwise{ELPD: e, P: 0.1, K: 0.2, Frequency: frequency})
		f.LOO.ELPD.Value += frequency * e
	}
	return f
}

// elpd_loo of two models on testdata/loo/plain.csv (the second one's log
// likelihoods are 1.1 times the first one's, less 0.05), by R's loo 2.5.1 with
// r_eff 1, whose loo_compare has the difference that is wanted below.
var (
	modelA = []float64{-0.938670078924, -1.06248211524, -1.46566088392, -3.00948644493, -9.23149115347}
	modelB = []float64{-1.08258572899, -1.21936612013, -1.66464244361, -3.37019430463, -10.2425380098}
)

func TestLOOCompare(t *testing.T) {
	l := open(t, Options{})
	store(t, l, looFit("a", "y", modelA, 1), looFit("b", "y", modelB, 1), looFit("c", "other rows", modelB[:4], 1))
	var diff, se float64
	var best, note string
	one(t, l, "SELECT elpd_diff, se_diff, best_model, note FROM loo_compare WHERE model = 'b'", &diff, &se, &best, &note)
	if math.Abs(diff+1.87153593063) > 1e-10 || math.Abs(se-0.819080676837) > 1e-10 || best != "a" {
		t.Errorf("b against %s: %.12g ± %.12g", best, diff, se)
	}
	if !strings.Contains(note, "not compared with 1 models") {
		t.Errorf("the note does not say that other responses are left out: %q", note)
	}
	one(t, l, "SELECT elpd_diff, se_diff, best_model, note FROM loo_compare WHERE model = 'a'", &diff, &se, &best, &note)
	if diff != 0 || se != 0 {
		t.Errorf("the best fit is %v ± %v from itself", diff, se)
	}
	one(t, l, "SELECT elpd_diff, se_diff, best_model, note FROM loo_compare WHERE model = 'c'", &diff, &se, &best, &note)
	if diff != 0 || best != "c" || !strings.Contains(note, "not compared with 2 models") {
		t.Errorf("other responses: %v from %s, %q", diff, best, note)
	}
	wantInt(t, l, 3, "SELECT count(*) FROM loo_compare")
}

// Samplers of one posterior are one model: the best estimate stands for it, the note says how far they lie apart, and
// Monte Carlo errors of a difference are of both models.
func TestLOOCompareSamplers(t *testing.T) {
	with := func(f *Fit, sampler string, shift, mcse float64) *Fit {
		f.Sampler, f.Fingerprint = sampler, f.Fingerprint+sampler
		f.LOO.ELPD.Value += shift
		f.LOO.Rows[0].ELPD += shift
		f.LOO.MCSE = mcse
		return f
	}
	l := open(t, Options{})
	store(t, l, with(looFit("a", "y", modelA, 1), "nuts", 0.5, 0.04), with(looFit("a", "y", modelA, 1), "gibbs", 0, 0.03),
		with(looFit("b", "y", modelB, 1), "gibbs", 0, 0.06), with(looFit("b", "y", modelB, 1), "nuts", 0.25, 0.08))
	got := textRows(t, l, `SELECT model, sampler, round(elpd_diff, 6), round(mcse_diff, 6), samplers, note FROM loo_compare`)
	want := [][]any{
		{"a", "gibbs", "0", "0", "2", "its 2 samplers lie 0.50 apart, more than Monte Carlo errors explain"},
		{"b", "gibbs", "-1.871536", "0.067082", "2", "its 2 samplers lie 0.25 apart"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Rows that count three times are three rows each; a row without a number leaves
// the difference without one.
func TestLOOCompareCounts(t *testing.T) {
	thrice := func(x []float64) (out []float64) { return append(append(append(out, x...), x...), x...) }
	l := open(t, Options{})
	store(t, l, looFit("a", "y", modelA, 3), looFit("b", "y", modelB, 3))
	m := open(t, Options{})
	store(t, m, looFit("a", "y", thrice(modelA), 1), looFit("b", "y", thrice(modelB), 1))
	const query = "SELECT elpd_diff, se_diff FROM loo_compare WHERE model = 'b'"
	var diff, se, wantDiff, wantSE float64
	one(t, l, query, &diff, &se)
	one(t, m, query, &wantDiff, &wantSE)
	if math.Abs(diff-wantDiff) > 1e-12 || math.Abs(se-wantSE) > 1e-12 {
		t.Errorf("%v ± %v, want %v ± %v", diff, se, wantDiff, wantSE)
	}
	bad := looFit("b", "y", modelB, 3)
	bad.LOO.Rows[2].ELPD, bad.LOO.ELPD.Value = math.NaN(), math.NaN()
	store(t, l, bad)
	wantInt(t, l, 1, "SELECT count(*) FROM loo_compare WHERE model = 'b' AND elpd_diff IS NULL AND se_diff IS NULL")
}

// A later assessment replaces the one before, and the verdict.
func TestAssess(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	f := sampleFit("f1")
	store(t, l, f)
	stored, err := l.Stored(ctx, nil)
	must(t, err)
	has := func() bool {
		all, err := l.Assessed(ctx)
		must(t, err)
		got := all[stored["f1"].ID]
		if got.Checks || got.Sensitivity {
			t.Error("there are checks that nobody made")
		}
		return got.LOO != ""
	}
	if has() {
		t.Error("a fit without leave-one-out has one")
	}
	for _, elpd := range [][]float64{modelA, modelB[:3]} {
		a := looFit("", "y", elpd, 1).Assessment
		must(t, l.Write(ctx, func(s *Session) error {
			return s.Assess(ctx, "f1", &a, []string{"w", "k is high"}, judge.Gates{},
				judge.Verdict{Grade: judge.Warn, Reasons: []string{"k is high"}}, night)
		}))
		wantInt(t, l, len(elpd), "SELECT count(*) FROM pointwise")
		wantInt(t, l, 1, "SELECT count(*) FROM loo WHERE observations = (SELECT count(*) FROM pointwise)")
	}
	wantInt(t, l, 1, "SELECT count(*) FROM fit WHERE verdict = 'warn' AND len(warnings) = 2 AND reasons = ['k is high']")
	if !has() {
		t.Error("the assessed fit has no leave-one-out")
	}
	err = l.Write(ctx, func(s *Session) error {
		return s.Assess(ctx, "none", &Assessment{}, nil, judge.Gates{}, judge.Verdict{}, night)
	})
	if err == nil {
		t.Error("a fit that is not there was assessed")
	}
	store(t, l, f) // drawn again, without
	wantInt(t, l, 0, "SELECT count(*) FROM pointwise")
	wantInt(t, l, 0, "SELECT count(*) FROM loo")
}

// Stored draws come back as they were given, whatever the blocks.
func TestColumns(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	f := sampleFit("f1")
	store(t, l, f)
	stored, err := l.Stored(ctx, nil)
	must(t, err)
	for _, bytes := range []int{1, 8 * 400 * 2, 1 << 20} {
		next := 0
		for c, err := range l.Columns(ctx, stored["f1"], bytes) {
			must(t, err)
			if c.First != next {
				t.Errorf("a block begins at %d, want %d", c.First, next)
			}
			for i, v := range c.Values {
				p, chain, draw := c.First+i/400, i%400/100, i%100
				if want := 1000*float64(p) + 10*float64(chain) + float64(draw)/1000 + 0.5; v != want {
					t.Fatalf("parameter %d, chain %d, draw %d: %v, want %v", p, chain, draw, v, want)
				}
			}
			next += c.Params
		}
		if next != 5 {
			t.Errorf("blocks of %d bytes hold %d parameters", bytes, next)
		}
	}
	for range l.Columns(ctx, stored["f1"], 1) {
		break // stopping early is no error
	}
	missing := stored["f1"]
	missing.Draws++
	for _, err := range l.Columns(ctx, missing, 1<<20) {
		if err == nil || !strings.Contains(err.Error(), "2000 of 2020") {
			t.Errorf("draws are missing: %v", err)
		}
	}
}
