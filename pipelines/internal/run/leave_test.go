package run

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
)

// stuck is a sampler whose chains never come back from their iteration number at, counted from where they were
// made, until free is closed. reached receives once.
type stuck struct {
	infer.Setup
	at      int
	reached func()
	free    chan struct{}
}

func (s stuck) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.Setup.Kernel(c)
	return &stuckKernel{k, s, 0}, err
}

type stuckKernel struct {
	infer.Kernel
	s    stuck
	done int
}

func (k *stuckKernel) Step() (infer.Info, error) {
	if k.done++; k.done == k.s.at {
		k.s.reached()
		<-k.s.free
	}
	return k.Kernel.Step()
}

// ticking is a clock that each look moves on: how long an iteration takes is then
// no matter of the machine's load.
func ticking(by time.Duration) func() time.Time {
	var looks atomic.Int64
	began := time.Now()
	return func() time.Time { return began.Add(time.Duration(looks.Add(1)) * by) }
}

// configOf is a run of diskSpec with what a test changes of it.
func configOf(t *testing.T, database, text string) Config {
	t.Helper()
	p, err := spec.Parse("spec.yaml", []byte(fmt.Sprintf(text, database)), spec.Options{Env: os.LookupEnv, Today: time.Now(), Dir: t.TempDir()})
	must(t, err)
	return Config{Pipeline: p, Database: database, Workers: 2, LockWait: -1,
		Tracker: progress.New(time.Now), Log: slog.New(slog.DiscardHandler), Now: time.Now}
}

// A run that is stopped ends though an iteration, or a set-up, never does; what
// the chains had finished before is kept, to the last iteration where they are
// slow; and the next run leaves the bits of an undisturbed one.
func TestStoppedInTheMiddle(t *testing.T) {
	whole := filepath.Join(volatile(t), "whole.duckdb")
	runOnDisk(t, whole, spool.Disk{})
	free := make(chan struct{})
	defer close(free)
	for name, c := range map[string]struct {
		tamper func(infer.Setup, func()) infer.Setup
		now    func() time.Time
		want   int // iterations of the longest chain that are kept
		orLess bool
	}{
		"slow iterations": {func(s infer.Setup, reached func()) infer.Setup { return stuck{s, 7, reached, free} }, ticking(200 * time.Millisecond), 6, false},
		"fast iterations": {func(s infer.Setup, reached func()) infer.Setup { return stuck{s, 7, reached, free} }, ticking(time.Microsecond), 6, true},
		"set-up":          {func(s infer.Setup, reached func()) infer.Setup { reached(); <-free; return s }, time.Now, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			database := filepath.Join(volatile(t), "d.duckdb")
			config := configOf(t, database, diskSpec)
			ctx, stop := context.WithCancel(t.Context())
			config.Now, config.Tamper = c.now, func(s infer.Setup) infer.Setup { return c.tamper(s, stop) }
			out, err := Run(ctx, config)
			if err != nil || out.ExitCode != exit.Interrupted || out.Fits[0].Action != outcome.Interrupted {
				t.Fatalf("%v %+v", err, out)
			}
			// A chain that is stuck keeps no fast iterations; another one that sees the stop keeps those it has.
			if got := longest(t, database); got > c.want || got < c.want && !c.orLess {
				t.Errorf("the longest chain has %d iterations, want %d (or less: %v)", got, c.want, c.orLess)
			}
			if c.want <= 0 {
				return // TestStoppedRunGoesOn and TestTimeout run on
			}
			if out := runOnDisk(t, database, spool.Disk{}); out.ExitCode != exit.Pass {
				t.Fatalf("the next run: %v", out.Fits[0].Reasons)
			}
			if got, want := drawn(t, database), drawn(t, whole); got != want {
				t.Errorf("after the next run %s, want %s", got, want)
			}
		})
	}
}

// longest is the number of iterations of the longest chain in a ledger's spool, -1
// without any.
func longest(t *testing.T, database string) int {
	t.Helper()
	most := -1
	files, _ := filepath.Glob(filepath.Join(spool.Root(database), "*", "manifest.json"))
	for _, path := range files {
		var m spool.Manifest
		data, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		must(t, err)
		f, err := spool.Disk{}.Open(spool.Root(database), m)
		must(t, err)
		for _, c := range f.Chains {
			most = max(most, c.Draws())
		}
		must(t, f.Close())
	}
	return most
}

// A fit that is worked on for too long is an error that says so, and costs the
// others nothing; what it has drawn is kept, and the next run ends it.
func TestTimeout(t *testing.T) {
	whole := filepath.Join(volatile(t), "whole.duckdb")
	runOnDisk(t, whole, spool.Disk{})
	database := filepath.Join(volatile(t), "d.duckdb")
	config := configOf(t, database, strings.Replace(diskSpec, "max_iterations: 200", "max_iterations: 200, timeout: 200ms", 1))
	free := make(chan struct{})
	defer close(free)
	config.Now = ticking(200 * time.Millisecond)
	config.Tamper = func(s infer.Setup) infer.Setup { return stuck{s, 30, func() {}, free} }
	out, err := Run(t.Context(), config)
	must(t, err)
	res := out.Fits[0]
	if out.ExitCode != exit.Fail || res.Action != outcome.Errored || !strings.Contains(res.Reasons[0], "timeout: the fit was worked on for 200ms; 29 iterations per chain are kept\nhint: ") {
		t.Errorf("exit code %d, %s: %q", out.ExitCode, res.Action, res.Reasons)
	}
	if got := ask(t, database, "SELECT error FROM fit WHERE status = 'error'"); !strings.Contains(got, "timeout: the fit") {
		t.Errorf("the ledger says %q of it", got)
	}
	if out := runOnDisk(t, database, spool.Disk{}); out.ExitCode != exit.Pass {
		t.Fatalf("the next run: %v", out.Fits[0].Reasons)
	}
	if got, want := strings.Replace(drawn(t, database), "\n2,", "\n1,", 1), drawn(t, whole); got != want {
		t.Errorf("after the next run %s, want %s", got, want)
	}
}

// A method without chains that has had its time is an error that says so, as one with chains is.
func TestTimeoutOfAnAnswer(t *testing.T) {
	config := configOf(t, filepath.Join(volatile(t), "d.duckdb"), `
pipeline: p
database: %s
datasets: {g: {grid: {rows: 500, columns: 500}}}
models: {m: {kind: mrf, coupling: 0.4}}
samplers: {s: {method: meanfield}}
run: {timeout: 1ns}
`)
	out, err := Run(t.Context(), config)
	must(t, err)
	if res := out.Fits[0]; out.ExitCode != exit.Fail || res.Action != outcome.Errored || !strings.Contains(res.Reasons[0], "timeout: the fit") {
		t.Errorf("exit code %d, %s: %q", out.ExitCode, res.Action, res.Reasons)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
