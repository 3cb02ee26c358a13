package report

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"glmbatch/infer/diag"
)

func TestJudge(t *testing.T) {
	nan := math.NaN()
	good := diag.Summary{RHat: 1.001, ESSBulk: 900, ESSTail: 800}
	with := func(change func(*diag.Summary)) diag.Summary { s := good; change(&s); return s }
	rhat := func(v float64) diag.Summary { return with(func(s *diag.Summary) { s.RHat = v }) }
	constant := diag.Summary{RHat: nan, ESSBulk: nan, ESSTail: nan, Reason: "all draws are equal"}
	names := []string{"(Intercept)", "npreg", "glu", "bmi", "ped", "age"}
	six := func(s ...diag.Summary) []diag.Summary {
		for len(s) < 6 {
			s = append(s, good)
		}
		return s
	}
	off := Gates{RHat: -1, ESSBulk: -1, ESSTail: -1, Divergences: -1}
	for name, c := range map[string]struct {
		gates   Gates
		in      Evidence
		grade   Grade
		reasons []string
	}{
		"good":         {in: Evidence{Names: names, Summaries: six()}, grade: Pass},
		"at the limit": {in: Evidence{Names: names, Summaries: six(rhat(1.01), with(func(s *diag.Summary) { s.ESSBulk = 400 }))}, grade: Pass},
		"worst is named": {in: Evidence{Names: names, Summaries: six(rhat(1.02), rhat(1.0149), rhat(1.0342))}, grade: Fail,
			reasons: []string{"R-hat 1.034 at glu exceeds 1.01 (3 of 6 parameters)"}},
		"just beyond": {in: Evidence{Names: names, Summaries: six(rhat(math.Nextafter(1.01, 2)))}, grade: Fail,
			reasons: []string{"R-hat 1.0100000000000002 at (Intercept) exceeds 1.01 (1 of 6 parameters)"}},
		"infinite": {in: Evidence{Names: names, Summaries: six(good, rhat(math.Inf(1)))}, grade: Fail,
			reasons: []string{"R-hat +Inf at npreg exceeds 1.01 (1 of 6 parameters)"}},
		"both ESS": {in: Evidence{Names: names, Summaries: six(with(func(s *diag.Summary) { s.ESSBulk, s.ESSTail = 399.96, 12.3 }))}, grade: Fail,
			reasons: []string{"bulk ESS 399.96 at (Intercept) is below 400 (1 of 6 parameters)", "tail ESS 12.3 at (Intercept) is below 400 (1 of 6 parameters)"}},
		"statistic alone": {in: Evidence{Names: names, Summaries: six(), Statistics: []Statistic{{"log_lik", rhat(1.5)}}}, grade: Fail,
			reasons: []string{"R-hat 1.5 at log_lik exceeds 1.01"}},
		"constant": {in: Evidence{Names: names, Summaries: six(good, constant)}, grade: Fail, reasons: []string{
			"R-hat of npreg cannot be computed: all draws are equal (1 of 6 parameters)",
			"bulk ESS of npreg cannot be computed: all draws are equal (1 of 6 parameters)",
			"tail ESS of npreg cannot be computed: all draws are equal (1 of 6 parameters)"}},
		"NaN without reason": {gates: Gates{ESSBulk: -1, ESSTail: -1}, in: Evidence{Summaries: []diag.Summary{rhat(nan)}}, grade: Fail,
			reasons: []string{"R-hat of parameter 1 cannot be computed: no reason was given"}},
		"NaN behind a gate that is off": {gates: Gates{RHat: -1}, in: Evidence{Names: names, Summaries: six(rhat(nan))}, grade: Pass},
		"divergent":                     {in: Evidence{Summaries: six(), Divergences: 3}, grade: Fail, reasons: []string{"3 divergent transitions exceed 0"}},
		"divergences allowed":           {gates: Gates{Divergences: 3}, in: Evidence{Summaries: six(), Divergences: 3}, grade: Pass},
		"nothing to judge":              {grade: Fail, reasons: []string{"there are no diagnostics"}},
		"warned":                        {in: Evidence{Summaries: six(), Warnings: []string{"12 rows dropped"}}, grade: Warn, reasons: []string{"12 rows dropped"}},
		"broken and warned": {in: Evidence{Summaries: six(), Divergences: 1, Warnings: []string{"w"}}, grade: Fail,
			reasons: []string{"1 divergent transitions exceed 0", "w"}},
		"every gate off": {gates: off, in: Evidence{Summaries: six(constant)}, grade: Warn, reasons: []string{"every gate is off"}},
		"large limit": {gates: Gates{ESSBulk: 20000, ESSTail: -1}, in: Evidence{Summaries: []diag.Summary{good}}, grade: Fail,
			reasons: []string{"bulk ESS 900 at parameter 1 is below 20000"}},
		"beyond warn, within fail": {gates: Gates{RHat: 1.05, Warn: Warnings{RHat: At(1.01)}}, in: Evidence{Names: names, Summaries: six(rhat(1.02))}, grade: Warn,
			reasons: []string{"R-hat 1.02 at (Intercept) exceeds 1.01 (1 of 6 parameters)"}},
		"beyond both is told once": {gates: Gates{RHat: 1.05, Warn: Warnings{RHat: At(1.01)}}, in: Evidence{Names: names, Summaries: six(rhat(1.06))}, grade: Fail,
			reasons: []string{"R-hat 1.06 at (Intercept) exceeds 1.05 (1 of 6 parameters)"}},
		"fail before warn": {gates: Gates{Warn: Warnings{ESSBulk: At(1000), Divergences: At(0)}, Divergences: 5}, in: Evidence{Summaries: six(rhat(1.02)), Divergences: 3, Warnings: []string{"w"}}, grade: Fail,
			reasons: []string{"R-hat 1.02 at parameter 1 exceeds 1.01 (1 of 6 parameters)", "bulk ESS 900 at parameter 1 is below 1000 (6 of 6 parameters)", "3 divergent transitions exceed 0", "w"}},
		"a limit that only warns": {gates: Gates{RHat: -1, ESSBulk: -1, ESSTail: -1, Divergences: -1, Warn: Warnings{ESSTail: At(1000)}}, in: Evidence{Summaries: six()}, grade: Warn,
			reasons: []string{"tail ESS 800 at parameter 1 is below 1000 (6 of 6 parameters)"}},
		"unknown behind both": {gates: Gates{ESSBulk: -1, ESSTail: -1, Warn: Warnings{RHat: At(1.005)}}, in: Evidence{Summaries: []diag.Summary{rhat(nan)}}, grade: Fail,
			reasons: []string{"R-hat of parameter 1 cannot be computed: no reason was given"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Judge(c.gates, c.in)
			if want := (Verdict{c.grade, c.reasons}); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// A growing run aims at the stricter limits, and not at drift.
func TestStrictGates(t *testing.T) {
	g := Gates{RHat: 1.05, ESSTail: -1, Divergences: 5, Warn: Warnings{RHat: At(1.01), ESSTail: At(100), Divergences: At(0)}, Drift: DriftGates{Shift: Limits{Fail: At(1)}}}
	if got, want := g.Strict(), (Gates{RHat: 1.01, ESSBulk: 400, ESSTail: 100}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Gates are stored as JSON and compared when they come back; those of older
// ledgers have no limits of warnings and drift.
func TestGatesSurviveJSON(t *testing.T) {
	for _, g := range []Gates{
		{}, {RHat: 1.05, ESSBulk: -1, ESSTail: 400, Divergences: 3},
		{Warn: Warnings{RHat: At(1.01), Divergences: At(0)}, Drift: DriftGates{Shift: Limits{Warn: At(1)}, Columns: Limits{Fail: At(0)}}},
	} {
		text, err := json.Marshal(g)
		must(t, err)
		var back Gates
		must(t, json.Unmarshal(text, &back))
		if back != g {
			t.Errorf("%s came back as %+v", text, back)
		}
	}
	var old Gates
	must(t, json.Unmarshal([]byte(`{"rhat":1.01,"ess_bulk":400,"ess_tail":400,"divergences":0}`), &old))
	if old != (Gates{}).withDefaults() {
		t.Errorf("an older ledger's: %+v", old)
	}
}
