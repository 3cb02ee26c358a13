package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// Types of errors of activities. Only final is not tried again.
const (
	final      = "final"      // exit code 2: the call, the spec or the program is wrong
	unfinished = "unfinished" // shards of a run failed permanently
	again      = "again"      // exit codes 3 and 130, signals, and a worker that stops
)

// Plan holds the entries of a folder's plan.json that this module reads: the numbers of shards and fits.
type Plan struct{ Shards, Fits int }

// Beat is the state of a shard that its process writes to DIR/progress/i.json every few seconds, and that the
// worker's heartbeats carry.
type Beat struct {
	Shard       int      `json:"shard"`
	Fits        int      `json:"fits"`
	Done        int      `json:"done"`
	Failed      int      `json:"failed"`
	SpoolBytes  int64    `json:"spool_bytes"`
	SecondsLeft *float64 `json:"seconds_left"`
	Updated     string   `json:"updated"`
}

// ShardDone is how a shard ended: with exit code 0, or 1 if some of its fits failed or erred.
type ShardDone struct {
	Exit, Fits, Failed int
}

// Activities carry out verbs of the program as processes.
type Activities struct {
	// Program is the path of pipeline.
	Program string
	// Flags are added to "pipeline run", as --workers and --spool of this machine.
	Flags []string
	// Grace is how long a process may take to end after SIGTERM.
	Grace time.Duration
	// Every is the time between two looks at a shard's progress.
	Every time.Duration
}

// Plan plans a night into its folder. The program uses an existing plan if its request was equal, and refuses
// another one: a folder is one run.
func (a *Activities) Plan(ctx context.Context, in NightInput) (Plan, error) {
	if in.Spec == "" {
		plan, err := readPlan(in.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			err = temporal.NewNonRetryableApplicationError(in.Dir+" has no plan.json, and no spec is named", final, nil)
		}
		return plan, err
	}
	args := append([]string{"plan", in.Spec, "--shards", strconv.Itoa(in.Shards), "--to", in.Dir}, in.Flags...)
	if _, err := a.carryOut(ctx, func() { activity.RecordHeartbeat(ctx) }, args...); err != nil {
		return Plan{}, err
	}
	return readPlan(in.Dir)
}

func readPlan(dir string) (plan Plan, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return Plan{}, err
	}
	var file struct {
		Fits []int `json:"fits"` // of each shard
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", filepath.Join(dir, "plan.json"), err)
	}
	for _, n := range file.Fits {
		plan.Fits += n
	}
	plan.Shards = len(file.Fits)
	return plan, nil
}

// Shard carries out one shard. Heartbeats hold the progress lines of the shard's process while it runs.
func (a *Activities) Shard(ctx context.Context, dir string, i int) (ShardDone, error) {
	plan, err := readPlan(dir)
	if err != nil {
		return ShardDone{}, err // a folder that is not mounted on this machine may be on another
	}
	beat := func() { activity.RecordHeartbeat(ctx, readBeat(dir, i)) }
	args := append([]string{"run", "--plan", dir, "--shard", fmt.Sprintf("%d/%d", i, plan.Shards)}, a.Flags...)
	end, err := a.carryOut(ctx, beat, args...)
	if err != nil {
		return ShardDone{}, err
	}
	b := readBeat(dir, i)
	return ShardDone{Exit: end.code, Fits: b.Done, Failed: b.Failed}, nil
}

// readBeat returns what is known of a shard's progress: nothing before its process has begun.
func readBeat(dir string, i int) Beat {
	b := Beat{Shard: i}
	text, err := os.ReadFile(filepath.Join(dir, "progress", strconv.Itoa(i)+".json"))
	if err != nil || json.Unmarshal(text, &b) != nil {
		return Beat{Shard: i}
	}
	return b
}

// Gather loads what the shards made into the ledger.
func (a *Activities) Gather(ctx context.Context, dir string, partial bool) (Outcome, error) {
	args := []string{"gather", dir}
	if partial {
		args = append(args, "--partial")
	}
	end, err := a.carryOut(ctx, func() { activity.RecordHeartbeat(ctx) }, args...)
	if partial && end.code == 3 && inPart.MatchString(end.said) {
		err = nil // another attempt would find the same
	}
	return Outcome{Exit: end.code, Said: end.said}, err
}

// inPart matches the last line of a gather that loaded what there was. Other calls with exit code 3 loaded nothing.
var inPart = regexp.MustCompile(`(?m)^exit code 3: \d+ missing$`)

// carryOut runs the program and says what its exit code means to a workflow. It ends the process when the activity is
// cancelled, when another worker has it, or when this worker stops.
func (a *Activities) carryOut(ctx context.Context, beat func(), args ...string) (processEnd, error) {
	beat() // the first heartbeat, so that a shard that never gets further is known by its attempt
	stops := activity.GetWorkerStopChannel(ctx)
	end, err := a.process(ctx.Done(), stops, beat, args)
	switch {
	case err != nil:
		return end, temporal.NewApplicationErrorWithCause(err.Error(), again, err)
	case end.code == 0 || end.code == 1:
		return end, nil
	case ctx.Err() != nil:
		return end, ctx.Err()
	case end.code == 2:
		return end, temporal.NewNonRetryableApplicationError(end.String(), final, nil)
	}
	return end, temporal.NewApplicationError(end.String(), again)
}
