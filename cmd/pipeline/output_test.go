package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"glmbatch/pipelines"
)

// A standard output that is full is an error of every verb that writes to it.
func TestFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	mustCall(t, "run", "quickstart", "--database", "l.duckdb")
	for _, args := range []string{"version", "list", "show --database l.duckdb", "show --database l.duckdb --format csv", "runs --database l.duckdb",
		"sql --database l.duckdb FROM_latest", "sql --database l.duckdb --format csv FROM_latest", "verify --database l.duckdb",
		"run quickstart --database l.duckdb", "validate quickstart", "help run"} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		var errs strings.Builder
		if code := run(t.Context(), words, strings.NewReader(""), full, &errs); code != pipelines.ExitFail ||
			!strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%s: exit %d: %s", args, code, errs.String())
		}
	}
}

// The end of the terminal ends a run as SIGTERM does.
func TestHangUp(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.yaml", `pipeline: s
datasets: {d: {sql: "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) AS y, 1 AS x FROM t"}}
models: {m: {formula: y ~ x, family: gaussian}}
samplers: {s: {method: conjugate}}
`)
	for _, end := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if signal.Ignored(end) { // under nohup a hang-up is ignored, and the program respects that
			continue
		}
		temp := t.TempDir()
		cmd := exec.Command(os.Args[0], "run", "s.yaml")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asProgram+"=1", "TMPDIR="+temp)
		must(t, cmd.Start())
		for { // until it reads the query
			if made, _ := filepath.Glob(filepath.Join(temp, "glmbatch-query-*")); len(made) > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		must(t, cmd.Process.Signal(end))
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != pipelines.ExitInterrupted {
			t.Errorf("%v: exit code %d", end, code)
		}
	}
}

// A folder for temporary files that is not there is named, with the variable.
func TestMissingTempDir(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "s.yaml", `pipeline: s
datasets: {d: {sql: "SELECT range AS x, range % 3 AS y FROM range(30)"}, e: {path: "example:pima.csv"}}
models: {m: {formula: y ~ x, family: gaussian}, n: {formula: glu ~ bp, family: gaussian}}
samplers: {s: {method: conjugate}}
fits: [{datasets: d, models: m}, {datasets: e, models: n}]
`)
	t.Setenv("TMPDIR", "/nowhere/at/all")
	code, out, _ := call(t, "run", "s.yaml")
	if code != pipelines.ExitFail || strings.Count(out, `"/nowhere/at/all"`) != 2 || strings.Count(out, "TMPDIR") != 2 {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
