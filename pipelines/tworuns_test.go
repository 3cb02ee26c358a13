package pipelines_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// computedTwice counts fits that were drawn by two runs.
const computedTwice = `SELECT count(*) FROM (SELECT dataset, key, model, sampler FROM run_fit WHERE action = 'computed' GROUP BY ALL HAVING count(*) > 1)`

// Two runs of one spec on one ledger at the same time share the work: no fit is drawn by both, and what one finds
// in the other's hands it leaves alone and says so by its exit code; the last to end finds all of it stored, passes
// and publishes. When both have ended the ledger is that of one undisturbed run, and there is nothing left to
// commit. TestStoredMeanwhile of package run has the fits that one stores before the other comes to them.
func TestTwoRunsOfOneSpec(t *testing.T) {
	f := nights(t, "committing", 8)
	u := f.undisturbed(false)
	w := f.watch(u)
	text, err := os.ReadFile(f.path("spec.yaml"))
	must(t, err)
	f.write("spec.yaml", strings.Replace(string(text), "database: t.duckdb", "database: t.duckdb\npublish: published.duckdb", 1))
	first := call{Spec: f.path("spec.yaml"), Workers: 1, LockWait: time.Minute}.start(t)
	second := call{Spec: f.path("spec.yaml"), Workers: 1, LockWait: time.Minute}.start(t)
	passed := false
	for name, p := range map[string]*process{"first": first, "second": second} {
		code, out := p.wait()
		passed = passed || code == pipelines.ExitPass
		if code != pipelines.ExitPass && code != pipelines.ExitUncommitted {
			t.Errorf("the %s run: exit code %d\n%s", name, code, out)
		}
		if left := strings.Contains(out, "another run is computing this fit"); left != (code == pipelines.ExitUncommitted) {
			t.Errorf("the %s run: exit code %d, and it says\n%s", name, code, out)
		}
		t.Logf("the %s run: exit code %d, %d computed, %d skipped, %d left to the other", name, code,
			strings.Count(out, "computed"), strings.Count(out, "skipped"), strings.Count(out, "uncommitted"))
	}
	if !passed {
		t.Error("none of the runs ends with the verdicts' code, after which every fit is stored")
	}
	if _, err := os.Stat(f.path("published.duckdb")); err != nil {
		t.Errorf("none of the runs publishes: %v", err)
	}
	w.whole()
	if n := f.ask("t.duckdb", computedTwice); n != "0" {
		t.Errorf("%s fits were drawn by both", n)
	}
	if code, out := (call{Database: f.path("t.duckdb"), Commit: true}).run(t); code != 0 {
		t.Errorf("commit: exit code %d\n%s", code, out)
	}
}

// Two runs of different fits make one ledger and wait for each other's commits.
func TestTwoSpecsOnOneLedger(t *testing.T) {
	f := nights(t, "committing", 3)
	f.write("other.yaml", strings.Replace(fmt.Sprintf(quick, "others: {path: claims.csv, by: [region]}"), "pipeline: test", "pipeline: other", 1))
	first := call{Spec: f.path("spec.yaml"), Workers: 1, LockWait: time.Minute}.start(t)
	second := call{Spec: f.path("other.yaml"), Workers: 1, LockWait: time.Minute}.start(t)
	for name, p := range map[string]*process{"first": first, "second": second} {
		if code, out := p.wait(); code != 0 {
			t.Errorf("the %s run: exit code %d\n%s", name, code, out)
		}
	}
	if n := f.ask("t.duckdb", "SELECT count(*), count(DISTINCT fingerprint), count(DISTINCT run_id) FROM fit WHERE status = 'complete'"); n != "6,6,2" {
		t.Errorf("fits, fingerprints, runs: %s, want 6,6,2", n)
	}
}

// A reader that opens the ledger, asks and closes it again and again while a run
// commits is made to wait, not turned away, and sees whole fits only, of which none
// goes away; and the run ends well.
func TestReadersDuringARun(t *testing.T) {
	f := nights(t, "committing", 4)
	f.run(pipelines.RunOptions{Only: []string{"dataset=claims/g0"}}) // so that there is something to read
	reader := call{Database: f.path("t.duckdb"), Ask: "SELECT (" + strays + "), (SELECT count(*) FROM fit), (SELECT count(DISTINCT fit_id) FROM draw)", Until: f.path("stop")}.start(t)
	code, out := (call{Spec: f.path("spec.yaml"), Workers: 1, LockWait: time.Minute}).run(t)
	if code != 0 {
		t.Errorf("the run: exit code %d\n%s", code, out)
	}
	f.write("stop", "")
	if code, out = reader.wait(); code != 0 {
		t.Errorf("the reader: exit code %d\n%s", code, out)
	}
	before, answers := 0, strings.Fields(out)
	for _, line := range answers {
		var stray, fits, drawn int
		if _, err := fmt.Sscanf(line, "%d,%d,%d", &stray, &fits, &drawn); err != nil || stray != 0 || drawn != fits || fits < before {
			t.Errorf("after %d fits it read %q: stray rows, fits, fits with draws; %v", before, line, err)
		}
		before = fits
	}
	if len(answers) < 2 || before != 4 {
		t.Errorf("%d answers, the last one with %d fits of 4", len(answers), before)
	}
	t.Logf("%d answers", len(answers))
}
