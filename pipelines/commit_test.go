package pipelines_test

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// ledgerAtFirst records the content of a ledger when the first line of the log is written.
type ledgerAtFirst struct {
	folder
	fits *string // empty until then
}

func (w ledgerAtFirst) Write(line []byte) (int, error) {
	if *w.fits == "" {
		*w.fits = w.ask("t.duckdb", "SELECT count(*) FROM fit")
	}
	return len(line), nil
}

// Waiting fits come to the ledger together: all are stored when the first is reported. A folder that is damaged, or
// whose file of draws is, costs its own fit; what is stored leaves no folder, and the bits are those of an
// undisturbed run.
func TestWaitingFitsAreCommittedTogether(t *testing.T) {
	f := nights(t, "committing", 8)
	u := f.undisturbed(false)
	f.run(pipelines.RunOptions{Only: []string{"dataset=claims/g0"}}) // makes the ledger
	release := holdOpen(t, f.path("t.duckdb"))
	if out := f.run(pipelines.RunOptions{LockWait: -1}); out.ExitCode != pipelines.ExitUncommitted {
		t.Fatalf("held: exit code %d\n%s", out.ExitCode, actions(out))
	}
	release()
	folders, err := filepath.Glob(f.path("t.duckdb.work/*/finished"))
	if err != nil || len(folders) != 7 {
		t.Fatalf("%d fits wait, %v; want 7", len(folders), err)
	}
	work := strings.TrimPrefix(filepath.Dir(filepath.Dir(folders[0])), f.dir+"/")
	f.write(filepath.Join(work, filepath.Base(filepath.Dir(folders[2])), "finished"), "no record")
	f.write(filepath.Join(work, filepath.Base(filepath.Dir(folders[5])), "chain-2.spool"), "no draws")
	var at string
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{
		Log: slog.New(slog.NewTextHandler(ledgerAtFirst{f, &at}, nil))})
	must(t, err)
	counts := map[string]int{}
	for _, fit := range out.Fits {
		counts[fit.Action]++
	}
	if out.ExitCode != pipelines.ExitFail || counts["committed"] != 5 || counts["error"] != 2 {
		t.Errorf("exit code %d, %v\n%s", out.ExitCode, counts, saidBy(out))
	}
	if at != "6" {
		t.Errorf("when the first is told of the ledger has %s fits, want 6", at)
	}
	if left, _ := filepath.Glob(f.path("t.duckdb.work/*/manifest.json")); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
	if out := f.run(pipelines.RunOptions{}); out.ExitCode != pipelines.ExitPass {
		t.Errorf("the next run: exit code %d\n%s", out.ExitCode, actions(out))
	}
	f.watch(u).whole()
}
