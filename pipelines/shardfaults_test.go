package pipelines_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"glmbatch/pipelines"
)

// sharedByGroup is a night with one fit more than shards, planned, and its folder.
func sharedByGroup(t *testing.T, shards int) (folder, string) {
	t.Helper()
	f := newFolder(t, fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}"))
	f.write("claims.csv", groups(shards+1))
	return f, f.plan(shards, "s.duckdb")
}

// sameAsOneRun holds the gathered ledger to one run of the night.
func (f folder) sameAsOneRun() {
	f.t.Helper()
	f.run(pipelines.RunOptions{Workers: 2})
	got, want := f.answers("s.duckdb"), f.answers("t.duckdb")
	for name := range want {
		if got[name] != want[name] {
			f.t.Errorf("%s is %s, of one run %s", name, got[name], want[name])
		}
	}
}

// Two attempts at one shard are alive side by side, as when a machine was thought dead: each has a folder of its own, and
// whichever ends last, the fragment serves.
func TestTwoAttemptsSideBySide(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	two, there := make(chan error, 2), make(chan struct{}, 2)
	for range 2 {
		go func() {
			var o pipelines.RunOptions
			var meet sync.Once
			o.Workers = 1
			o.Pass(func(string) {
				meet.Do(func() { // each waits for the other before its first operation on the spool
					there <- struct{}{}
					for len(there) < 2 && t.Context().Err() == nil {
						runtime.Gosched()
					}
				})
			})
			out, err := pipelines.RunShard(t.Context(), dir, 0, f.path("scratch"), o)
			if err == nil && out.ExitCode > 1 {
				err = fmt.Errorf("exit code %d", out.ExitCode)
			}
			two <- err
		}()
	}
	for range 2 {
		if err := <-two; err != nil {
			t.Error(err)
		}
	}
	if len(there) != 2 {
		t.Error("the attempts were not there at once")
	}
	f.shard(dir, 1)
	f.gather(dir, pipelines.GatherOptions{})
	f.sameAsOneRun()
	left, err := filepath.Glob(f.path("scratch/*"))
	if err != nil || len(left) > 0 {
		t.Errorf("the attempts left %v, %v", left, err)
	}
}

// A fragment under another shard's name is named, and nothing is loaded.
func TestFragmentOfAnotherShard(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	f.shard(dir, 0)
	f.shard(dir, 1)
	for _, kind := range []string{".duckdb", ".json"} {
		copyFile(t, filepath.Join(dir, "fragments", "0"+kind), filepath.Join(dir, "fragments", "1"+kind))
	}
	_, err := pipelines.Gather(t.Context(), dir, pipelines.GatherOptions{})
	if err == nil || !strings.Contains(err.Error(), "shard 1 holds c/g") ||
		!strings.Contains(err.Error(), "which is planned for shard 0") || strings.Contains(err.Error(), "shard 0 holds") {
		t.Errorf("gathered: %v", err)
	}
	if left, err := filepath.Glob(f.path("s.duckdb*")); len(left) > 0 || err != nil {
		t.Errorf("of a first night of which nothing was loaded there are %q (%v)", left, err)
	}
	must(t, os.Remove(filepath.Join(dir, "fragments", "1.duckdb")))
	f.shard(dir, 1)
	f.gather(dir, pipelines.GatherOptions{})
	f.sameAsOneRun()
}

// Draws that were changed in a fragment are named by shard and fit, though every block is whole.
func TestDrawsOfFragments(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	f.shard(dir, 0)
	f.shard(dir, 1)
	f.alter(filepath.Join(dir, "fragments", "1.duckdb"), "UPDATE draw_piece SET v = list_transform(v, lambda x, i: x + "+
		"CASE WHEN i = 7 THEN 1e-12 ELSE 0 END) WHERE parameter_id = 2 AND chain = 3 AND fit_id = (SELECT min(fit_id) FROM fit)")
	_, err := pipelines.Gather(t.Context(), dir, pipelines.GatherOptions{})
	if _, again := errors.AsType[*pipelines.AgainError](err); !again || !strings.Contains(err.Error(), "shard 1 ") ||
		!strings.Contains(err.Error(), "draws of fit") || strings.Contains(err.Error(), "shard 0") {
		t.Errorf("gathered: %v", err)
	}
	if left, err := filepath.Glob(f.path("s.duckdb*")); len(left) > 0 || err != nil {
		t.Errorf("of a first night of which nothing was loaded there are %q (%v)", left, err)
	}
	out := f.gather(dir, pipelines.GatherOptions{Partial: true})
	if len(out.Missing) != 1 || len(out.Fits) == 0 {
		t.Errorf("with --partial: missing %v, %d fits", out.Missing, len(out.Fits))
	}
}

// Data that change between two attempts at a shard give fits of the data that the last attempt has read, in
// addition to those that the first had stored: each has the fingerprint of its data, and the newest of a name is
// that of the last.
func TestDataChangedBetweenAttempts(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "files: {path: files, each: file}"))
	must(t, os.Mkdir(f.path("files"), 0o755))
	for k := range 6 {
		f.write(fmt.Sprintf("files/f%d.csv", k), oneFile(k))
	}
	dir := f.plan(1, "s.duckdb")
	f.shard(dir, 0)
	// The first attempt was killed when it had stored all, on this machine: its folder exists, its fragment does
	// not.
	work := f.path("scratch/glmbatch-" + f.planned(dir) + "-0.1")
	must(t, os.MkdirAll(work, 0o700))
	must(t, os.Rename(filepath.Join(dir, "fragments", "0.duckdb"), filepath.Join(work, "fragment.duckdb")))
	f.write("files/f1.csv", oneFile(8))
	f.shard(dir, 0)
	f.gather(dir, pipelines.GatherOptions{})
	f.run(pipelines.RunOptions{Workers: 2})
	const newest = `WITH l AS (SELECT * FROM fit QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler
		ORDER BY place DESC, created DESC, fit_id DESC) = 1)
		SELECT string_agg(concat_ws(' ', key, fingerprint, data_hash, (SELECT md5(string_agg(v::VARCHAR, ';' ORDER BY parameter_id,
			chain, first)) FROM draw_piece d WHERE d.fit_id = l.fit_id)), chr(10) ORDER BY key) FROM l`
	if got, want := f.ask("s.duckdb", newest), f.ask("t.duckdb", newest); got != want {
		t.Errorf("the newest fits are\n%s\nof one run of the data\n%s", got, want)
	}
	if n := f.ask("s.duckdb", "SELECT count(*) FROM fit WHERE key = 'f1'"); n != "2" {
		t.Errorf("%s fits of the file that changed, want that of each attempt", n)
	}
}

// Fits that another run has stored since the plan stay, with their numbers: also those of a run that shares the place of
// the plan's, as both began with the same ledger.
func TestFitsOfARunBesideThePlan(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	local := pipelines.RunOptions{Workers: 2}
	local.Database = f.path("s.duckdb")
	f.run(local)
	const stored = "SELECT string_agg(concat_ws(' ', fit_id, run_id, key, place), chr(10) ORDER BY fit_id) FROM fit"
	want := f.ask("s.duckdb", stored)
	f.shard(dir, 0)
	f.shard(dir, 1)
	out := f.gather(dir, pipelines.GatherOptions{})
	if got := f.ask("s.duckdb", stored); got != want {
		t.Errorf("the ledger has the fits\n%s\nand had\n%s", got, want)
	}
	const places = "SELECT count(DISTINCT place) || ' ' || count(*) FROM run"
	if got := f.ask("s.duckdb", places); got != "1 2" {
		t.Errorf("places and runs: %s, want one place of 2 runs", got)
	}
	for _, fit := range out.Fits {
		if got := f.ask("s.duckdb", fmt.Sprintf("SELECT key FROM fit WHERE fit_id = %d", fit.ID)); got != fit.Key {
			t.Errorf("%s has the number of %s", fit.Name(), got)
		}
	}
}

// A newer program neither carries out a shard of a plan, nor gathers it, nor takes it for its own.
func TestNewerProgram(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	f.shard(dir, 0)
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err == nil {
		older := strings.Replace(string(text), `"build": "`, `"build": "older `, 1)
		err = os.WriteFile(filepath.Join(dir, "plan.json"), []byte(older), 0o600)
	}
	must(t, err)
	o := pipelines.PlanOptions{Shards: 2, To: dir}
	o.Database = f.path("s.duckdb")
	for what, call := range map[string]func() error{
		"a shard": func() error {
			_, err := pipelines.RunShard(t.Context(), dir, 1, f.path("scratch"), pipelines.RunOptions{})
			return err
		},
		"gather": func() error {
			_, err := pipelines.Gather(t.Context(), dir, pipelines.GatherOptions{})
			return err
		},
		"the plan once more": func() error {
			_, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o)
			return err
		},
	} {
		if _, usage := errors.AsType[*pipelines.UsageError](call()); !usage {
			t.Errorf("%s: %v", what, call())
		}
	}
	if _, err := os.Stat(f.path("s.duckdb")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a ledger: %v", err)
	}
}

// alter runs a statement on a DuckDB file, as a user of its engine might.
func (f folder) alter(path, statement string) {
	f.t.Helper()
	db, err := sql.Open("duckdb", path)
	if err == nil {
		_, err = db.Exec(statement)
	}
	if err == nil {
		err = db.Close()
	}
	must(f.t, err)
}

// planned is the name of the run that a plan is of.
func (f folder) planned(dir string) string {
	f.t.Helper()
	var plan struct{ Run string }
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err == nil {
		err = json.Unmarshal(text, &plan)
	}
	must(f.t, err)
	return plan.Run
}
