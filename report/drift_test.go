package report

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// nightFit is a fit of one name on night n, with two coefficients and data whose
// numbers are easy to divide.
func nightFit(n int, change func(*Fit)) *Fit {
	f := viewFit(n, "a", 1, [4]float64{1, 2, .03, .04}, [4]float64{10, 4, .03, .04})
	f.Pipeline, f.Rows, f.Columns, f.DataHash, f.Formula = "p", 100, 2, "data", "y ~ x"
	f.Data = &DataSummary{Missing: 0, ResponseMean: 0.5, ResponseSD: 0.25,
		Columns: []ColumnSummary{{Name: "x0", Mean: 1, SD: 0}, {Name: "x1", Mean: 10, SD: 5}}}
	change(f)
	return f
}

func unchanged(*Fit) {}

// Every figure of drift_summary by hand: x0 moved by one sd and x1 by none; x1's
// sd is half as large; 100 rows became 80, none missing 20 of 100; x2 came.
func TestDriftSummary(t *testing.T) {
	l := open(t, Options{})
	second := nightFit(2, func(f *Fit) {
		f.Summaries[0].Mean, f.Summaries[0].SD, f.Summaries[1].SD = 3, 1.6, 2
		f.Parameters = append(f.Parameters, Parameter{Name: "x2", Kind: infer.Coefficient, Scale: 1})
		f.Summaries = append(f.Summaries, diag.Summary{Mean: 7, SD: 1})
		f.Statistics = []judge.Statistic{{Name: "log_lik", Summary: diag.Summary{Mean: 1000, SD: 1}}}
		f.Rows, f.Columns, f.DataHash = 80, 3, "other"
		f.Data = &DataSummary{Missing: 20, ResponseMean: 0.75, ResponseSD: 1,
			Columns: []ColumnSummary{{Name: "x0", Mean: 1, SD: 0}, {Name: "x1", Mean: 20, SD: 2.5},
				{Name: "x2", Mean: 5, SD: 1}}}
	})
	stranger := nightFit(3, func(f *Fit) { f.Pipeline = "other pipeline" })
	repeated := nightFit(4, func(f *Fit) { f.Replicate = 2 })
	store(t, l, nightFit(1, func(f *Fit) { f.Statistics = second.Statistics }), second, stranger, repeated)
	got, err := l.Drifts(context.Background(), "p", 1)
	must(t, err)
	if len(got) != 1 {
		t.Fatalf("%d rows, want the second night's", len(got))
	}
	d := got[0]
	for name, c := range map[string]struct {
		got  *float64
		want float64
	}{
		"shift": {d.Shift, 1}, "rms": {d.ShiftRMS, math.Sqrt(.5)}, "z": {d.ShiftZ, 2 / (.03 + .03)},
		"sd ratio": {d.SDRatio, 2},
		"rows":     {d.Rows, .2}, "missing": {d.Missing, .2}, "response": {d.ResponseShift, 1}, "centre": {d.CentreShift, 2},
		"scale": {d.ScaleRatio, 2},
	} {
		if c.got == nil || !near(*c.got, c.want) {
			t.Errorf("%s is %v, want %v", name, c.got, c.want)
		}
	}
	if *d.ShiftParameter != "x0" || *d.SDRatioParameter != "x1" || *d.CentreShiftColumn != "x1" ||
		*d.ScaleRatioColumn != "x1" ||
		*d.Columns != 1 || d.Compared != 2 || !d.DataChanged || d.ModelChanged || d.ID == d.Previous {
		t.Errorf("got %+v", d)
	}
	all, err := l.Drifts(context.Background(), "", 9)
	must(t, err)
	if len(all) != 1 {
		t.Errorf("%d rows over all pipelines, want 1: a stranger's and a repeated fit have no predecessor", len(all))
	}
}

// Imported draws have no summary of their data: what that leaves unknown is NULL and breaks no gate.
func TestDriftWithoutData(t *testing.T) {
	l := open(t, Options{})
	store(t, l, nightFit(1, func(f *Fit) { f.Data = nil }))
	second := nightFit(2, func(f *Fit) {
		f.Gates.Drift = judge.DriftGates{ResponseShift: judge.Limits{Fail: judge.At(0.001)},
			CentreShift: judge.Limits{Fail: judge.At(0.001)}, Columns: judge.Limits{Fail: judge.At(0)}}
	})
	store(t, l, second)
	got, err := l.Drifts(context.Background(), "p", 1)
	must(t, err)
	if d := got[0]; d.ResponseShift != nil || d.Columns != nil || d.Missing != nil || d.Shift == nil ||
		second.Verdict.Grade != judge.Pass {
		t.Errorf("verdict %v, %+v", second.Verdict, d)
	}
}

// Gates of drift apply in the transaction that stores the fit, and again when changed gates judge it.
func TestDriftGates(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	gates := func(warn, fail float64) judge.Gates {
		g := plainGates()
		g.Drift.Shift = judge.Limits{Warn: judge.At(warn), Fail: judge.At(fail)}
		return g
	}
	night := func(n int, mean float64, g judge.Gates) *Fit {
		return nightFit(n, func(f *Fit) { f.Summaries[0].Mean, f.Gates = mean, g })
	}
	for i, c := range []struct {
		mean   float64
		gates  judge.Gates
		grade  judge.Grade
		reason string
	}{
		{1, gates(.5, 1.5), judge.Pass, ""}, // a first night has no predecessor
		{3, gates(.5, 1.5), judge.Warn, `drift: the posterior mean of "x0" changed by 1 sds, more than 0.5`},
		{9, gates(.5, 1.5), judge.Fail, `drift: the posterior mean of "x0" changed by 3 sds, more than 1.5`},
		{9, gates(.5, 1.5), judge.Pass, ""},
		{0, plainGates(), judge.Pass, ""},
	} {
		f := night(i+1, c.mean, c.gates)
		store(t, l, f)
		if f.Verdict.Grade != c.grade || strings.Join(f.Verdict.Reasons, "\n") != c.reason {
			t.Errorf("night %d: %+v, want %s %q", i+1, f.Verdict, c.grade, c.reason)
		}
		stored, err := l.Stored(ctx, []string{f.Fingerprint})
		must(t, err)
		if v := stored[f.Fingerprint].Verdict; v.Grade != c.grade {
			t.Errorf("night %d: the ledger has %+v", i+1, v)
		}
		var noted string
		one(t, l, "SELECT verdict FROM run_fit ORDER BY noted DESC LIMIT 1", &noted)
		if judge.Grade(noted) != c.grade {
			t.Errorf("night %d: run_fit has %s", i+1, noted)
		}
	}
	e, err := l.Evidence(ctx, "f3")
	must(t, err)
	fail := func(x float64) judge.Limits { return judge.Limits{Fail: judge.At(x)} }
	g := judge.Gates{RHat: fail(2), ESSBulk: fail(1), ESSTail: fail(1), Divergences: fail(0)}
	if v := judge.Judge(g, e); v.Grade != judge.Pass {
		t.Errorf("without gates of drift: %+v", v)
	}
	g.Drift.Shift = judge.Limits{Fail: judge.At(2.9)}
	if v := judge.Judge(g, e); v.Grade != judge.Fail || !strings.Contains(v.Reasons[0], "changed by 3 sds") {
		t.Errorf("judged anew: %+v", v)
	}
}

// Every gate of drift is read from the column of its name, and words its value.
func TestDriftGatesByName(t *testing.T) {
	l := open(t, Options{})
	store(t, l, nightFit(1, unchanged))
	store(t, l, nightFit(2, func(f *Fit) {
		f.Summaries[0].Mean, f.Summaries[1].SD = 3, 8
		f.Rows = 80
		f.Data = &DataSummary{Missing: 20, ResponseMean: 0.75, ResponseSD: 1,
			Columns: []ColumnSummary{{Name: "x0", Mean: 1, SD: 0}, {Name: "x1", Mean: 20, SD: 2.5},
				{Name: "x2", Mean: 5, SD: 1}}}
		f.Columns = 3
	}))
	e, err := l.Evidence(context.Background(), "f2")
	must(t, err)
	every := reflect.TypeFor[judge.DriftGates]()
	if every.NumField() != len(driftColumns) {
		t.Fatalf("%d gates, %d columns", every.NumField(), len(driftColumns))
	}
	for i, want := range []string{"mean of \"x0\" changed by 1 sds", "sd of \"x1\" changed by 2 times",
		"rows changed by 0.2 of itself", "columns of the design changed by 1",
		"left out changed by 0.2", "mean response changed by 1 sds", "mean of column \"x1\" changed by 2 sds",
		"sd of column \"x1\" changed by 2 times"} {
		g := judge.Gates{Divergences: judge.Limits{Fail: judge.At(0)}}
		reflect.ValueOf(&g.Drift).Elem().Field(i).Set(reflect.ValueOf(judge.Limits{Fail: judge.At(0.1)}))
		v := judge.Judge(g, e)
		if v.Grade != judge.Fail || len(v.Reasons) != 1 || !strings.Contains(v.Reasons[0], want) {
			t.Errorf("%s: %+v, want %q", every.Field(i).Name, v, want)
		}
		reflect.ValueOf(&g.Drift).Elem().Field(i).Set(reflect.ValueOf(judge.Limits{Fail: judge.At(2.1)}))
		if v := judge.Judge(g, e); v.Grade != judge.Pass {
			t.Errorf("%s within its limit: %+v", every.Field(i).Name, v)
		}
	}
}
