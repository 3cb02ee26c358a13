package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// While another process has the ledger open, fits are drawn and stay in their
// spool: exit code 3. Once it is free, commit loads them without drawing.
func TestHeldLedger(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	mustCall(t, "run", "quickstart")
	release := hold(t, "posteriors.duckdb")
	code, out, errs := call(t, "run", "quickstart", "--seed", "9", "--lock-wait", "200ms")
	if code != 3 || !strings.Contains(out, "uncommitted") {
		t.Errorf("held: exit %d, want 3 and a word of what is uncommitted\n%s%s", code, out, errs)
	}
	tellsLeft(t, []string{" × gibbs: not in the ledger", "is held", "not recorded in the ledger: "},
		"run", "quickstart", "--seed", "9", "--quiet", "--lock-wait", "1ms")
	if got := mustCall(t, "sql", "--format", "csv", "SELECT count(*) AS n FROM fit"); got != "n\n1\n" {
		t.Errorf("held: the ledger has %q, want the first fit alone", got)
	}
	if code, out, errs := call(t, "prune", "--database", "posteriors.duckdb", "--keep", "1", "--lock-wait", "1ms"); code != 3 {
		t.Errorf("prune of a held ledger: exit %d, want 3\n%s%s", code, out, errs)
	}
	release()
	spool := "posteriors.duckdb.work"
	before := newest(t, spool)
	if code, out, errs := call(t, "commit", "quickstart"); code != 0 || !strings.Contains(out, "committed") {
		t.Errorf("released: exit %d\n%s%s", code, out, errs)
	}
	if got := mustCall(t, "sql", "--format", "csv", "SELECT count(*) AS n FROM fit"); got != "n\n2\n" {
		t.Errorf("released: the ledger has %q, want both fits", got)
	}
	if out := mustCall(t, "prune", "quickstart", "--keep", "1"); !strings.Contains(out, "removed 1 fit, kept 1 fit;") {
		t.Errorf("prune: %s", out)
	}
	if got := mustCall(t, "sql", "--format", "csv", "SELECT count(*) AS n FROM fit JOIN run USING (run_id) WHERE seed = 9"); got != "n\n1\n" {
		t.Errorf("pruned: %q, want the newest fit", got)
	}
	if _, err := os.Stat(spool); !os.IsNotExist(err) {
		t.Errorf("the spool of %s is left behind: %v", before, err)
	}
}

// hold keeps a ledger open for reading in another process until release.
func hold(t *testing.T, database string) (release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "sql", "--database", database, "SELECT count(*) FROM range(1000000000000) r(i) WHERE i % 7 = 3")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	must(t, cmd.Start())
	release = func() {
		_ = cmd.Process.Kill() // a second release finds it gone
		_ = cmd.Wait()
	}
	t.Cleanup(release)
	for range 200 {
		if code, _, _ := call(t, "run", "quickstart", "--force", "--lock-wait", "1ns"); code == 3 {
			// It holds the file. The draws of this try are discarded.
			must(t, os.RemoveAll(database+".work"))
			return release
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the other process never held the ledger")
	return nil
}

// newest is the manifest's name of the only spooled fit.
func newest(t *testing.T, spool string) string {
	t.Helper()
	entries, err := os.ReadDir(spool)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "run-") })
	if err != nil || len(entries) != 1 {
		t.Fatalf("the spool holds %v (%v), want one fit", entries, err)
	}
	return entries[0].Name()
}
