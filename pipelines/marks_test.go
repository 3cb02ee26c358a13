package pipelines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// endless is the spec of the folder with a fit that draws for hours.
func endless() string {
	return strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "warmup: 20, draws: 60",
		"warmup: 20, draws: 1000000000", 1)
}

// runs lists the states of the ledger's runs, the newest first.
func (f folder) runs() (states []string, all []pipelines.RunInfo) {
	f.t.Helper()
	all, err := pipelines.Runs(f.t.Context(), f.path("t.duckdb"), pipelines.RunsOptions{})
	must(f.t, err)
	for _, n := range all {
		states = append(states, n.State)
	}
	return states, all
}

// killedRun starts a run, kills it once it is listed, and returns its ID.
func (f folder) killedRun() string {
	f.t.Helper()
	p := call{Spec: f.path("spec.yaml"), Workers: 1}.start(f.t)
	defer func() {
		_ = p.cmd.Process.Kill()
		p.wait()
	}()
	for range 1000 { // each asks the ledger, for tens of milliseconds
		all, err := pipelines.Runs(f.t.Context(), f.path("t.duckdb"), pipelines.RunsOptions{})
		if err == nil && len(all) > 0 && all[0].State == pipelines.RunRunning {
			return all[0].ID
		}
		time.Sleep(time.Millisecond)
	}
	f.t.Fatal("the run is not listed")
	return ""
}

// A run that is killed before its first commit is listed as killed, also after later runs, with all that the ledger
// keeps of a run; whether the ledger existed or not.
func TestKilledRunIsRecorded(t *testing.T) {
	f := newFolder(t, endless())
	f.write("claims.csv", strings.ReplaceAll(claims, "-3", "3"))
	first := f.killedRun()
	if states, _ := f.runs(); fmt.Sprint(states) != "[killed]" {
		t.Errorf("after the first kill: %v", states)
	}
	f.write("spec.yaml", fmt.Sprintf(quick, "claims: {path: claims.csv}"))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", endless())
	second := f.killedRun()
	f.write("spec.yaml", fmt.Sprintf(quick, "claims: {path: claims.csv}"))
	for range 2 {
		f.run(pipelines.RunOptions{})
	}
	states, all := f.runs()
	if fmt.Sprint(states) != "[finished finished killed finished killed]" || all[2].ID != second || all[4].ID != first {
		t.Errorf("after later runs: %v, %+v", states, all)
	}
	if n := all[4]; n.SpecHash == "" || n.SpecHash == all[3].SpecHash || n.Seed != "7" || n.Program == "" || n.Host == "" {
		t.Errorf("the killed run is %+v", n)
	}
	if got := f.ask("t.duckdb", "SELECT count(*) FROM run WHERE finished IS NULL AND contains(spec, '1000000000')"); got != "2" {
		t.Errorf("%s killed runs have their specs in the ledger", got)
	}
	if left, err := filepath.Glob(f.path("t.duckdb.work/run-*")); err != nil || left != nil {
		t.Errorf("marks that are left: %v, %v", left, err)
	}
}

// A run that cannot write to the ledger, since another process holds it, is listed with its end, also after later runs.
func TestRunOfAHeldLedgerIsRecorded(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv}"))
	f.write("claims.csv", strings.ReplaceAll(claims, "-3", "3"))
	f.run(pipelines.RunOptions{})
	release := holdOpen(t, f.path("t.duckdb"))
	o := pipelines.RunOptions{LockWait: time.Millisecond}
	seed := uint64(8)
	o.Seed = &seed
	if out := f.run(o); out.ExitCode != pipelines.ExitUncommitted || out.Unrecorded == "" {
		t.Fatalf("exit code %d, %q", out.ExitCode, out.Unrecorded)
	}
	release()
	for _, later := range []bool{false, true} {
		if later {
			f.run(pipelines.RunOptions{})
		}
		_, all := f.runs()
		at := len(all) - 2
		if n := all[at]; len(all) < 2 || n.State != pipelines.RunFinished || n.ExitCode == nil || *n.ExitCode != 3 || n.Seed != "8" {
			t.Errorf("later %v: %+v", later, n)
		}
	}
	if _, err := os.Stat(f.path("t.duckdb.work")); err == nil {
		entries, _ := os.ReadDir(f.path("t.duckdb.work"))
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "run-") {
				t.Errorf("%s is left", e.Name())
			}
		}
	}
}
