package ingest

import (
	"context"
	"encoding/gob"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// small runs the calling test in a process of its own, and reports whether this is that process: the peak that the
// kernel reports of a query's process is at least the memory of the process that started it.
func small(t *testing.T) bool {
	t.Helper()
	const inside = "GLMBATCH_SMALL"
	if os.Getenv(inside) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "peak ") {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Queries whose functions allocate in addition to the engine's own limit end with an error, and the resident memory of
// their process never exceeds the ceiling by a fifth.
func TestQueryStaysBelowTheCeiling(t *testing.T) {
	if !small(t) {
		return
	}
	const ceiling = 500 << 20
	for name, sql := range map[string]string{
		"median":    "SELECT median(range) AS m FROM range(500000000)",
		"repeat":    "SELECT length(repeat('a', 4000000000)) AS n",
		"repeats":   "SELECT sum(length(repeat('a', 30000000 + range % 2))) AS n, max(repeat('b', 40000000 + range % 3)) AS m FROM range(100)",
		"transform": "SELECT list_sum(list_transform(range(300000000), x -> x * 2)) AS s",
		"list":      "SELECT list(range) AS l, histogram(range) AS h FROM range(100000000)",
		"text":      "SELECT string_agg(range, ',') AS s FROM range(300000000)",
	} {
		t.Run(name, func(t *testing.T) {
			var peak int64
			src := Source{Name: "claims", SQL: sql, MaxBytes: ceiling / 2, Ceiling: ceiling,
				ended: func(s *os.ProcessState) { peak = s.SysUsage().(*syscall.Rusage).Maxrss << 10 }}
			_, err := Read(t.Context(), src)
			t.Logf("peak %d MB: %v", peak>>20, err)
			if _, is := errors.AsType[*SourceError](err); !is || !strings.Contains(err.Error(), "memory") {
				t.Errorf("no error about memory: %v", err)
			}
			if peak == 0 || peak > ceiling*6/5 {
				t.Errorf("the process took %d MB", peak>>20)
			}
		})
	}
}

// A query that never ends is stopped with its context, and leaves no process and no file.
func TestEndlessQueryIsStopped(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancelCause(t.Context())
	late := errors.New("late")
	var state *os.ProcessState
	src := Source{Name: "claims", SQL: "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) AS n FROM t",
		ended: func(s *os.ProcessState) { state = s }}
	time.AfterFunc(100*time.Millisecond, func() { stop(late) })
	if _, err := Read(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("an endless query: %v", err)
	}
	if state == nil || state.Success() {
		t.Errorf("its process ended as %v", state)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// A query of a source without folders reads no file; of one with nil folders it reads all.
func TestQueryWithoutFolders(t *testing.T) {
	path := writeTemp(t, "a.csv", "x\n1\n")
	src := Source{Name: "claims", SQL: "SELECT * FROM '" + path + "'"}
	mustRead(t, src).Release()
	src.Within = []string{}
	if _, err := Read(t.Context(), src); err == nil {
		t.Error("a query reads a file outside of its folders")
	}
}

// The process of a query ends with the process that started it.
func TestQueryEndsWithItsCaller(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Args = []string{childName}
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	endless := query{SQL: "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) AS n FROM t"}
	dir := t.TempDir()
	must(t, gob.NewEncoder(in).Encode(order{endless, true, dir, filepath.Join(dir, "rows")}))
	if err := in.Close(); err != nil { // as the system does when the caller is gone
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the query ended")
	}
}

// The least ceiling that a run can have is enough for a query, and is kept to.
func TestQueryUnderTheLeastCeiling(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector needs more memory than this ceiling")
	}
	if !small(t) {
		return
	}
	const ceiling = 128e6
	var peak int64
	src := Source{Name: "claims", SQL: "SELECT range % 100 AS n, sum(range) AS s FROM range(1000000) GROUP BY n", MaxBytes: ceiling / 4,
		Ceiling: ceiling, ended: func(s *os.ProcessState) { peak = s.SysUsage().(*syscall.Rusage).Maxrss << 10 }}
	mustRead(t, src).Release()
	src.SQL = "SELECT list(range) AS l FROM range(200000000)"
	if _, err := Read(t.Context(), src); err == nil || !strings.Contains(err.Error(), "memory") || peak > ceiling/5*6 {
		t.Errorf("the process took %d MB: %v", peak>>20, err)
	}
	t.Logf("peak %d MB", peak>>20)
}

// BenchmarkQuery measures the least cost of a source.
func BenchmarkQuery(b *testing.B) {
	for b.Loop() {
		table, err := Read(b.Context(), Source{SQL: "SELECT 1 AS n", MaxBytes: 1 << 30})
		must(b, err)
		table.Release()
	}
}
