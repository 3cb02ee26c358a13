package pipelines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// plans lists the fits of a dry run with their action and reasons.
func plans(out *pipelines.Outcome) string {
	var b strings.Builder
	for _, f := range out.Fits {
		fmt.Fprintf(&b, "%s/%s %s %s\n", f.Dataset, f.Key, f.Action, strings.Join(f.Reasons, "; "))
	}
	return strings.TrimSpace(b.String())
}

// A ceiling that would not have changed where a fit ended does not draw it again, and one that would does.
func TestCeilingThatDidNotDecide(t *testing.T) {
	const length = "run: {chains: 3, first: 40, max_iterations: 1000, until: {ess: 20}}"
	text := strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "run: {chains: 3, warmup: 20, draws: 60}", length, 1)
	if !strings.Contains(text, length) {
		t.Fatal("the spec has another length")
	}
	f := newFolder(t, text)
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	first := f.run(pipelines.RunOptions{})
	ended := first.Fits[0].Draws // per chain, after a warm-up of 20
	if ended+20 >= 500 {
		t.Fatalf("the fit went on for %d draws: its ceiling of 1000 decided", ended)
	}
	for _, c := range []struct {
		ceiling int
		forced  bool
		want    string
		id      int64
	}{
		{5000, false, pipelines.Skipped, 1},
		{ended + 20, false, pipelines.Skipped, 1},
		{5000, true, pipelines.Computed, 2},
		{600, false, pipelines.Skipped, 2}, // the newest of two fits that serve
		{ended + 19, false, pipelines.Computed, 3},
	} {
		f.write("spec.yaml", strings.Replace(text, "max_iterations: 1000", fmt.Sprint("max_iterations: ", c.ceiling), 1))
		out := f.run(pipelines.RunOptions{Force: c.forced})
		if got := out.Fits[0]; got.Action != c.want || got.ID != c.id {
			t.Errorf("a ceiling of %d: %s fit %d, want %s fit %d", c.ceiling, got.Action, got.ID, c.want, c.id)
		}
	}
}

func TestDryRunSaysWhy(t *testing.T) {
	text := fmt.Sprintf(quick, "claims: {path: claims.csv}")
	f := newFolder(t, text)
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	dry := func(what, want string, o pipelines.RunOptions) {
		t.Helper()
		o.DryRun = true
		if got := plans(f.run(o)); got != strings.TrimSpace("claims/ "+want) {
			t.Errorf("%s: got\n%s\nwant\nclaims/ %s", what, got, want)
		}
	}
	dry("before the first run", "planned new", pipelines.RunOptions{})
	if left, _ := filepath.Glob(f.path("t.duckdb*")); len(left) > 0 {
		t.Errorf("a dry run left %v", left)
	}
	f.run(pipelines.RunOptions{})
	rows := f.ask("t.duckdb", "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM run_fit), (SELECT count(*) FROM identity)")
	dry("nothing changed", "skipped ", pipelines.RunOptions{})
	dry("--force", "planned --force", pipelines.RunOptions{Force: true})
	edit := func(old, new string) { f.write("spec.yaml", strings.Replace(text, old, new, 1)) }
	for _, c := range []struct{ old, new, want string }{
		{"seed: 7", "seed: 8", "planned changed seed: 7 → 8"},
		{"chains: 3", "chains: 2", "planned changed chains: 3 → 2"},
		{"normal(0, 2.5)", "normal(0, 2)", "planned changed model: coefficients normal(0, 2.5) → normal(0, 2)"},
		{"draws: 60", "draws: 70", "planned changed length: fixeddraws 60 → 70"},
		{"{method: cggibbs}", "{method: cggibbs, scan: random}", "planned changed sampler: options"},
		{"rhat: 1.5", "rhat: 1.4", "skipped changed gates: the verdict would be computed again"},
		{"  m:", "  m2:", "planned new"},
	} {
		edit(c.old, c.new)
		dry(c.new, c.want, pipelines.RunOptions{})
	}
	edit("", "")
	f.write("claims.csv", strings.Replace(claims, "-3", "4", 1))
	dry("a changed cell", "planned changed data", pipelines.RunOptions{})
	if now := f.ask("t.duckdb", "SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM run_fit), (SELECT count(*) FROM identity)"); now != rows {
		t.Errorf("dry runs left rows: %s, before %s", now, rows)
	}
}

// A changed version of an algorithm, and a fit of a ledger without its identity, in the words of a dry run.
func TestDryRunOfOlderFits(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	f.run(pipelines.RunOptions{})
	alter(t, f.path("t.duckdb"), `UPDATE identity SET record = replace(record::VARCHAR, '"cggibbs":"', '"cggibbs":"old-')`,
		"UPDATE fit SET fingerprint = 'f' || fit_id")
	out := f.run(pipelines.RunOptions{DryRun: true, Only: []string{"dataset=claims/north"}})
	if got := plans(out); !strings.Contains(got, "planned changed versions: cggibbs old-") {
		t.Errorf("a changed version: %s", got)
	}
	alter(t, f.path("t.duckdb"), "DELETE FROM identity")
	out = f.run(pipelines.RunOptions{DryRun: true, Only: []string{"dataset=claims/north"}})
	if got := plans(out); !strings.Contains(got, "planned changed settings (an older program") {
		t.Errorf("no identity: %s", got)
	}
}

func TestSelectAndRetry(t *testing.T) {
	text := fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}\n  gone: {path: gone.csv, by: [region]}")
	f := newFolder(t, text)
	step := func(what, want string, o pipelines.RunOptions) {
		t.Helper()
		if got := actions(f.run(o)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
		}
	}
	errs := []string{"state:error"}
	step("no ledger yet", "", pipelines.RunOptions{Select: errs})
	f.run(pipelines.RunOptions{})
	bad := "claims/south error error\ngone/ error error"
	step("errors", bad, pipelines.RunOptions{Select: errs})
	step("errors of one data set", "claims/south error error", pipelines.RunOptions{Select: errs, Only: []string{"dataset=claims"}})
	step("failures", "", pipelines.RunOptions{Select: []string{"state:fail"}})
	step("retry what the last run, of one data set, left", "claims/south error error", pipelines.RunOptions{Retry: true})
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	f.write("gone.csv", "region,age,y\neast,20,1\neast,30,2\neast,40,3\nwest,20,1\nwest,30,4\nwest,50,5\n")
	step("a file that came back stands for its groups", "claims/south computed pass\ngone/east computed pass\ngone/west computed pass",
		pipelines.RunOptions{Select: errs})
	step("retry after a good run", "", pipelines.RunOptions{Retry: true})
	f.write("spec.yaml", strings.Replace(text, "rhat: 1.5", "rhat: 1.0001", 1))
	f.run(pipelines.RunOptions{Only: []string{"dataset=claims/west"}})
	step("a failed fit that nothing changed about", "claims/west skipped fail", pipelines.RunOptions{Retry: true})
	f.write("spec.yaml", text)
	step("and with wider gates", "claims/west skipped pass", pipelines.RunOptions{Select: []string{"state:fail"}})
	var usage *pipelines.UsageError
	if _, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{Select: []string{"state:eror"}}); !errors.As(err, &usage) {
		t.Errorf("a wrong state: %v", err)
	}
}

// A fit that is drawn while the ledger is held is committed later, without spec and data, with the bits of an
// undisturbed run.
func TestCommitLater(t *testing.T) {
	for _, sampler := range spooledSamplers {
		t.Run(sampler, func(t *testing.T) { commitLater(t, sampler) })
	}
}

// A ledger that another process writes to from the beginning prevents a run from reading the stored fits, not from
// drawing: fits wait in the spool, and commit loads them at the position of their run. A request that only the
// ledger can answer is refused.
func TestHeldFromTheStart(t *testing.T) {
	f := newFolder(t, spooledSpec("method: cggibbs"))
	first := f.run(pipelines.RunOptions{Only: []string{"dataset=claims/north"}})
	release := holdAs(t, f.path("t.duckdb"), "READ_WRITE")
	held := f.run(pipelines.RunOptions{Only: both, LockWait: -1})
	if got := actions(held); held.ExitCode != pipelines.ExitUncommitted || got != "claims/north uncommitted \nclaims/west uncommitted" {
		t.Errorf("held: exit code %d\n%s", held.ExitCode, got)
	}
	for name, o := range map[string]pipelines.RunOptions{
		"a dry run": {DryRun: true}, "a retry": {Retry: true}, "by state": {Select: []string{"state:fail"}},
	} {
		o.LockWait, o.Only = -1, both
		var locked *pipelines.LockedError
		if out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), o); !errors.As(err, &locked) {
			t.Errorf("%s: %v, %+v; want that the ledger is held", name, err, out)
		}
	}
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{LockWait: -1})
	if err != nil || out.ExitCode != pipelines.ExitPass {
		t.Fatalf("released: %v, %+v", err, out)
	}
	if got := f.ask("t.duckdb", "SELECT count(*), count(DISTINCT fingerprint), min(place), max(place), bool_and(run_id = '"+held.RunID+"') FROM fit"); got != "2,2,2,2,true" {
		t.Errorf("fits, fingerprints, places, of that run: %s", got)
	}
	if again := f.run(pipelines.RunOptions{Only: both}); again.ExitCode != pipelines.ExitPass || actions(again) != "claims/north skipped pass\nclaims/west skipped pass" {
		t.Errorf("again: exit code %d\n%s", again.ExitCode, actions(again))
	}
	if first.Fits[0].Fingerprint != held.Fits[0].Fingerprint {
		t.Error("the held run drew another fit")
	}
}

// If the ledger becomes free while such a run draws, the run reads it then: a fit that was drawn once more is not
// stored once more, and the run ends as any other.
func TestHeldForAWhile(t *testing.T) {
	f := newFolder(t, spooledSpec("method: cggibbs"))
	first := f.run(pipelines.RunOptions{Only: []string{"dataset=claims/north"}})
	release := holdAs(t, f.path("t.duckdb"), "READ_WRITE")
	o, drawn := pipelines.RunOptions{Only: both, LockWait: time.Millisecond, Workers: 1}, false
	o.Spool()
	o.Pass(func(point string) {
		if strings.HasPrefix(point, "write chain-") && !drawn { // one worker: no other goroutine draws
			drawn = true
			release()
		}
	})
	out := f.run(o)
	if !drawn {
		t.Error("the ledger was never free while the run drew")
	}
	if got := actions(out); out.ExitCode != pipelines.ExitPass || got != "claims/north skipped pass\nclaims/west computed pass" {
		t.Errorf("exit code %d\n%s", out.ExitCode, got)
	}
	if got := f.ask("t.duckdb", "SELECT string_agg(concat(key, ' ', fit_id, ' ', place), ', ' ORDER BY key) FROM fit"); got != "\"north 1 1, west 2 2\"" {
		t.Errorf("fits with their places: %s", got)
	}
	if first.Fits[0].ID != out.Fits[0].ID {
		t.Errorf("north is fit %d now", out.Fits[0].ID)
	}
	if _, err := os.Stat(f.path("t.duckdb.work")); !os.IsNotExist(err) {
		t.Errorf("the spool is left: %v", err)
	}
}

// both are the groups of claims that can be fitted.
var both = []string{"dataset=claims/north", "dataset=claims/west"}

// A ledger that holds the variables of a spec, which may be secret, is made for its owner
// alone, with its log, what waits for it, and the record of a run; one without is made as any file.
func TestVariablesAreTheOwners(t *testing.T) {
	for vars, want := range map[string]os.FileMode{"vars: {token: secret}\n": 0, "": 0o044} {
		f := newFolder(t, vars+spooledSpec("method: cggibbs"))
		f.run(pipelines.RunOptions{Only: both[:1]})
		release := holdOpen(t, f.path("t.duckdb"))
		f.run(pipelines.RunOptions{Only: both, LockWait: -1})
		modes, files := os.FileMode(0), 0
		err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
			holds := strings.Contains(path, "t.duckdb") && !d.IsDir()
			if text, err := os.ReadFile(path); err == nil && holds && (strings.HasSuffix(path, ".duckdb") || bytes.Contains(text, []byte("secret"))) {
				info, err := d.Info()
				if err != nil {
					return err
				}
				modes, files = modes|info.Mode().Perm()&0o077, files+1
			}
			return err
		})
		release()
		if err != nil || modes != want || want == 0 && files != 3 {
			t.Errorf("%q: %d files for others %o, %v; want %o", vars, files, modes, err, want)
		}
	}
}

// spooledSamplers are one whose draws the spool holds and one of which it holds rows.
var spooledSamplers = []string{"method: cggibbs", "method: cggibbs, basis: reduced"}

// spooledSpec is quick with a sampler.
func spooledSpec(sampler string) string {
	return strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"), "method: cggibbs", sampler, 1)
}

func commitLater(t *testing.T, sampler string) {
	f := newFolder(t, spooledSpec(sampler))
	whole := f.path("whole.duckdb")
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: whole}})
	f.run(pipelines.RunOptions{Only: []string{"dataset=claims/north"}})
	release := holdOpen(t, f.path("t.duckdb"))
	held := f.run(pipelines.RunOptions{LockWait: -1})
	if held.ExitCode != pipelines.ExitUncommitted {
		t.Fatalf("held: exit code %d, fits\n%s", held.ExitCode, actions(held))
	}
	for _, name := range []string{"spec.yaml", "claims.csv"} {
		must(t, os.Remove(f.path(name)))
	}
	commit := func() *pipelines.Outcome {
		t.Helper()
		out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{LockWait: -1})
		must(t, err)
		return out
	}
	if out := commit(); out.ExitCode != pipelines.ExitUncommitted || actions(out) != "claims/west uncommitted" {
		t.Errorf("still held: exit code %d\n%s", out.ExitCode, actions(out))
	}
	release()
	if out := commit(); out.ExitCode != pipelines.ExitPass || actions(out) != "claims/west committed pass" {
		t.Errorf("released: exit code %d\n%s", out.ExitCode, actions(out))
	}
	if got, want := f.ask("t.duckdb", bits), f.ask("whole.duckdb", bits); got != want {
		t.Errorf("committed later: %s, want %s", got, want)
	}
	const tables = "SELECT count(*), md5(string_agg(concat_ws(',', f.key, s.name, mean, rhat, ess_tail), ';' ORDER BY f.key, s.name)) FROM summary s JOIN fit f USING (fit_id)"
	if got, want := f.ask("t.duckdb", tables), f.ask("whole.duckdb", tables); got != want {
		t.Errorf("summaries: %s, want %s", got, want)
	}
	if n := f.ask("t.duckdb", "SELECT count(*) FROM run JOIN fit USING (run_id) WHERE fit.key = 'west'"); n != "1" {
		t.Errorf("%s runs of the fit that was committed later, want 1", n)
	}
	if out := commit(); len(out.Fits) != 0 || out.ExitCode != pipelines.ExitPass {
		t.Errorf("nothing to commit: %+v", out)
	}
	if left, _ := filepath.Glob(f.path("t.duckdb.work/*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Damaged files of a waiting fit are named, lose nothing that is whole, and the
// next run draws what is missing, with the same bits.
func TestCommitOfDamagedFiles(t *testing.T) {
	short := func(p string) error { return os.Truncate(p, 500) }
	for _, c := range []struct {
		sampler, name string
		damage        func(path string) error
	}{
		{spooledSamplers[0], "chain-1.spool", os.Remove},
		{spooledSamplers[0], "finished", short},
		{spooledSamplers[1], "chain-2.spool", short},
		{spooledSamplers[1], "draws", short},
	} {
		name, damage := c.name, c.damage
		f := newFolder(t, spooledSpec(c.sampler))
		west := pipelines.RunOptions{Only: []string{"dataset=claims/west"}}
		west.Database = f.path("whole.duckdb")
		f.run(west)
		west.Database = ""
		f.run(pipelines.RunOptions{Only: []string{"dataset=claims/south"}}) // makes the ledger
		release := holdOpen(t, f.path("t.duckdb"))
		west.LockWait = -1
		f.run(west)
		release()
		files, err := filepath.Glob(f.path("t.duckdb.work/*/" + name))
		if err != nil || len(files) != 1 {
			t.Fatalf("%s: found %v %v", name, files, err)
		}
		must(t, damage(files[0]))
		out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{})
		if err != nil || out.ExitCode != pipelines.ExitFail || !strings.Contains(out.Fits[0].Reasons[0], "damaged") {
			t.Errorf("%s: %v %+v, want an error that says damaged", name, err, out.Fits[0])
		}
		if got := actions(f.run(west)); got != "claims/west computed pass" {
			t.Errorf("%s: the next run: %s", name, got)
		}
		if got, want := f.ask("t.duckdb", bits), f.ask("whole.duckdb", bits); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A prior that moves its posterior breaks its gate, with what that means; a gate that comes later is taken from the
// stored draws, with the same numbers; models whose priors have parameters of their own say that they are not measured.
func TestPriorSensitivity(t *testing.T) {
	text := fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}")
	tight := strings.Replace(text, "normal(0, 2.5)", "normal(3, 0.1)", 1)
	gated := strings.Replace(tight, "gates: {", "gates: {prior_sensitivity: 0.05, ", 1)
	west := pipelines.RunOptions{Only: []string{"dataset=claims/west"}}
	f := newFolder(t, gated)
	out := f.run(west)
	if got := actions(out); got != "claims/west computed fail" {
		t.Fatalf("%s: %v", got, out.Fits[0].Reasons)
	}
	why := strings.Join(out.Fits[0].Reasons, "; ")
	if !strings.Contains(why, "prior sensitivity") || !strings.Contains(why, "exceeds 0.05") || !strings.Contains(why, "the prior ") {
		t.Error(why)
	}
	const asked = "SELECT list([parameter, prior::VARCHAR, likelihood::VARCHAR, diagnosis]) FROM prior_sensitivity"
	want := f.ask("t.duckdb", asked)
	if !strings.Contains(want, "may disagree") && !strings.Contains(want, "say little") {
		t.Errorf("no diagnosis: %s", want)
	}

	wide := newFolder(t, strings.Replace(gated, "normal(3, 0.1)", "normal(0, 250)", 1)) // the data decide
	wide.run(west)
	if got := wide.ask("t.duckdb", "SELECT prior < likelihood / 10 FROM prior_sensitivity WHERE parameter = 'age'"); got != "true" {
		t.Errorf("a wide prior: %s", wide.ask("t.duckdb", asked))
	}

	g := newFolder(t, tight)
	if got := actions(g.run(west)); got != "claims/west computed pass" {
		t.Errorf("without the gate: %s", got)
	}
	g.write("spec.yaml", gated)
	for range 2 {
		if got := actions(g.run(west)); got != "claims/west skipped fail" {
			t.Errorf("with a gate that came later: %s", got)
		}
	}
	if got := g.ask("t.duckdb", asked); got != want {
		t.Errorf("from stored draws: %s\nwhen drawn: %s", got, want)
	}
	g.write("spec.yaml", strings.Replace(gated, "normal(3, 0.1)", "horseshoe(1)", 1))
	out = g.run(west)
	if got := strings.Join(out.Fits[0].Warnings, "; "); !strings.Contains(got, "prior_sensitivity is not measured") {
		t.Errorf("a horseshoe: %s", got)
	}
}

// Draws that a run finds unchanged fail where they are older than the spec allows, in that run's verdict alone.
func TestAge(t *testing.T) {
	text := fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}")
	f := newFolder(t, text)
	f.run(pipelines.RunOptions{})
	step := func(age, want string) *pipelines.Outcome {
		t.Helper()
		f.write("spec.yaml", strings.Replace(text, "gates: {", "gates: {age: "+age+", ", 1))
		out := f.run(pipelines.RunOptions{Only: []string{"dataset=claims/west"}})
		if got := actions(out); got != want {
			t.Errorf("age %s: got %s, want %s", age, got, want)
		}
		return out
	}
	step("36h", "claims/west skipped pass")
	out := step("1ns", "claims/west skipped fail")
	if got := fmt.Sprint(out.Fits[0].Reasons); !strings.Contains(got, "gates.age is") || !strings.Contains(got, "not changed since") {
		t.Error(got)
	}
	if got := f.ask("t.duckdb", "SELECT verdict FROM latest WHERE key = 'west'"); got != "pass" {
		t.Errorf("the fit itself became %s", got)
	}
	step("2h", "claims/west skipped pass")
}
