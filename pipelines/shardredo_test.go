package pipelines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// fragment is the path of a file that a shard has left, of the kind .duckdb or .json.
func fragment(dir string, i int, kind string) string {
	return filepath.Join(dir, "fragments", fmt.Sprint(i)+kind)
}

// spoilt is a way to spoil the fragment of shard 1, and what is then said of it.
type spoilt struct {
	spoil func()
	want  string
}

// spoilt lists ways to spoil the fragment of shard 1 of the plan in dir. other has the fragments of another run of the
// same fits.
func (f folder) spoilt(dir, other string) map[string]spoilt {
	own, text := fragment(dir, 1, ".duckdb"), fragment(dir, 1, ".json")
	alter := func(statements ...string) func() {
		return func() { f.alter(own, strings.Join(statements, "; ")) }
	}
	one := "(SELECT min(key) FROM run_fit)"
	return map[string]spoilt{
		"a damaged block": {func() { spoil(f.t, own) }, "damaged"},
		"another shard's": {func() {
			copyFile(f.t, fragment(dir, 0, ".duckdb"), own)
			copyFile(f.t, fragment(dir, 0, ".json"), text)
		}, "is planned for shard 0: it is the fragment of another shard"},
		"another shard's ledger": {func() { copyFile(f.t, fragment(dir, 0, ".duckdb"), own) },
			"is planned for shard 0: it is the fragment of another shard"},
		"another run's": {func() {
			copyFile(f.t, fragment(other, 1, ".duckdb"), own)
			copyFile(f.t, fragment(other, 1, ".json"), text)
		}, "is a fragment of run " + f.planned(other)},
		"another run's ledger": {func() { copyFile(f.t, fragment(other, 1, ".duckdb"), own) },
			"is a fragment of run " + f.planned(other)},
		"no outcome":       {func() { f.removed(text) }, "has no outcome next to its fragment"},
		"not a ledger":     {func() { f.write("plan2-s.duckdb/fragments/1.duckdb", "stray") }, "1.duckdb"},
		"a missing table":  {alter("DROP TABLE certificate CASCADE"), "has no table certificate"},
		"changed draws":    {alter("UPDATE draw_piece SET v = list_transform(v, lambda x: x + 1e-12)"), "draws of fit"},
		"a fit is gone":    {alter("DELETE FROM fit WHERE key = "+one, "DELETE FROM run_fit WHERE key = "+one), "lacks a planned fit: c/g"},
		"a row is gone":    {alter("DELETE FROM fit WHERE key = " + one), "lacks a planned fit: c/g"},
		"a note is gone":   {alter("DELETE FROM run_fit WHERE key = " + one), "lacks a planned fit: c/g"},
		"another name":     {alter("UPDATE fit SET key = 'new' WHERE key = "+one, "UPDATE run_fit SET key = 'new' WHERE key = "+one), "holds c/new × m × gibbs, which is not planned"},
		"a result is gone": {func() { f.edit(text, func(fits []any) []any { return fits[1:] }) }, "lacks a planned fit: c/g"},
		"a result twice":   {func() { f.edit(text, func(fits []any) []any { return append(fits, fits[0]) }) }, "twice"},
		"a renamed result": {func() {
			f.edit(text, func(fits []any) []any {
				fits[0].(map[string]any)["key"] = "new"
				return fits
			})
		}, "holds c/new × m × gibbs, which is not planned"},
	}
}

// edit changes the fits of an outcome.
func (f folder) edit(path string, change func([]any) []any) {
	f.t.Helper()
	var out map[string]any
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err == nil {
		out["fits"] = change(out["fits"].([]any))
		text, err = json.Marshal(out)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	must(f.t, err)
}

// A fragment that is damaged, of another run or shard, or without a planned fit is named by gather, which loads nothing,
// and run again when its shard is called. After the first ways the gathered bits are those of one run, and a sound
// fragment is not run again.
func TestSpoiltFragmentIsRedone(t *testing.T) {
	f, dir := sharedByGroup(t, 2)
	other := f.path("other")
	o := pipelines.PlanOptions{Shards: 2, To: other}
	o.Database = f.path("o.duckdb")
	if _, err := pipelines.PlanNight(t.Context(), f.path("spec.yaml"), o); err != nil {
		t.Fatal(err)
	}
	f.shard(dir, 0)
	f.shard(dir, 1)
	f.shard(other, 1)
	f.run(pipelines.RunOptions{Workers: 2})
	want, ways := f.ask("t.duckdb", bits), 0
	for what, c := range f.spoilt(dir, other) {
		t.Run(what, func(t *testing.T) {
			c.spoil()
			_, err := pipelines.Gather(t.Context(), dir, pipelines.GatherOptions{})
			if _, again := errors.AsType[*pipelines.AgainError](err); !again || !strings.Contains(err.Error(), "shard 1 ") ||
				!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "shard 0 ") {
				t.Errorf("gathered: %v, want %q", err, c.want)
			}
			if left, err := filepath.Glob(f.path("s.duckdb*")); len(left) > 0 || err != nil {
				t.Errorf("although nothing is to be loaded there are %q (%v)", left, err)
			}
			out := f.shard(dir, 1)
			if !strings.Contains(out.Redone, c.want) || out.ExitCode > pipelines.ExitFail {
				t.Errorf("the shard was run again since %q, exit code %d; want %q", out.Redone, out.ExitCode, c.want)
			}
			if ways++; ways > 3 {
				return
			}
			if again := f.shard(dir, 1); !again.Finished.Equal(out.Finished) || again.Redone != "" {
				t.Error("a sound fragment was run again")
			}
			f.gather(dir, pipelines.GatherOptions{})
			if got := f.ask("s.duckdb", bits); got != want {
				t.Errorf("gathered %s, one run %s", got, want)
			}
			f.removed(f.path("s.duckdb"))
		})
	}
}

// A fit that erred is tried again when its shard is called again, and no other fit is drawn again.
func TestErredFitsAreTriedAgain(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "files: {path: files, each: file}"))
	must(t, os.Mkdir(f.path("files"), 0o755))
	f.write("files/f0.csv", oneFile(0))
	f.write("files/f1.csv", "age,y\n20,-1\n30,2\n")
	dir := f.plan(1, "s.duckdb")
	first := f.shard(dir, 0)
	if first.ExitCode != pipelines.ExitFail || len(first.Missing) > 0 {
		t.Fatalf("exit code %d, missing %q: a wrong value is no missing data", first.ExitCode, first.Missing)
	}
	f.write("files/f1.csv", oneFile(1))
	second := f.shard(dir, 0)
	if second.ExitCode > pipelines.ExitFail || second.Fits[1].Action != pipelines.Computed || second.Redone == "" {
		t.Errorf("exit code %d, %s: %v, redone since %q", second.ExitCode, second.Fits[1].Action, second.Fits[1].Reasons,
			second.Redone)
	}
	if second.Fits[0].Times.Wall != 0 {
		t.Error("the fit that had not erred was drawn again")
	}
	f.gather(dir, pipelines.GatherOptions{})
	f.sameAsOneRun()
}
