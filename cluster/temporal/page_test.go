package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
)

// pageOf is the text of the server's page about a run.
func pageOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	var meta sdkpb.WorkflowMetadata
	answer, err := env.QueryWorkflow("__temporal_workflow_metadata")
	if err == nil {
		err = answer.Get(&meta)
	}
	if err != nil {
		t.Fatal(err)
	}
	return meta.GetCurrentDetails()
}

// The server's page has the progress of a run, and its result.
func TestPage(t *testing.T) {
	fails := func(ctx context.Context, i int) (ShardDone, error) {
		switch {
		case i == 4 && activity.GetInfo(ctx).Attempt < 3: // so that it is done when all others have ended
			return ShardDone{}, temporal.NewApplicationError("exit code 3", again)
		case i == 2:
			return ShardDone{}, temporal.NewNonRetryableApplicationError("pipeline run: exit code 2: another build", final, nil)
		}
		return ShardDone{Fits: 5, Failed: 1}, nil
	}
	for _, block := range []int{0, 2} {
		for _, partial := range []bool{false, true} {
			env := nightEnv(t, 5, fails)
			ends := "Ended in the stage \"shards\": 1 of 5 shards failed, and nothing was gathered: shard 2: pipeline run: exit code 2: another build\n\nStarted again, the night does the rest.\n\nShards: "
			if partial {
				gathers(env, true)
				ends = "What the shards made is in the ledger.\n\n```\ngathered\n```"
			}
			var mu sync.Mutex
			meanwhile := ""
			env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
				mu.Lock()
				defer mu.Unlock()
				meanwhile += pageOf(t, env) + "\n"
			})
			env.ExecuteWorkflow(Night, NightInput{Dir: "/nights/one", Partial: partial, Limits: Limits{Block: block, Window: 2 * block}})
			for _, want := range []string{"The night is being planned.", "Shards are being carried out.\n\nShards: **0 of 5 done**, 0 failed for good, ",
				"carried out.\n\nShards: **3 of 5 done**, 1 failed for good, 1 given out"} {
				if !strings.Contains(meanwhile, want) {
					t.Errorf("block %d: meanwhile %q, without %q", block, meanwhile, want)
				}
			}
			got := pageOf(t, env)
			for _, want := range []string{
				ends, "Shards: **4 of 5 done**, 1 failed for good, 0 given out (queued or carried out), 0 waiting.",
				"Fits of the shards that are done: 20, of which 4 failed or erred.", "\n\n- shard 2: pipeline run: exit code 2: another build",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("block %d: %q, without %q", block, got, want)
				}
			}
		}
	}
}

// Durations are words on the server's page; histories of earlier workers have nanoseconds.
func TestSpan(t *testing.T) {
	text, err := json.Marshal(NightInput{Dir: "/nights/one", Limits: Limits{}.filled()})
	want := `{"Dir":"/nights/one","Limits":{"Heartbeat":"1m0s","Longest":"24h0m0s","Attempts":20,"Window":2000,"Block":200}}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	for text, want := range map[string]Span{`"90s"`: Span(90 * time.Second), `60000000000`: Span(time.Minute), `"soon"`: 0, `true`: 0} {
		var s Span
		if err := json.Unmarshal([]byte(text), &s); s != want || (err == nil) != (want > 0) {
			t.Errorf("%s is %v, %v", text, time.Duration(s), err)
		}
	}
}
