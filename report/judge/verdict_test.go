package judge

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
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
	but := func(change func(*Gates)) *Gates { g := Defaults(); change(&g); return &g }
	for name, c := range map[string]struct {
		gates   *Gates // nil: the defaults
		in      Evidence
		grade   Grade
		reasons []string
	}{
		"good": {in: Evidence{Names: names, Summaries: six()}, grade: Pass},
		"at the limit": {in: Evidence{Names: names,
			Summaries: six(rhat(1.01), with(func(s *diag.Summary) { s.ESSBulk = 400 }))}, grade: Pass},
		"worst is named": {in: Evidence{Names: names, Summaries: six(rhat(1.02), rhat(1.0149), rhat(1.0342))}, grade: Fail,
			reasons: []string{"R-hat 1.034 at glu exceeds 1.01 (3 of 6 parameters)"}},
		"just beyond": {in: Evidence{Names: names, Summaries: six(rhat(math.Nextafter(1.01, 2)))}, grade: Fail,
			reasons: []string{"R-hat 1.0100000000000002 at (Intercept) exceeds 1.01 (1 of 6 parameters)"}},
		"infinite": {in: Evidence{Names: names, Summaries: six(good, rhat(math.Inf(1)))}, grade: Fail,
			reasons: []string{"R-hat +Inf at npreg exceeds 1.01 (1 of 6 parameters)"}},
		"both ESS": {in: Evidence{Names: names,
			Summaries: six(with(func(s *diag.Summary) { s.ESSBulk, s.ESSTail = 399.96, 12.3 }))}, grade: Fail,
			reasons: []string{"bulk ESS 399.96 at (Intercept) is below 400 (1 of 6 parameters)",
				"tail ESS 12.3 at (Intercept) is below 400 (1 of 6 parameters)"}},
		"worst ESS is named, not the first or the last": {in: Evidence{Names: names, Summaries: six(
			with(func(s *diag.Summary) { s.ESSBulk = 300 }), with(func(s *diag.Summary) { s.ESSBulk = 12 }),
			with(func(s *diag.Summary) { s.ESSBulk = 200 }))}, grade: Fail,
			reasons: []string{"bulk ESS 12 at npreg is below 400 (3 of 6 parameters)"}},
		"derived alone": {in: Evidence{Names: names, Summaries: six(), Derived: []Statistic{{"ratio", rhat(1.5)}}},
			grade: Fail, reasons: []string{"R-hat 1.5 at ratio exceeds 1.01"}},
		"statistic alone": {in: Evidence{Names: names, Summaries: six(), Statistics: []Statistic{{"log_lik", rhat(1.5)}}},
			grade:   Fail,
			reasons: []string{"R-hat 1.5 at log_lik exceeds 1.01"}},
		"constant": {in: Evidence{Names: names, Summaries: six(good, constant)}, grade: Fail, reasons: []string{
			"R-hat of npreg cannot be computed: all draws are equal (1 of 6 parameters)",
			"bulk ESS of npreg cannot be computed: all draws are equal (1 of 6 parameters)",
			"tail ESS of npreg cannot be computed: all draws are equal (1 of 6 parameters)"}},
		"NaN without reason": {gates: but(func(g *Gates) { g.ESSBulk.Fail = Limit{}; g.ESSTail.Fail = Limit{} }),
			in: Evidence{Summaries: []diag.Summary{rhat(nan)}}, grade: Fail,
			reasons: []string{"R-hat of parameter 1 cannot be computed: no reason was given"}},
		"NaN behind a gate that is off": {gates: but(func(g *Gates) { g.RHat.Fail = Limit{} }),
			in: Evidence{Names: names, Summaries: six(rhat(nan))}, grade: Pass},
		"divergent": {in: Evidence{Summaries: six(), Divergences: 3}, grade: Fail,
			reasons: []string{"3 divergent transitions exceed 0"}},
		"divergences allowed": {gates: but(func(g *Gates) { g.Divergences.Fail = At(3) }),
			in: Evidence{Summaries: six(), Divergences: 3}, grade: Pass},
		"nothing to judge": {grade: Fail, reasons: []string{"there are no diagnostics"}},
		"warned": {in: Evidence{Summaries: six(), Warnings: []string{"12 rows dropped"}}, grade: Warn,
			reasons: []string{"12 rows dropped"}},
		"broken and warned": {in: Evidence{Summaries: six(), Divergences: 1, Warnings: []string{"w"}}, grade: Fail,
			reasons: []string{"1 divergent transitions exceed 0", "w"}},
		"every gate off": {gates: &Gates{}, in: Evidence{Summaries: six(constant)}, grade: Warn,
			reasons: []string{"every gate is off"}},
		"large limit": {gates: but(func(g *Gates) { g.ESSBulk.Fail = At(20000); g.ESSTail.Fail = Limit{} }),
			in: Evidence{Summaries: []diag.Summary{good}}, grade: Fail,
			reasons: []string{"bulk ESS 900 at parameter 1 is below 20000"}},
		"beyond warn, within fail": {gates: but(func(g *Gates) { g.RHat.Fail = At(1.05); g.RHat.Warn = At(1.01) }),
			in: Evidence{Names: names, Summaries: six(rhat(1.02))}, grade: Warn,
			reasons: []string{"R-hat 1.02 at (Intercept) exceeds 1.01 (1 of 6 parameters)"}},
		"beyond both is told once": {gates: but(func(g *Gates) { g.RHat.Fail = At(1.05); g.RHat.Warn = At(1.01) }),
			in: Evidence{Names: names, Summaries: six(rhat(1.06))}, grade: Fail,
			reasons: []string{"R-hat 1.06 at (Intercept) exceeds 1.05 (1 of 6 parameters)"}},
		"fail before warn": {gates: but(func(g *Gates) { g.ESSBulk.Warn = At(1000); g.Divergences.Warn = At(0); g.Divergences.Fail = At(5) }), in: Evidence{Summaries: six(rhat(1.02)), Divergences: 3, Warnings: []string{"w"}}, grade: Fail,
			reasons: []string{"R-hat 1.02 at parameter 1 exceeds 1.01 (1 of 6 parameters)",
				"bulk ESS 900 at parameter 1 is below 1000 (6 of 6 parameters)", "3 divergent transitions exceed 0", "w"}},
		"a limit that only warns": {gates: but(func(g *Gates) {
			g.RHat.Fail = Limit{}
			g.ESSBulk.Fail = Limit{}
			g.ESSTail.Fail = Limit{}
			g.Divergences.Fail = Limit{}
			g.ESSTail.Warn = At(1000)
		}), in: Evidence{Summaries: six()}, grade: Warn,
			reasons: []string{"tail ESS 800 at parameter 1 is below 1000 (6 of 6 parameters)"}},
		"unknown behind both": {gates: but(func(g *Gates) { g.ESSBulk.Fail = Limit{}; g.ESSTail.Fail = Limit{}; g.RHat.Warn = At(1.005) }), in: Evidence{Summaries: []diag.Summary{rhat(nan)}}, grade: Fail,
			reasons: []string{"R-hat of parameter 1 cannot be computed: no reason was given"}},
	} {
		t.Run(name, func(t *testing.T) {
			gates := Defaults()
			if c.gates != nil {
				gates = *c.gates
			}
			got := Judge(gates, c.in)
			if want := (Verdict{c.grade, c.reasons}); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// Drift worsens a verdict and never betters it; broken gates come first. A verdict whose warnings are replaced is
// the one that Judge gives with the other warnings.
func TestRewarn(t *testing.T) {
	good, bad := diag.Summary{RHat: 1, ESSBulk: 900, ESSTail: 900}, diag.Summary{RHat: 2, ESSBulk: 900, ESSTail: 900}
	caution := good
	caution.RHat = 1.005
	gates := Defaults()
	gates.RHat.Warn = Limit{On: true, At: 1.001}
	warnings := [][]string{nil, {"a: 1"}, {"b"}, {"b", "a: 1"}, {"a: 1", "a: 2"}}
	for _, s := range []diag.Summary{good, caution, bad} {
		for _, before := range warnings {
			for _, after := range [][]string{nil, {"a: 3"}, {"a: 3", "a: 4"}} {
				is := func(w string) bool { return strings.HasPrefix(w, "a: ") }
				kept := slices.DeleteFunc(slices.Clone(before), is)
				of := func(w []string) Verdict { return Judge(gates, Evidence{Summaries: []diag.Summary{s}, Warnings: w}) }
				want, got := of(append(kept, after...)), of(before).Rewarn(is, after)
				if want.Grade != got.Grade || !slices.Equal(want.Reasons, got.Reasons) {
					t.Errorf("R-hat %v, %q then %q: %v, want %v", s.RHat, before, after, got, want)
				}
			}
		}
	}
}

func TestDrifted(t *testing.T) {
	gates := DriftGates{Shift: Limits{Warn: At(1), Fail: At(3)}}
	for _, c := range []struct {
		before Grade
		shift  float64
		want   Grade
		first  bool // drift comes before the earlier reasons
	}{
		{Pass, 0.5, Pass, false}, {Pass, 2, Warn, false}, {Pass, 5, Fail, true},
		{Warn, 2, Warn, false}, {Warn, 5, Fail, true}, {Fail, 2, Fail, false},
	} {
		v := Verdict{Grade: c.before, Reasons: []string{"other"}}.Drifted(gates, []Measure{{"shift", c.shift, "x"}})
		if v.Grade != c.want || len(v.Reasons) != 1+min(1, int(c.shift)) || (v.Reasons[0] != "other") != c.first {
			t.Errorf("%s after a shift of %g: %+v, want %s", c.before, c.shift, v, c.want)
		}
	}
}

// A growing run aims at the stricter limits, and neither at divergences nor at drift.
func TestStrictGates(t *testing.T) {
	g := Gates{
		RHat: Limits{Warn: At(1.01), Fail: At(1.05)}, ESSBulk: Limits{Fail: At(400)}, ESSTail: Limits{Warn: At(100)},
		Divergences: Limits{Warn: At(0), Fail: At(5)}, Drift: DriftGates{Shift: Limits{Fail: At(1)}},
	}
	fail := func(x float64) Limits { return Limits{Fail: At(x)} }
	if got, want := g.Strict(), (Gates{RHat: fail(1.01), ESSBulk: fail(400), ESSTail: fail(100)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for n, want := range map[int]bool{0: false, 5: false, 6: true} {
		if g.Diverged(n) != want || (Gates{}).Diverged(n) {
			t.Errorf("%d divergences under %+v: %v, want %v", n, g.Divergences, g.Diverged(n), want)
		}
	}
}

// Gates are stored as JSON, whose form the ledger's readers know, and compared
// when they come back.
func TestGatesSurviveJSON(t *testing.T) {
	custom := Gates{
		RHat: Limits{Fail: At(1.05)}, ESSTail: Limits{Fail: At(400)}, Divergences: Limits{Warn: At(0), Fail: At(3)},
		Drift: DriftGates{Shift: Limits{Warn: At(1)}, Columns: Limits{Fail: At(0)}},
	}
	for want, g := range map[string]Gates{
		`{"rhat":1.01,"ess_bulk":400,"ess_tail":400,"divergences":0,"drift":{"rows":{"warn":0.5},"columns":{"warn":0},"missing":{"warn":0.1}}}`: Defaults(),
		`{"rhat":-1,"ess_bulk":-1,"ess_tail":-1,"divergences":-1}`:                                                                              {},
		`{"rhat":1.05,"ess_bulk":-1,"ess_tail":400,"divergences":3,"warn":{"divergences":0},"drift":{"shift":{"warn":1},"columns":{"fail":0}}}`: custom,
	} {
		text, err := json.Marshal(g)
		if err != nil || string(text) != want {
			t.Errorf("%+v is %s (%v), want %s", g, text, err, want)
		}
		back := Defaults()
		if err := json.Unmarshal(text, &back); err != nil || back != g {
			t.Errorf("%s came back as %+v (%v)", text, back, err)
		}
	}
	var none Gates
	if err := json.Unmarshal([]byte("{}"), &none); err != nil || none != (Gates{}) {
		t.Errorf("no limits are %+v (%v)", none, err)
	}
}

// Every gate of drift is held: the list has each field once.
func TestDriftGatesAreListed(t *testing.T) {
	every := reflect.TypeFor[DriftGates]()
	for i := range every.NumField() {
		var d DriftGates
		reflect.ValueOf(&d).Elem().Field(i).Set(reflect.ValueOf(Limits{Fail: At(1)}))
		on := 0
		for _, g := range d.list() {
			if g.limits.Fail.On {
				on++
			}
		}
		if on != 1 {
			t.Errorf("%s is in the list %d times", every.Field(i).Name, on)
		}
	}
}
