package assess

import (
	"testing"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// A stored fit lacks what its run asks for and it does not have: of this version, by these columns, over these folds.
func TestLacks(t *testing.T) {
	run := spec.Run{LOO: spec.LOO{On: true}, PPC: spec.Checks{On: true}, KFold: spec.KFold{Folds: 5}}
	f := &plan.Fit{Unit: &plan.Unit{Dataset: new(spec.Dataset)}, Pipeline: &spec.Pipeline{Run: run}, Model: new(spec.Model),
		Gates: judge.Gates{PriorSensitivity: judge.Limits{Warn: judge.At(0.05)}}}
	by := Inputs{Checks: []string{"by g"}}
	has := record.Assessed{LOO: looVersion(f), KFold: kfoldAsked(f, nil), Checks: true, Sensitivity: true, Columns: []string{"by g"}}
	if got := Missing(f, by, has, nil); got.Any() {
		t.Errorf("all is there, and it lacks %+v", got)
	}
	for name, c := range map[string]struct {
		change func(*record.Assessed)
		want   Parts
	}{
		"LOO of an earlier version": {func(a *record.Assessed) { a.LOO = "0" }, Parts{LOO: true}},
		"no LOO":                    {func(a *record.Assessed) { a.LOO = "" }, Parts{LOO: true}},
		"other folds":               {func(a *record.Assessed) { a.KFold += ", folds 1" }, Parts{KFold: true}},
		"no checks":                 {func(a *record.Assessed) { a.Checks = false }, Parts{Checks: true}},
		"checks by another column":  {func(a *record.Assessed) { a.Columns = []string{"by h"} }, Parts{Checks: true}},
		"no sensitivity":            {func(a *record.Assessed) { a.Sensitivity = false }, Parts{Sensitivity: true}},
	} {
		own := has
		c.change(&own)
		if got := Missing(f, by, own, nil); got != c.want {
			t.Errorf("%s: it lacks %+v, want %+v", name, got, c.want)
		}
	}
	without := has
	without.Sensitivity = false
	if got := Missing(f, by, without, []string{unmeasured}); got.Any() {
		t.Errorf("a sensitivity that cannot be measured is lacking: %+v", got)
	}
}

// A recomputed result replaces warnings of its kind, and no others.
func TestReplaces(t *testing.T) {
	loo := predictive.LOOWarnings(&record.LOO{High: 1, Rows: make([]record.Pointwise, 1)})
	kfold := predictive.KFoldWarnings(&record.KFold{RHat: 2})
	if len(loo) != 1 || len(kfold) != 1 {
		t.Fatalf("warnings %q, %q", loo, kfold)
	}
	of := func(a record.Assessment) *Extras { return &Extras{Assessment: a} }
	for _, c := range []struct {
		now        *Extras
		loo, kfold bool
	}{{of(record.Assessment{LOO: new(record.LOO)}), true, false}, {of(record.Assessment{KFold: new(record.KFold)}), false, true},
		{of(record.Assessment{}), false, false}} {
		if a, b := c.now.Replaces(loo[0]), c.now.Replaces(kfold[0]); a != c.loo || b != c.kfold || c.now.Replaces("other") {
			t.Errorf("%+v: replaces LOO %t, k-fold %t", c.now.Assessment, a, b)
		}
	}
}
