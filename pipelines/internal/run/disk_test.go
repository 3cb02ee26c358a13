package run

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// diskSpec is a small fit that grows once and waits for its ledger, so that each
// operation of a spool happens.
const diskSpec = `
pipeline: disk
database: %s
datasets: {d: {synthetic: {rows: 30, columns: 2}}}
models: {m: {formula: y ~ ., family: bernoulli, prior: {coefficients: "normal(0, 1)"}}}
samplers: {s: {method: cggibbs}}
run: {chains: 2, until: {ess: 300, over: all}, first: 100, max_iterations: 200}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// runOnDisk runs diskSpec on a ledger with a disk.
func runOnDisk(t *testing.T, database string, d spool.Disk) *outcome.Outcome {
	t.Helper()
	config := configOf(t, database, diskSpec)
	config.Workers, config.Disk = 1, d
	out, err := Run(t.Context(), config)
	must(t, err)
	return out
}

// drawn is the content of a ledger about its only fit, as text.
func drawn(t *testing.T, database string) string {
	t.Helper()
	return ask(t, database, `SELECT (SELECT count(*) FROM fit),
		(SELECT md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) FROM draw),
		(SELECT md5(string_agg(concat_ws(',', chain, iteration, log_lik), ';' ORDER BY chain, iteration)) FROM chain)`)
}

// ask is the answer to a query on a ledger, with a header.
func ask(t *testing.T, database, query string) string {
	t.Helper()
	l, err := report.Open(database, report.Options{LockWait: -1})
	must(t, err)
	var b bytes.Buffer
	must(t, l.Query(t.Context(), &b, report.QueryOptions{Format: "csv"}, query))
	return b.String()
}

// Each operation of the spool is made to fail in a run: the fit reports it with a hint, and the next run leaves the
// bits of an undisturbed one, for a fit that is on disk from the beginning, for one that comes there while it is
// drawn, and for one that is held in memory. With GLMBATCH_KILLS at 100 or more each operation fails, and from then
// on too, instead of every 20th.
func TestRunOnAFailingDisk(t *testing.T) {
	for name, patience := range map[string]time.Duration{"spooled": -1, "kept": 1, "held": time.Hour} {
		count, first := 0, filepath.Join(t.TempDir(), "whole.duckdb")
		runOnDisk(t, first, spool.Disk{Patience: patience, Before: func(spool.Op, string) error { count++; return nil }})
		if held := count <= 4; held != (name == "held") {
			t.Errorf("%s: %d operations", name, count)
		}
		want := drawn(t, first)
		step := 20
		if n, _ := strconv.Atoi(os.Getenv("GLMBATCH_KILLS")); n >= 100 {
			step = 1
		}
		for at := 1; at <= count; at += step {
			for _, broken := range []bool{false, true}[:1+1/step] {
				t.Run(name+strconv.Itoa(at), func(t *testing.T) { failAt(t, patience, at, broken, want) })
			}
		}
	}
}

func failAt(t *testing.T, patience time.Duration, at int, broken bool, want string) {
	database, seen, failed := filepath.Join(volatile(t), "d.duckdb"), 0, spool.Op("")
	out := runOnDisk(t, database, spool.Disk{Patience: patience, Before: func(op spool.Op, path string) error {
		if seen++; seen == at || broken && seen > at {
			failed = op
			return &fs.PathError{Op: string(op), Path: path, Err: syscall.ENOSPC}
		}
		return nil
	}})
	if failed == "" {
		t.Fatalf("there were only %d operations", seen)
	}
	words, code := out.Fits[0].Reasons, exit.Fail
	switch out.Fits[0].Action {
	case outcome.Computed: // all but the removal of the spool
		words, code = out.Fits[0].Warnings, exit.Pass
	case outcome.Uncommitted: // drawn and judged, and could not be read for the commit
		code = exit.Uncommitted
	}
	if out.ExitCode != code {
		t.Errorf("%s failed: exit code %d, want %d", failed, out.ExitCode, code)
	}
	if text := strings.Join(words, "\n"); !strings.Contains(text, "no space left") || !strings.Contains(text, "hint: ") {
		t.Errorf("%s failed, and the run says %s, %q", failed, out.Fits[0].Action, words)
	}
	if out := runOnDisk(t, database, spool.Disk{}); out.ExitCode != exit.Pass {
		t.Fatalf("the next run: exit code %d, %v", out.ExitCode, out.Fits[0].Reasons)
	}
	got := drawn(t, database)
	if strings.HasPrefix(strings.SplitN(got, "\n", 2)[1], "2,") { // the recorded error is a fit too
		got = strings.Replace(got, "\n2,", "\n1,", 1)
	}
	if got != want {
		t.Errorf("%s failed: after the next run %s, want %s", failed, got, want)
	}
	if _, err := os.Stat(spool.Root(database)); !os.IsNotExist(err) {
		t.Errorf("%s failed: after the next run the work folder is still there: %v", failed, err)
	}
}

// volatile is a temporary folder on a file system in memory, where there is one:
// there nothing waits for a disk.
func volatile(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "glmbatch-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
