package pipelines_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const nightly = `
pipeline: nightly
database: t.duckdb
seed: 7
datasets: {claims: {path: claims.csv}}
models:
  m: {formula: y ~ age, family: poisson, standardize: center_scale, missing: drop, prior: {coefficients: "normal(0, 2.5)"}}
samplers: {gibbs: {method: cggibbs}}
run: {chains: 3, warmup: 20, draws: 60}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5, drift: {rows: {warn: 0.1, fail: 0.5}, response_shift: 2}}
`

// The summary of the data is that which the engine computes from the file, and the gates detect changes from run to
// run.
func TestDriftFromNightToNight(t *testing.T) {
	f := newFolder(t, nightly)
	night := func(data, want, reason string) {
		t.Helper()
		f.write("claims.csv", data)
		fit := f.run(pipelines.RunOptions{}).Fits[0]
		if fit.Action+" "+fit.Verdict != want || !strings.Contains(strings.Join(fit.Reasons, "\n"), reason) {
			t.Errorf("%s %s %q, want %s because %q", fit.Action, fit.Verdict, fit.Reasons, want, reason)
		}
	}
	const first = "age,y\n20,3\n31,4\n44,9\n52,8\n61,12\n"
	night(first, "computed pass", "")
	const figures = `SELECT max(abs(s.response_mean - e.my)) < 1e-12 AND max(abs(s.response_sd - e.sy)) < 1e-12
		AND max(abs(c.mean - e.ma)) < 1e-12 AND max(abs(c.sd - e.sa)) < 1e-12 AND count(*) = 1
		FROM data_summary s JOIN column_summary c USING (fit_id), (SELECT avg(y) my, stddev_pop(y) sy, avg(age) ma, stddev_pop(age) sa
		FROM (VALUES (20, 3), (31, 4), (44, 9), (52, 8), (61, 12)) d(age, y)) e WHERE c.name = 'age'`
	if got := f.ask("t.duckdb", figures); got != "true" {
		t.Errorf("the summary of the data is not the engine's: %s", got)
	}
	night(first+"30,5\n", "computed warn", "drift: the number of rows changed by 0.2 of itself, more than 0.1")
	night(first+"30,5\n", "skipped warn", "drift: the number of rows")
	night(first+"30,50\n", "computed fail", "drift: the mean response changed by 2.")
	f.write("spec.yaml", strings.Replace(nightly, "response_shift: 2", "response_shift: 9", 1))
	night(first+"30,50\n", "skipped pass", "")
	f.write("spec.yaml", strings.Replace(nightly, "response_shift: 2", "missing: 0.1", 1))
	night(first+"30,50\n,6\n,\n,\n", "computed fail", "drift: the share of rows left out changed by 0.3333, more than 0.1")

	rows, err := pipelines.Drifts(t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Pipeline: "nightly", Nights: 9})
	if err != nil || len(rows) != 3 || rows[0].RowsNow != 6 || rows[2].RowsBefore != 5 || math.Abs(*rows[0].MissingNow-1.0/3) > 1e-12 {
		t.Errorf("%v, %d rows: %+v", err, len(rows), rows)
	}
	rows, err = pipelines.Drifts(t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Only: []string{"sampler=gibbs"}})
	if err != nil || len(rows) != 1 || rows[0].MissingNow == nil {
		t.Errorf("the last night of this sampler: %v, %+v", err, rows)
	}
	rows, err = pipelines.Drifts(t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Only: []string{"sampler=nuts"}})
	if err != nil || len(rows) != 0 {
		t.Errorf("another sampler: %v, %+v", err, rows)
	}
	if rows, err = pipelines.Drifts(t.Context(), f.path("t.duckdb"), pipelines.DriftOptions{Pipeline: "other"}); err != nil || len(rows) != 0 {
		t.Errorf("another pipeline: %v, %+v", err, rows)
	}
}

// A fit that is committed later is compared with the predecessor that the ledger has then.
func TestDriftOfALaterCommit(t *testing.T) {
	f := newFolder(t, nightly)
	f.write("claims.csv", "age,y\n20,3\n31,4\n44,9\n52,8\n61,12\n")
	f.run(pipelines.RunOptions{})
	release := holdOpen(t, f.path("t.duckdb"))
	f.write("claims.csv", "age,y\n20,3\n31,4\n44,9\n52,8\n61,12\n30,5\n")
	held := f.run(pipelines.RunOptions{LockWait: -1})
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{})
	if err != nil || held.ExitCode != pipelines.ExitUncommitted || actions(out) != "claims/ committed warn" || out.Fits[0].ID != 2 {
		t.Errorf("%v, held with %d, then %s, fit %d", err, held.ExitCode, actions(out), out.Fits[0].ID)
	}
}

// A run that grows until its gates hold grows until none warns, as far as it may.
func TestGrowUntilNoGateWarns(t *testing.T) {
	text := strings.Replace(nightly, "run: {chains: 3, warmup: 20, draws: 60}", "run: {chains: 2, first: 40, max_iterations: 400}", 1)
	text = strings.Replace(text, "ess_bulk: 5,", "ess_bulk: %,", 1)
	draws := func(gate, verdict string) int {
		f := newFolder(t, strings.Replace(text, "%", gate, 1))
		f.write("claims.csv", "age,y\n20,3\n31,4\n44,9\n52,8\n61,12\n")
		fit := f.run(pipelines.RunOptions{}).Fits[0]
		if fit.Verdict != verdict {
			t.Errorf("%s: %s %q, want %s", gate, fit.Verdict, fit.Reasons, verdict)
		}
		return fit.Draws
	}
	few, more := draws("5", "pass"), draws("{warn: 80, fail: 5}", "pass")
	if few >= more {
		t.Errorf("%d draws until it does not fail, %d until it does not warn", few, more)
	}
	if most := draws("{warn: 5000, fail: 5}", "warn"); most < more {
		t.Errorf("%d draws where the warning cannot be helped, less than %d", most, more)
	}
}

// Without gates of its own a spec warns of data that changed: rows lost, a number that became text, cells that went
// missing. A changed formula is no change of the data, nor is what a spec asks for, as missing: drop, a warning.
func TestChangesOfTheDataWarn(t *testing.T) {
	f := newFolder(t, strings.Replace(nightly, ", drift: {rows: {warn: 0.1, fail: 0.5}, response_shift: 2}", "", 1))
	night := func(rows func(i int) string, n int, want, reason string) {
		t.Helper()
		var csv strings.Builder
		csv.WriteString("age,y\n")
		for i := range n {
			csv.WriteString(rows(i) + "\n")
		}
		f.write("claims.csv", csv.String())
		fit := f.run(pipelines.RunOptions{}).Fits[0]
		if fit.Verdict != want || !strings.Contains(strings.Join(fit.Reasons, "\n"), reason) || reason == "" && len(fit.Reasons) > 0 {
			t.Errorf("%s %q, want %s because %q", fit.Verdict, fit.Reasons, want, reason)
		}
	}
	number := func(i int) string { return fmt.Sprintf("%d,%d", 20+i*7%40, i*5%9) }
	sparse := func(i int) string {
		if i%4 == 1 {
			return fmt.Sprintf(",%d", i*5%9)
		}
		return number(i)
	}
	text := func(i int) string { return fmt.Sprintf("a%d,%d", i%2, i*5%9) }
	night(number, 200, "pass", "")
	night(number, 240, "pass", "")
	night(number, 12, "warn", "drift: the number of rows changed by 0.95 of itself, more than 0.5")
	night(number, 13, "pass", "")
	night(sparse, 13, "warn", "drift: the share of rows left out changed by")
	night(sparse, 14, "pass", "")
	night(text, 14, "warn", "drift: the columns of the design changed by")
	night(number, 14, "warn", "drift: the columns of the design changed by")
	f.write("spec.yaml", strings.Replace(f.read("spec.yaml"), "y ~ age", "y ~ I(age - 30)", 1))
	night(number, 15, "pass", "")
}
