package main

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// After a night that could not be computed, what is older than that night says so: in the views that people build on,
// in show, and in the lists of fits; after the next good one it is current again.
func TestStaleIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "")
	write(t, ".", "s.yaml", `pipeline: s
database: s.duckdb
datasets: {d: {path: d.csv}}
models: {m: {formula: y ~ x, family: poisson}}
samplers: {a: {method: auto}}
run: {chains: 2, warmup: 200, draws: 200}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	const good = "y,x\n1,0.1\n2,0.3\n0,0.2\n4,0.9\n2,0.4\n1,0.6\n"
	night := func(data string, exit int) {
		t.Helper()
		write(t, ".", "d.csv", data)
		if code, out, errs := call(t, "run", "s.yaml"); code != exit {
			t.Fatalf("exit %d, want %d\n%s%s", code, exit, out, errs)
		}
	}
	states := func() string {
		t.Helper()
		return mustCall(t, "sql", "--database", "s.duckdb", "--format", "csv", `SELECT DISTINCT c.state, c.fit_id, a.outcome,
			c.created < l.attempted AS older FROM coefficients c JOIN latest l USING (fit_id), attempt a`)
	}
	night(good, 0)
	if got := states(); got != "state,fit_id,outcome,older\ncurrent,1,computed,false\n" {
		t.Errorf("after a good night: %s", got)
	}
	night(good, 0) // unchanged: confirmed
	if got := states(); got != "state,fit_id,outcome,older\ncurrent,1,skipped,true\n" {
		t.Errorf("after a night without news: %s", got)
	}
	night(strings.Replace(good, "4,", "-1,", 1), 1)
	if got := states(); got != "state,fit_id,outcome,older\nerror,1,error,true\n" {
		t.Errorf("after a bad night: %s", got)
	}
	show := func(args ...string) string {
		return mustCall(t, append([]string{"show", "--database", "s.duckdb"}, args...)...)
	}
	if got := show("1"); !strings.HasPrefix(got, "OLD the attempt of ") || !strings.Contains(got, "ended as error") {
		t.Errorf("show of the old fit does not say so first:\n%s", got)
	}
	if got := strings.Join(strings.Fields(show()), " "); !strings.Contains(got, "the newest complete fit of this name is ") ||
		!strings.Contains(got, ": pipeline show --database s.duckdb 1") {
		t.Errorf("show of the bad night:\n%s", got)
	}
	holdDraws(t, "1,error,true\n")
	night(strings.Replace(good, "4,", "5,", 1), 0)
	holdDraws(t, "1,older,true\n3,current,true\n")
	if got := states(); !strings.Contains(got, "current,3,computed") {
		t.Errorf("after the next good night: %s", got)
	}
	checkNewest(t)
	if got := show("1"); !strings.Contains(got, "the newest complete fit of this name is ") {
		t.Errorf("show of an old fit:\n%s", got)
	}
}

// checkNewest demands that table functions ask the newest fit of s.duckdb alone.
func checkNewest(t *testing.T) {
	t.Helper()
	for macro, rows := range map[string]string{"posterior('x')": "1", "probability('x', 0)": "1", "odds_ratios()": "1",
		"contrast('x', '(Intercept)')": "1", "ranking([])": "2", "scenario(MAP {'x': 1})": "400"} {
		got := mustCall(t, "sql", "--database", "s.duckdb", "--format", "csv", "SELECT count(*) AS n FROM "+macro)
		if got != "n\n"+rows+"\n" {
			t.Errorf("%s has %s rows, the newest fit %s", macro, strings.TrimSpace(got), rows)
		}
	}
}

// holdDraws holds what the view draws of s.duckdb says of its fits to lines of fit, state and whether the date is right.
func holdDraws(t *testing.T, want string) {
	t.Helper()
	got := mustCall(t, "sql", "--database", "s.duckdb", "--format", "csv", `SELECT DISTINCT fit_id, d.state,
		d.created = f.created AS dated FROM draws d JOIN fit f USING (fit_id, run_id) ORDER BY ALL`)
	if got != "fit_id,state,dated\n"+want {
		t.Errorf("the draws say\n%swant\n%s", got, want)
	}
}

// Lists of fits have it too.
func TestStaleInLists(t *testing.T) {
	f := pipelines.Look{}
	f.Grade, f.Newest = "error", 7
	if got := whyOf(&f); !strings.Contains(got, "the newest complete fit of this name is 7, of ") {
		t.Errorf("a list says of a fit that erred %q", got)
	}
	f.Grade, f.ID, f.State = "pass", 7, "error"
	if got := whyOf(&f); !strings.HasPrefix(got, "the attempt of ") {
		t.Errorf("a list says of a fit that is older than the last attempt %q", got)
	}
}
