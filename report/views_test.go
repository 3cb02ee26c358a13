package report

import (
	"fmt"
	"math"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// viewFit is a fit whose summaries are given by mean, sd and their Monte Carlo
// errors; bulk ESS is 1000 for the first parameter, 500 for others.
func viewFit(n int, sampler string, seconds float64, rows ...[4]float64) *Fit {
	f := &Fit{Key: Key{Dataset: "d", Group: "g", Model: "m", Sampler: sampler}, Fingerprint: fmt.Sprint("f", n),
		RunID: "r", Status: Complete, Verdict: judge.Verdict{Grade: judge.Pass}, Place: 1,
		Created: night.Add(time.Duration(n) * time.Hour), DataHash: "data", ModelHash: "model",
		Times: Times{Setup: seconds / 4, Warmup: seconds / 4, Sampling: seconds / 2}}
	for i, r := range rows {
		f.Parameters = append(f.Parameters, Parameter{Name: fmt.Sprint("x", i), Kind: infer.Coefficient, Scale: 2})
		s := diag.Summary{Mean: r[0], SD: r[1], MCSEMean: r[2], MCSESD: r[3], ESSBulk: 500, ESSTail: 500, RHat: 1}
		if i == 0 {
			s.ESSBulk = 1000
		}
		f.Summaries = append(f.Summaries, s)
	}
	return f
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

func TestComparison(t *testing.T) {
	l := open(t, Options{})
	a := viewFit(1, "a", 4, [4]float64{1, 3, .03, .04}, [4]float64{0, 1, .01, .01}, [4]float64{5, 1, .01, .01})
	b := viewFit(2, "b", 1, [4]float64{1.05, 4, .04, .03}, [4]float64{0.02, 1, .01, .01}, [4]float64{5, 1, .01, .01})
	store(t, l, a, b)
	var agreement, worst string
	var compared, missing int
	var dMax, dRMS, zMax, zRMS, limit, sdMin, sdMax, ratio, essA float64
	row := `SELECT agreement, worst, compared, not_compared, difference_max, difference_rms, z_max, z_rms, z_limit,
		sd_ratio_min, sd_ratio_max, ess_per_second_ratio, ess_per_second_a FROM comparison WHERE sampler_a = 'a' AND sampler_b = 'b'`
	into := []any{&agreement, &worst, &compared, &missing, &dMax, &dRMS, &zMax, &zRMS, &limit, &sdMin, &sdMax, &ratio,
		&essA}
	one(t, l, row, into...)
	// x0: the means differ by 0.05 with pooled sd sqrt(12.5) and error 0.05, the sds by 1 with error 0.05.
	// x1: the means differ by 0.02 with sd 1 and error 0.01·√2.
	d0, d1 := 0.05/math.Sqrt(12.5), 0.02
	for name, pair := range map[string][2]float64{
		"difference_max": {dMax, d1}, "difference_rms": {dRMS, math.Sqrt((d0*d0 + d1*d1) / 3)},
		"z_max": {zMax, 20}, "z_rms": {zRMS, math.Sqrt((1 + 2.) / 3)}, "z_limit": {limit, math.Sqrt(2 * math.Log(6/.001))},
		"sd_ratio_min": {sdMin, .75}, "sd_ratio_max": {sdMax, 1}, "ess ratio": {ratio, 0.25}, "ess/s": {essA, 125},
	} {
		if !near(pair[0], pair[1]) {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
	if agreement != "differ" || worst != "x0" || compared != 3 || missing != 0 {
		t.Errorf("%s, worst %s, compared %d, missing %d", agreement, worst, compared, missing)
	}
	wantInt(t, l, 1, "SELECT count(*) FROM comparison")

	agree := viewFit(3, "b", 1, [4]float64{1.05, 3.1, .04, .03}, [4]float64{0.02, 1, .01, .01}, [4]float64{5, 1, .01, .01})
	agree.Statistics = []judge.Statistic{{Name: "z1", Summary: diag.Summary{}}} // alone on one side: no obstacle
	store(t, l, agree)
	one(t, l, row, into...)
	if agreement != "agree" || compared != 3 {
		t.Errorf("after a closer fit: %s, z_max %v, limit %v", agreement, zMax, limit)
	}
	fewer := viewFit(4, "b", 1, [4]float64{1.05, 3.1, .04, .03}, [4]float64{0.02, 1, .01, .01})
	store(t, l, fewer)
	one(t, l, row, into...)
	if agreement != "unknown" || missing != 1 {
		t.Errorf("a parameter is missing: %s, %d", agreement, missing)
	}
	blind := viewFit(5, "b", 1, [4]float64{1.05, 3.1, math.NaN(), .03}, [4]float64{0.02, 1, .01, .01},
		[4]float64{5, 1, .01, .01})
	store(t, l, blind)
	one(t, l, row, into...)
	if agreement != "unknown" || missing != 1 {
		t.Errorf("an error bar is missing: %s, %d", agreement, missing)
	}
	other := viewFit(6, "b", 1, [4]float64{1, 3, .03, .04})
	other.DataHash = "tomorrow's"
	store(t, l, other)
	wantInt(t, l, 0, "SELECT count(*) FROM comparison")
}

func TestLatestAndDrift(t *testing.T) {
	l := open(t, Options{})
	first := viewFit(1, "a", 1, [4]float64{1, 2, .03, .04})
	second := viewFit(2, "a", 1, [4]float64{2, 1, .04, .04})
	erred := viewFit(3, "a", 1)
	erred.Status, erred.Summaries = Erred, nil
	elsewhere := viewFit(4, "a", 1, [4]float64{9, 9, 9, 9})
	elsewhere.Group = "other"
	store(t, l, second, first, erred, elsewhere) // not in the order of time
	wantInt(t, l, 2, "SELECT count(*) FROM latest")
	wantInt(t, l, 1, "SELECT fit_id FROM latest WHERE key = 'g'")
	wantInt(t, l, 1, "SELECT count(*) FROM drift")
	var fit, previous int
	var shift, z, ratio float64
	one(t, l, "SELECT fit_id, previous_fit_id, shift, shift_z, sd_ratio FROM drift", &fit, &previous, &shift, &z, &ratio)
	if fit != 1 || previous != 2 || !near(shift, .5) || !near(z, 1/.07) || !near(ratio, .5) {
		t.Errorf("drift %d from %d: shift %v, z %v, ratio %v", fit, previous, shift, z, ratio)
	}
	wantInt(t, l, 2, "SELECT count(*) FROM coefficients WHERE verdict = 'pass'")
}

func TestDrawViews(t *testing.T) {
	l := sampled(t)
	wantInt(t, l, 400, `SELECT count(*) FROM draws WHERE dataset = 'pima' AND sampler = 'gibbs' AND parameter = 'größe' AND value >= 4000.5`)
	wantInt(t, l, 400, `SELECT count(*) FROM draws_standardized s JOIN draws d USING (fit_id, parameter, chain, iteration)
		WHERE parameter = 'glu' AND s.value = 2 * d.value`)
}

// Derived quantities are not compared: they follow from the parameters, and a constant one would leave the
// agreement unknown.
func TestComparisonLeavesDerivedOut(t *testing.T) {
	l := open(t, Options{})
	rows := [][4]float64{{1, 3, .03, .04}, {1, 0, math.NaN(), math.NaN()}}
	a, b := viewFit(1, "a", 4, rows...), viewFit(2, "b", 1, rows...)
	a.Parameters[1].Kind, b.Parameters[1].Kind = Derived, Derived
	store(t, l, a, b)
	wantInt(t, l, 1, "SELECT count(*) FROM comparison WHERE agreement = 'agree' AND compared = 1 AND not_compared = 0")
	wantInt(t, l, 1, "SELECT count(*) FROM duckdb_columns() WHERE table_name = 'comparison' AND column_name = 'z_limit' "+
		"AND comment LIKE 'Limit%'")
}

// If neither sampler has a mean, because it may not exist, medians are compared; if one has it, the comparison
// stays open.
func TestComparisonByMedian(t *testing.T) {
	l := open(t, Options{})
	none := [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	fit := func(seed int, sampler string, median float64, row [4]float64) *Fit {
		f := viewFit(seed, sampler, 1, [4]float64{0, 1, .01, .01}, row)
		f.Summaries[1].Median, f.Summaries[1].MCSEMedian = median, 0.03
		return f
	}
	a := fit(1, "a", 2, none)
	store(t, l, a, fit(2, "b", 2.03, none))
	wantInt(t, l, 1, "SELECT count(*) FROM comparison WHERE agreement = 'agree' AND not_compared = 0 AND abs(z_max - "+
		"1/sqrt(2)) < 1e-6")
	store(t, l, fit(3, "b", 2.3, none))
	wantInt(t, l, 1, "SELECT count(*) FROM comparison WHERE agreement = 'differ' AND worst = 'x1' AND abs(z_max - "+
		"10/sqrt(2)) < 1e-6")
	store(t, l, fit(4, "b", 2.03, [4]float64{2, 1, .01, .01}))
	wantInt(t, l, 1, "SELECT count(*) FROM comparison WHERE agreement = 'unknown' AND not_compared = 1")
}
