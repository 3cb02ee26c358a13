package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// predict in every format, and its errors by exit code.
func TestPredict(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "new.csv", "npreg,glu,bmi,ped,age\n0,90,24,0.2,25\n8,170,39,0.9,50\n")
	write(t, ".", "bad.csv", "npreg,glu,bmi,ped,age\n0,90,24,0.2,25\n8,,39,0.9,50\n")
	if code, _, errs := call(t, "predict", "quickstart", "--data", "new.csv"); code != 2 || !strings.Contains(errs, "no ledger") {
		t.Errorf("before any run: exit %d, %s", code, errs)
	}
	mustCall(t, "run", "quickstart", "--quiet")
	var rows []struct {
		Row      int
		Quantity string
		Mean, SD float64
		Reason   *string
	}
	must(t, json.Unmarshal([]byte(mustCall(t, "predict", "quickstart", "--data", "new.csv", "--format", "json")), &rows))
	if len(rows) != 4 || rows[0].Quantity != "mean" || rows[3].Row != 2 || rows[3].Quantity != "response" || rows[0].Reason != nil {
		t.Fatalf("%+v", rows)
	}
	if low, high := rows[0].Mean, rows[2].Mean; !(low > 0 && low < 0.2 && high > 0.7 && high < 1) || math.Abs(rows[3].Mean-high) > 0.1 {
		t.Errorf("probabilities %v and %v, responses %v", low, high, rows[3].Mean)
	}
	if out := mustCall(t, "predict", "--database", "posteriors.duckdb", "--data", "new.csv", "--format", "parquet"); !strings.HasPrefix(out, "PAR1") {
		t.Errorf("parquet begins with %.4q", out)
	}
	if out := mustCall(t, "predict", "quickstart", "--rows", "3"); !strings.Contains(out, "quantity") || !strings.Contains(out, "(the first 3 rows") {
		t.Errorf("the fit's own data:\n%s", out)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--data", "bad.csv"}, "row 2"},
		{[]string{"--data", "none.csv"}, "none.csv"},
		{[]string{"--format", "xml"}, "parquet"},
		{[]string{"--workers", "-1"}, "--workers"},
		{[]string{"--only", "sampler=other"}, "no complete fit"},
	} {
		if code, _, errs := call(t, append([]string{"predict", "quickstart"}, c.args...)...); code != 2 || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit %d, want 2 and %q\n%s", c.args, code, c.says, errs)
		}
	}
	if code, _, errs := call(t, "predict"); code != 2 || !strings.Contains(errs, "--data FILE") {
		t.Errorf("without a spec or data: exit %d, %s", code, errs)
	}
}

// Verbs that read ask the ledger that a run without --database leaves, where none
// is named; those that write do not.
func TestReadersAskTheDefaultLedger(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "new.csv", "npreg,glu,bmi,ped,age\n0,90,24,0.2,25\n")
	readers := [][]string{{"predict", "--data", "new.csv"}, {"report"}, {"drift"}}
	for _, args := range readers {
		if code, _, errs := call(t, args...); code != 2 || !strings.Contains(errs, "posteriors.duckdb") {
			t.Errorf("%v without a ledger: exit %d, %s", args, code, errs)
		}
	}
	mustCall(t, "run", "quickstart", "--quiet")
	for _, args := range readers {
		mustCall(t, args...)
	}
	for _, args := range [][]string{{"prune", "--keep", "1"}, {"commit"}} {
		if code, _, errs := call(t, args...); code != 2 || !strings.Contains(errs, "name a spec, or a ledger") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}
