package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// NightInput says which night to carry out. The zero value of a field means its default.
type NightInput struct {
	// Dir is the folder of the night. Empty means a folder of Root that is called like the workflow.
	Dir  string `json:",omitempty"`
	Root string `json:",omitempty"`
	// Spec is planned into Shards shards with Flags, flags of "pipeline plan", if the folder has no plan yet.
	Spec   string   `json:",omitempty"`
	Shards int      `json:",omitempty"`
	Flags  []string `json:",omitempty"`
	// Partial gathers the finished shards if others failed permanently.
	Partial bool `json:",omitempty"`
	Limits  Limits
}

// Limits say how long things may last, and how many may be in flight.
type Limits struct {
	// Heartbeat is how long a worker may be silent before its shard is given to another. Zero means 60 s.
	Heartbeat Span
	// Longest is how long one attempt at a shard may last. Zero means 24 h.
	Longest Span
	// Attempts is how often a shard is tried. Zero means 20.
	Attempts int32
	// Window is how many shards are outstanding at the most, queued or carried out. Zero means 2000, the most
	// that Temporal holds for one workflow.
	Window int
	// Block is how many shards one workflow looks after. Zero means 200, for a history of some 1400 events.
	Block int
}

// Span is a duration that is written as "1m0s", as people read it on the server's page. Nanoseconds are read, too.
type Span time.Duration

// MarshalText writes a duration as text, such as 1m30s.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalJSON reads a duration as text, or as a number of nanoseconds.
func (s *Span) UnmarshalJSON(text []byte) error {
	var words string
	if json.Unmarshal(text, &words) != nil {
		return json.Unmarshal(text, (*time.Duration)(s))
	}
	d, err := time.ParseDuration(words)
	*s = Span(d)
	return err
}

// maxBlocks bounds the history of a night, of some 9 events for each block.
const maxBlocks = 1000

func (l Limits) filled() Limits {
	if l.Heartbeat == 0 {
		l.Heartbeat = Span(time.Minute)
	}
	if l.Longest == 0 {
		l.Longest = Span(24 * time.Hour)
	}
	if l.Attempts == 0 {
		l.Attempts = 20
	}
	if l.Window == 0 {
		l.Window = 2000
	}
	if l.Block == 0 {
		l.Block = 200
	}
	l.Block = min(l.Block, l.Window)
	return l
}

// Stages of a night, and of one of its blocks.
const (
	planning  = "plan"
	drawing   = "shards"
	carried   = "carried out"
	gathering = "gather"
	ended     = "ended"
)

// Outcome is the result of a run: the exit code of "pipeline gather" and the end of its output. The code is 0 or 1,
// or with Partial 3 if something is missing.
type Outcome struct {
	Exit int
	Said string
}

// Night plans a night, carries out its shards and gathers them. A shard that fails permanently does not stop the
// others. Without Partial the run then ends with an error that names these shards, and gathers nothing. The folder
// keeps what was done, so that the same night, started again, does the rest.
func Night(ctx workflow.Context, in NightInput) (out Outcome, err error) {
	in.Limits = in.Limits.filled()
	if in.Dir == "" {
		in.Dir = path.Join(in.Root, workflow.GetInfo(ctx).WorkflowExecution.ID)
	}
	p := &Progress{Stage: planning, Dir: in.Dir}
	if err := p.answer(ctx); err != nil {
		return Outcome{}, err
	}
	defer func() {
		if p.said = out.Said; err != nil {
			p.said = reason(err)
		}
		p.show()
	}()
	var plan Plan
	toPlan := in.Limits.atLedger(ctx, path.Base(cmp.Or(in.Spec, in.Dir)))
	err = workflow.ExecuteActivity(toPlan, (*Activities).Plan, in).Get(ctx, &plan)
	if err != nil {
		return Outcome{}, err
	}
	if blocks := (plan.Shards + in.Limits.Block - 1) / in.Limits.Block; plan.Shards < 1 || blocks > maxBlocks {
		return Outcome{}, temporal.NewNonRetryableApplicationError(fmt.Sprintf(
			"the plan in %s has %d shards: a night has 1 to %d", in.Dir, plan.Shards, maxBlocks*in.Limits.Block), final, nil)
	}
	p.Stage, p.Plan, p.Waiting = drawing, plan, plan.Shards
	if err := in.shards(ctx, p); err != nil {
		return Outcome{}, err
	}
	if p.Failed > 0 && !in.Partial {
		return Outcome{}, temporal.NewNonRetryableApplicationError(fmt.Sprintf(
			"%d of %d shards failed, and nothing was gathered: %s", p.Failed, p.Plan.Shards, p.broken()), unfinished, nil)
	}
	p.Stage = gathering
	p.show()
	toGather := in.Limits.atLedger(ctx, "into the ledger")
	err = workflow.ExecuteActivity(toGather, (*Activities).Gather, in.Dir, in.Partial).Get(ctx, &out)
	if err != nil {
		return Outcome{}, err
	}
	p.Stage = ended
	return out, nil
}

// shards carries out all shards of the plan: those of a small night here, those of a large one in blocks that are
// workflows of their own, as many at a time as the window holds.
func (in NightInput) shards(ctx workflow.Context, p *Progress) error {
	size, n := in.Limits.Block, p.Plan.Shards
	if n <= size {
		return p.carryOut(ctx, BlockInput{in.Dir, 0, n, in.Limits})
	}
	slots := workflow.NewSemaphore(ctx, int64(max(1, in.Limits.Window/size)))
	all := workflow.NewWaitGroup(ctx)
	for from := 0; from < n; from += size {
		if err := slots.Acquire(ctx, 1); err != nil {
			break // cancelled, which is looked at below
		}
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer slots.Release(1)
			p.block(ctx, BlockInput{in.Dir, from, min(from+size, n), in.Limits})
		})
	}
	// Cancelled shards are waited for too: a run has ended when its processes have.
	after, _ := workflow.NewDisconnectedContext(ctx)
	all.Wait(after)
	return ctx.Err()
}

// atLedger is for what is carried out where the ledger is.
func (l Limits) atLedger(ctx workflow.Context, summary string) workflow.Context {
	ctx = l.activity(ctx, summary)
	return workflow.WithTaskQueue(ctx, ledgerQueue(workflow.GetInfo(ctx).TaskQueueName))
}

// activity sets the options that all activities share, and the summary by which the server's page names this one.
func (l Limits) activity(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		Summary:             summary,
		StartToCloseTimeout: time.Duration(l.Longest),
		HeartbeatTimeout:    time.Duration(l.Heartbeat),
		WaitForCancellation: true,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: l.Attempts,
		},
	})
}

// ledgerQueue is the task queue of those workers that reach the ledger.
func ledgerQueue(queue string) string { return queue + "-ledger" }
