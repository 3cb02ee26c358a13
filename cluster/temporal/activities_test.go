package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// quiet is a logger without output: what these tests plant is no news.
var quiet = log.NewStructuredLogger(slog.New(slog.DiscardHandler))

func activityEnv(t *testing.T, a *Activities) *testsuite.TestActivityEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet)
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	env.SetTestTimeout(time.Minute)
	return env
}

// Each way in which a shard's process ends means one thing to the engine: done, failed permanently, or to be
// retried.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		act, kind, says string
		done            ShardDone
	}{
		{act: "0", done: ShardDone{Exit: 0, Fits: 4, Failed: 1}},
		{act: "1", done: ShardDone{Exit: 1, Fits: 4, Failed: 1}},
		{act: "2", kind: final, says: "pipeline run: exit code 2: one\nturn 0 of run"},
		{act: "3", kind: again, says: "pipeline run: exit code 3: one"},
		{act: "130", kind: again, says: "exit code 130"},
		{act: "134", kind: again, says: "exit code 134"},
		{act: "die", kind: again, says: "ended by signal 9 (killed): one"},
	} {
		a, dir := faked(t, c.act)
		a.Flags = []string{"--workers", "4"}
		value, err := activityEnv(t, a).ExecuteActivity(a.Shard, dir, 1)
		var app *temporal.ApplicationError
		if errors.As(err, &app) != (c.kind != "") {
			t.Fatalf("%s: error %v", c.act, err)
		}
		if c.kind != "" {
			if app.Type() != c.kind || app.NonRetryable() != (c.kind == final) || !strings.Contains(app.Message(), c.says) {
				t.Errorf("%s: type %q, not tried again: %v, %q", c.act, app.Type(), app.NonRetryable(), app.Message())
			}
			continue
		}
		var done ShardDone
		if err := value.Get(&done); err != nil || done != c.done {
			t.Errorf("%s: %+v, %v, want %+v", c.act, done, err, c.done)
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if want := "run --plan " + dir + " --shard 1/2 --workers 4\n"; string(calls) != want || err != nil {
			t.Errorf("%s: called %q, want %q (%v)", c.act, calls, want, err)
		}
	}
}

// A program that is not there is not called final: another machine may have it.
func TestNoProgram(t *testing.T) {
	a, dir := faked(t, "0")
	a.Program = filepath.Join(dir, "nothing")
	_, err := activityEnv(t, a).ExecuteActivity(a.Shard, dir, 0)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.NonRetryable() {
		t.Errorf("error %v", err)
	}
	if _, err := activityEnv(t, a).ExecuteActivity(a.Shard, filepath.Join(dir, "unmounted"), 0); err == nil {
		t.Error("a folder that is not there is a shard that is done")
	}
}

// Heartbeats carry the last output of the process, and continue while it runs. Stopping the worker ends the process
// in order.
func TestHeartbeats(t *testing.T) {
	a, dir := faked(t, "hang")
	stop := make(chan struct{})
	var beats []Beat
	end, err := a.process(nil, stop, func() {
		beats = append(beats, readBeat(dir, 1))
		if beats[len(beats)-1].Done > 0 && len(beats) >= 5 && stop != nil {
			close(stop)
			stop = nil
		}
	}, []string{"run", "--plan", dir, "--shard", "1/2"})
	if err != nil || end.code != 130 {
		t.Errorf("a worker that stops ends its shard with %+v, %v", end, err)
	}
	if want := (Beat{Shard: 1, Fits: 5, Done: 4, Failed: 1, SpoolBytes: 1 << 20}); len(beats) < 5 || beats[len(beats)-1] != want {
		t.Errorf("heartbeats %+v, want %+v at last", beats, want)
	}
	// The first of an attempt goes out before the process has begun.
	env := activityEnv(t, a)
	t.Setenv(acts, "0")
	var first atomic.Pointer[Beat]
	env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
		var b Beat
		if err := details.Get(&b); err != nil {
			t.Error(err)
		}
		first.Store(&b)
	})
	if _, err := env.ExecuteActivity(a.Shard, dir, 0); err != nil {
		t.Error(err)
	}
	if b := first.Load(); b == nil || *b != (Beat{}) {
		t.Errorf("the first heartbeat is %+v", b)
	}
}

// A shard that is cancelled, or that another worker has, ends its process by SIGTERM, and by SIGKILL if need be. The
// activity ends after the process, so that a night that has ended has no processes.
func TestCancelledShard(t *testing.T) {
	for act, grace := range map[string]time.Duration{"hang": time.Minute, "deaf": 100 * time.Millisecond} {
		a, dir := faked(t, act)
		a.Grace = grace
		env := activityEnv(t, a)
		ctx, cancel := context.WithCancel(context.Background())
		env.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
		go func() {
			await(t, filepath.Join(dir, "hangs"))
			cancel()
		}()
		if _, err := env.ExecuteActivity(a.Shard, dir, 0); err == nil || !strings.Contains(err.Error(), "context canceled") {
			t.Errorf("%s: error %v", act, err)
		}
		if alive(t, dir) {
			t.Errorf("%s: the process is there after its activity", act)
		}
	}
}

// alive reports whether the fake of a folder is a process that is not a zombie.
func alive(t *testing.T, dir string) bool {
	t.Helper()
	pid, err := strconv.Atoi(string(await(t, filepath.Join(dir, "pid"))))
	if err != nil {
		t.Fatal(err)
	}
	state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(state), ") Z ")
}

// A process dies with its worker: after kill -9 no process draws for a run that others have taken over.
func TestDiesWithWorker(t *testing.T) {
	dir := t.TempDir()
	parent := exec.Command(os.Args[0], dir)
	parent.Env = append(os.Environ(), acts+"=parent")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, filepath.Join(dir, "hangs"))
	if !alive(t, dir) {
		t.Fatal("the process ended by itself")
	}
	if err := parent.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := parent.Wait(); err == nil {
		t.Fatal("the worker was not killed")
	}
	for range 500 {
		if !alive(t, dir) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the process is there 5 s after its worker")
}

// A spec is planned at each attempt, which the program does once; a folder without a spec has its plan already.
func TestPlan(t *testing.T) {
	a, dir := faked(t, "0")
	in := NightInput{Dir: filepath.Join(dir, "new"), Spec: "/s.yaml", Shards: 7, Flags: []string{"--seed", "3"}}
	for range 2 {
		value, err := activityEnv(t, a).ExecuteActivity(a.Plan, in)
		var plan Plan
		if err == nil {
			err = value.Get(&plan)
		}
		if err != nil || plan != (Plan{Shards: 7, Fits: 35}) {
			t.Errorf("plan %+v, %v", plan, err)
		}
	}
	value, err := activityEnv(t, a).ExecuteActivity(a.Plan, NightInput{Dir: in.Dir})
	var plan Plan
	if err == nil {
		err = value.Get(&plan)
	}
	if err != nil || plan.Shards != 7 {
		t.Errorf("a folder with a plan: %+v, %v", plan, err)
	}
	calls, err := os.ReadFile(filepath.Join(in.Dir, "calls"))
	want := "plan /s.yaml --shards 7 --to " + in.Dir + " --seed 3\n"
	if string(calls) != want+want || err != nil {
		t.Errorf("called %q, want %q (%v)", calls, want, err)
	}
	var app *temporal.ApplicationError
	if _, err := activityEnv(t, a).ExecuteActivity(a.Plan, NightInput{Dir: t.TempDir()}); !errors.As(err, &app) || !app.NonRetryable() {
		t.Errorf("no plan and no spec: %v", err)
	}
}

func TestGather(t *testing.T) {
	a, dir := faked(t, "1")
	value, err := activityEnv(t, a).ExecuteActivity(a.Gather, dir, true)
	var out Outcome
	if err == nil {
		err = value.Get(&out)
	}
	if err != nil || out != (Outcome{Exit: 1, Said: "one\nturn 0 of gather"}) {
		t.Errorf("outcome %+v, %v", out, err)
	}
	if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); string(calls) != "gather "+dir+" --partial\n" {
		t.Errorf("called %q", calls)
	}
}

// With --partial exit code 3 is an outcome if what there is was loaded, and is tried again if nothing was.
func TestGatherInPart(t *testing.T) {
	for acts, partial := range map[string]bool{"part": true, "3": true, "part 3": false} {
		a, dir := faked(t, acts)
		value, err := activityEnv(t, a).ExecuteActivity(a.Gather, dir, partial)
		if acts != "part" || !partial {
			if err == nil {
				t.Errorf("%s, partial %t: no error", acts, partial)
			}
			continue
		}
		var out Outcome
		if err == nil {
			err = value.Get(&out)
		}
		if err != nil || out.Exit != 3 || !strings.Contains(out.Said, "shard 1 has no fragment") {
			t.Errorf("outcome %+v, %v", out, err)
		}
	}
}

// The end of a process's output is kept, in whole lines.
func TestTail(t *testing.T) {
	var said tail
	for i := range 5000 {
		if _, err := said.Write([]byte("line " + strconv.Itoa(i) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	got := said.String()
	if !strings.HasPrefix(got, "line 4990\n") || !strings.HasSuffix(got, "line 4999") || len(said.kept) > tailBytes {
		t.Errorf("%d bytes, %q", len(said.kept), got)
	}
}
