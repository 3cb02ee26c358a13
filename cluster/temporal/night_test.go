package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// nightEnv is a night of n shards without processes: shard says how each ends.
func nightEnv(t *testing.T, n int, shard func(ctx context.Context, i int) (ShardDone, error)) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet)
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	register(env, &Activities{})
	env.OnActivity("Plan", mock.Anything, mock.Anything).Return(Plan{Shards: n, Fits: 5 * n}, nil)
	env.OnActivity("Shard", mock.Anything, mock.Anything, mock.Anything).Return(
		func(ctx context.Context, dir string, i int) (ShardDone, error) {
			if dir != "/nights/one" {
				return ShardDone{}, fmt.Errorf("shard %d of %q", i, dir)
			}
			return shard(ctx, i)
		})
	return env
}

func gathers(env *testsuite.TestWorkflowEnvironment, partial bool) {
	env.OnActivity("Gather", mock.Anything, "/nights/one", partial).Return(Outcome{Exit: 1, Said: "gathered"}, nil).Once()
}

func progressOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) (p Progress) {
	t.Helper()
	answer, err := env.QueryWorkflow("progress")
	if err == nil {
		err = answer.Get(&p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each shard is carried out once, whether one workflow looks after all or several do, and what the shards say is added up.
func TestNight(t *testing.T) {
	for _, l := range []Limits{{}, {Block: 7}, {Block: 7, Window: 3}, {Block: 7, Window: 21}} {
		var mu sync.Mutex
		seen := map[int]int{}
		env := nightEnv(t, 20, func(_ context.Context, i int) (ShardDone, error) {
			mu.Lock()
			defer mu.Unlock()
			seen[i]++
			return ShardDone{Fits: 5, Failed: i % 2}, nil
		})
		gathers(env, false)
		env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Limits: l})
		var out Outcome
		if err := env.GetWorkflowResult(&out); err != nil || out != (Outcome{1, "gathered"}) {
			t.Fatalf("%+v: %+v, %v", l, out, err)
		}
		for i := range 20 {
			if seen[i] != 1 {
				t.Errorf("%+v: shard %d was carried out %d times", l, i, seen[i])
			}
		}
		p := progressOf(t, env)
		if p.Stage != ended || p.Done != 20 || p.Fits != 100 || p.FitsFailed != 10 || p.Waiting != 0 || p.Outstanding != 0 || len(p.Blocks) != 0 {
			t.Errorf("%+v: %+v", l, p)
		}
		env.AssertExpectations(t)
	}
}

// No more shards are outstanding than the window holds, and it is made use of.
func TestWindow(t *testing.T) {
	for _, c := range []struct{ n, block, window, want int }{{20, 0, 0, 20}, {20, 5, 10, 10}, {20, 50, 4, 4}, {21, 5, 14, 10}} {
		most := 0
		env := nightEnv(t, c.n, func(context.Context, int) (ShardDone, error) { return ShardDone{Fits: 5}, nil })
		gathers(env, false)
		var mu sync.Mutex
		env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
			mu.Lock()
			defer mu.Unlock()
			if info.ActivityType.Name == "Shard" {
				most = max(most, progressOf(t, env).Outstanding)
			}
		})
		env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Limits: Limits{Block: c.block, Window: c.window}})
		if err := env.GetWorkflowError(); err != nil {
			t.Fatal(err)
		}
		if most != c.want {
			t.Errorf("%+v: at most %d shards were outstanding", c, most)
		}
	}
}

// A run of 5000 shards has blocks of 200, of which as many are active as the window holds, and each shard is drawn
// once. The SDK's environment has room for a thousand calls at a time: the window of 2000 is seen with a server.
func TestLargeNight(t *testing.T) {
	const n = 5000
	var mu sync.Mutex
	seen, ofWorkflow, most := make([]int, n), map[string]int{}, 0
	env := nightEnv(t, n, func(_ context.Context, i int) (ShardDone, error) {
		mu.Lock()
		defer mu.Unlock()
		seen[i]++
		return ShardDone{Fits: 5}, nil
	})
	gathers(env, false)
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		mu.Lock()
		defer mu.Unlock()
		if info.ActivityType.Name == "Shard" {
			ofWorkflow[info.WorkflowExecution.ID]++
			most = max(most, progressOf(t, env).Outstanding)
		}
	})
	env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Limits: Limits{Window: 800}})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	for i, times := range seen {
		if times != 1 {
			t.Errorf("shard %d was carried out %d times", i, times)
		}
	}
	for id, shards := range ofWorkflow {
		if shards != 200 {
			t.Errorf("%s looked after %d shards", id, shards)
		}
	}
	if p := progressOf(t, env); len(ofWorkflow) != 25 || most != 800 || p.Done != n || p.Fits != 5*n {
		t.Errorf("%d blocks, at most %d shards outstanding, %+v", len(ofWorkflow), most, p)
	}
	env.AssertExpectations(t)
}

// A shard that can be retried is, until it succeeds or the attempts are used up; a final one is not. Either way all
// other shards are carried out. Nothing is gathered unless asked for.
func TestFailedShards(t *testing.T) {
	for _, partial := range []bool{false, true} {
		for _, block := range []int{0, 2} {
			var mu sync.Mutex
			seen := map[int]int{}
			env := nightEnv(t, 5, func(_ context.Context, i int) (ShardDone, error) {
				mu.Lock()
				defer mu.Unlock()
				seen[i]++
				switch {
				case i == 1:
					return ShardDone{}, temporal.NewNonRetryableApplicationError("wrong binary", final, nil)
				case i == 2 || i == 3 && seen[i] < 3:
					return ShardDone{}, temporal.NewApplicationError("ended by signal 9", again)
				}
				return ShardDone{Fits: 5}, nil
			})
			if partial {
				gathers(env, true)
			}
			env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Partial: partial, Limits: Limits{Attempts: 4, Block: block}})
			if got := fmt.Sprint(seen); got != "map[0:1 1:1 2:4 3:3 4:1]" {
				t.Errorf("attempts %s", got)
			}
			p := progressOf(t, env)
			if p.Done != 3 || p.Failed != 2 || len(p.Broken) != 2 {
				t.Errorf("block %d: %+v", block, p)
			}
			err := env.GetWorkflowError()
			if partial {
				if err != nil {
					t.Error(err)
				}
				continue
			}
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != unfinished || !strings.HasPrefix(app.Message(), "2 of 5 shards failed, and nothing was gathered: shard ") ||
				!strings.Contains(app.Message(), "shard 1: wrong binary") || !strings.Contains(app.Message(), "shard 2: ended by signal 9") {
				t.Errorf("block %d: %v", block, err)
			}
		}
	}
}

// A night that is cancelled gathers nothing, and starts none of the shards that wait. That it ends after its processes is seen
// with a server, in loopback_test.go: the SDK's environment does not wait for an activity that is cancelled.
func TestCancelledNight(t *testing.T) {
	for _, block := range []int{0, 3} {
		var mu sync.Mutex
		started := 0
		env := nightEnv(t, 9, func(ctx context.Context, i int) (ShardDone, error) {
			mu.Lock()
			started++
			mu.Unlock()
			<-ctx.Done()
			return ShardDone{}, ctx.Err()
		})
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
		env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Limits: Limits{Block: block, Window: 3 + 6*(1-min(block, 1))}})
		if err := env.GetWorkflowError(); !temporal.IsCanceledError(err) {
			t.Errorf("block %d: error %v", block, err)
		}
		if want := 9 - 2*block; started != want {
			t.Errorf("block %d: %d shards began, want %d", block, started, want)
		}
		env.AssertNotCalled(t, "Gather", mock.Anything, mock.Anything, mock.Anything)
	}
}

// A run without a folder gets one of its own, with its name; a plan that is too large is refused.
func TestFolderOfNight(t *testing.T) {
	env := nightEnv(t, 1, func(context.Context, int) (ShardDone, error) { return ShardDone{}, nil })
	gathers(env, false)
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: "one", TaskQueue: "q"})
	env.ExecuteWorkflow(Night, NightInput{Root: "/nights"})
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	for _, n := range []int{0, 2001} {
		env := nightEnv(t, n, nil)
		env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Limits: Limits{Block: 2}})
		var app *temporal.ApplicationError
		if err := env.GetWorkflowError(); !errors.As(err, &app) || app.Type() != final || !strings.Contains(app.Message(), "has 1 to 2000") {
			t.Errorf("%d shards: %v", n, err)
		}
	}
}
