package pipelines_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"glmbatch/pipelines"
)

// stage is a call of a shared night that is killed, and what takes back what it left when it has ended by itself.
type stage struct {
	name string
	call
	anew func()
}

// removed removes files below a folder, if they exist.
func (f folder) removed(paths ...string) {
	f.t.Helper()
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.t.Fatal(err)
		}
	}
}

// kill kills a call n times, at random points, and carries it out. A call that has ended by itself is started
// again.
func (s stage) kill(t *testing.T, n int, moment func() float64, look func()) {
	t.Helper()
	whole := func(code int, out string) {
		if code < 0 || code > 1 {
			t.Fatalf("%s: exit code %d\n%s", s.name, code, out)
		}
	}
	code, out := s.run(t)
	whole(code, out)
	looks, operations := pointsOf(t, out)
	s.anew()
	ends := 0
	for killed := 0; killed < n; {
		s.killAt(moment(), killed%2 == 1, looks, operations)
		code, out := s.run(t)
		if code == -1 {
			killed++
			look()
			continue
		}
		whole(code, out)
		s.anew()
		ends++
	}
	s.KillAt, s.KillOn = 0, 0
	code, out = s.run(t)
	whole(code, out)
	t.Logf("%s: %d kills within %d looks and %d operations, and %d whole calls", s.name, n, looks, operations, ends+2)
}

// Plans, shards and gathering are killed at random points of whole calls and of repeated ones. After each kill no fit is
// half in the ledger, and in the end it has what one run has, table by table.
func TestShardsAndGatherKilled(t *testing.T) {
	if os.Getenv("GLMBATCH_KILLS") == "" {
		t.Skip("make kill kills shards; TestKilled kills processes in make test, too")
	}
	f, rng := firstNight(t, ""), moments(t)
	f.run(pipelines.RunOptions{Workers: 2})
	f.secondNight("")
	for _, name := range []string{"s.duckdb", "p.duckdb", "before.duckdb"} {
		copyFile(t, f.path("t.duckdb"), f.path(name))
	}
	dir := f.path("plan")
	fragment := func(i string) func() {
		return func() {
			f.removed(filepath.Join(dir, "fragments", i+".duckdb"), filepath.Join(dir, "fragments", i+".json"))
		}
	}
	stages := []stage{
		{"plan", call{Spec: f.path("spec.yaml"), Database: f.path("s.duckdb"), Plan: dir, Shards: 2}, func() { f.removed(dir) }},
		{"shard 0", call{Plan: dir}, fragment("0")},
		{"shard 1", call{Plan: dir, Shard: 1}, fragment("1")},
		{"gather", call{Plan: dir, Gather: true}, func() { f.before("s.duckdb") }},
		{"gather to Parquet", call{Plan: dir, Gather: true, Database: f.path("p.duckdb"), Draws: pipelines.DrawsParquet},
			func() { f.before("p.duckdb") }},
	}
	for _, s := range stages {
		s.kill(t, max(kills()/len(stages), 1), rng.Float64, func() {
			for _, part := range []string{"", ".wal", ".guard"} {
				copyFile(t, f.path("s.duckdb"+part), f.path("look.duckdb"+part))
			}
			if _, stray := digests(t, f.path("look.duckdb")); stray != 0 {
				t.Errorf("%s: the ledger has %d stray rows", s.name, stray)
			}
		})
	}
	f.run(pipelines.RunOptions{Workers: 2})
	want := f.answers("t.duckdb")
	for _, database := range []string{"s.duckdb", "p.duckdb"} {
		got := f.answers(database)
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s of %s is %s, of one run %s", name, database, got[name], want[name])
			}
		}
	}
	if v, err := pipelines.Verify(t.Context(), f.path("p.duckdb"), 0); err != nil || v.Files == 0 {
		t.Errorf("draws outside: %+v, %v", v, err)
	}
	f.gather(dir, pipelines.GatherOptions{Database: f.path("p.duckdb")})
	named := f.ask("p.duckdb", "SELECT count(*) FROM draw_file")
	if left, err := filepath.Glob(f.path("p.duckdb.draws/*/*")); err != nil || fmt.Sprint(len(left)) != named {
		t.Errorf("there are %v of %s files of draws: %v", left, named, err)
	}
}

// before has a ledger be as it was before it was gathered into.
func (f folder) before(name string) {
	f.removed(f.path(name+".wal"), f.path(name+".guard"), f.path(name+".draws"))
	copyFile(f.t, f.path("before.duckdb"), f.path(name))
}
