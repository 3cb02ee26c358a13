package main

import (
	"errors"
	"fmt"
	"strings"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Progress is the answer of a run or a block to the query "progress".
type Progress struct {
	Stage string
	Dir   string
	Plan  Plan
	// Shards by state: waiting for the window, outstanding (queued or running), done, failed permanently.
	Waiting, Outstanding, Done, Failed int
	// Fits of shards that are done, and those of them that failed or erred.
	Fits, FitsFailed int
	// Blocks are the workflows that report the state of their outstanding shards.
	Blocks []string
	// Broken are the first shards that failed permanently, with their reasons.
	Broken []string
	// show writes the progress of the workflow to the server's page. It is set by answer.
	show func()
	// said is how it ended: what gather printed, or an error.
	said string
}

// maxBroken is how many shards are named in an error.
const maxBroken = 10

// BlockInput names the shards From to To, without To, of a planned night.
type BlockInput struct {
	Dir      string
	From, To int
	Limits   Limits
}

// Block is the workflow that looks after some shards of a large night, so that no history grows without bound.
func Block(ctx workflow.Context, in BlockInput) (Progress, error) {
	p := &Progress{Stage: drawing, Dir: in.Dir, Plan: Plan{Shards: in.To - in.From}, Waiting: in.To - in.From}
	if err := p.answer(ctx); err != nil {
		return *p, err
	}
	err := p.carryOut(ctx, in)
	p.Stage = carried
	p.show()
	return *p, err
}

// answer makes a workflow answer the query "progress", and show the same text on the server's page. Neither is
// written into the history.
func (p *Progress) answer(ctx workflow.Context) error {
	p.show = func() { workflow.SetCurrentDetails(ctx, p.details()) }
	p.show()
	return workflow.SetQueryHandler(ctx, "progress", func() (Progress, error) { return *p, nil })
}

// details is a text in Markdown for the server's page.
func (p *Progress) details() string {
	stage := map[string]string{
		planning: "The night is being planned.", drawing: "Shards are being carried out.",
		gathering: "Fragments are being loaded into the ledger.", ended: "What the shards made is in the ledger.",
		carried: "All shards of this block have ended.",
	}[p.Stage]
	switch {
	case p.said != "" && p.Stage == ended:
		stage += "\n\n```\n" + p.said + "\n```"
	case p.said != "":
		stage = fmt.Sprintf("Ended in the stage %q: %s\n\nStarted again, the night does the rest.", p.Stage, p.said)
	}
	if p.Plan.Shards == 0 {
		return stage
	}
	text := fmt.Sprintf("%s\n\nShards: **%d of %d done**, %d failed for good, "+
		"%d given out (queued or carried out), %d waiting.", stage, p.Done, p.Plan.Shards, p.Failed, p.Outstanding, p.Waiting)
	text += fmt.Sprintf("\n\nFits of the shards that are done: %d, of which %d failed or erred.", p.Fits, p.FitsFailed)
	for _, why := range p.Broken {
		text += "\n\n- " + strings.ReplaceAll(why, "\n", "\n  ")
	}
	return text
}

// carryOut schedules the shards of a block all at once, waits for each, and counts how it ended. Its error says that
// the workflow was cancelled.
func (p *Progress) carryOut(ctx workflow.Context, in BlockInput) error {
	after, _ := workflow.NewDisconnectedContext(ctx)
	all := workflow.NewWaitGroup(ctx)
	for i := in.From; i < in.To; i++ {
		all.Add(1)
		p.start(1)
		f := workflow.ExecuteActivity(in.Limits.activity(ctx, fmt.Sprintf("shard %d", i)), (*Activities).Shard, in.Dir, i)
		workflow.Go(after, func(ctx workflow.Context) {
			defer all.Done()
			var done ShardDone
			err := f.Get(ctx, &done)
			p.end(1)
			switch {
			case err == nil:
				p.Done++
				p.Fits += done.Fits
				p.FitsFailed += done.Failed
			case !temporal.IsCanceledError(err):
				p.fail(1, fmt.Sprintf("shard %d: %s", i, reason(err)))
			}
			p.show()
		})
	}
	p.show()
	all.Wait(after)
	return ctx.Err()
}

// block carries out one block as a workflow of its own.
func (p *Progress) block(ctx workflow.Context, in BlockInput) {
	defer p.show()
	n := in.To - in.From
	id := fmt.Sprintf("%s/%d-%d", workflow.GetInfo(ctx).WorkflowExecution.ID, in.From, in.To-1)
	p.start(n)
	p.Blocks = append(p.Blocks, id)
	p.show()
	var b Progress
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:          id,
		StaticSummary:       fmt.Sprintf("shards %d to %d of %d", in.From, in.To-1, p.Plan.Shards),
		WaitForCancellation: true,
		ParentClosePolicy:   enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
	}), Block, in).Get(ctx, &b)
	p.end(n)
	for i, other := range p.Blocks {
		if other == id {
			p.Blocks = append(p.Blocks[:i:i], p.Blocks[i+1:]...)
			break
		}
	}
	if err != nil && !temporal.IsCanceledError(err) {
		p.fail(n, fmt.Sprintf("shards %d to %d: %s", in.From, in.To-1, reason(err)))
		return
	}
	p.Done += b.Done
	p.Fits += b.Fits
	p.FitsFailed += b.FitsFailed
	p.fail(b.Failed, b.Broken...)
}

func (p *Progress) start(n int) { p.Waiting, p.Outstanding = p.Waiting-n, p.Outstanding+n }
func (p *Progress) end(n int)   { p.Outstanding -= n }

func (p *Progress) fail(n int, why ...string) {
	p.Failed += n
	p.Broken = append(p.Broken, why...)
	p.Broken = p.Broken[:min(len(p.Broken), maxBroken)]
}

func (p *Progress) broken() string {
	text := strings.Join(p.Broken, "; ")
	if p.Failed > len(p.Broken) {
		text += "; …"
	}
	return text
}

// reason is the innermost of what an activity's error says, without the accounts of who passed it on.
func reason(err error) string {
	var app *temporal.ApplicationError
	var late *temporal.TimeoutError
	switch {
	case errors.As(err, &app):
		return app.Message()
	case errors.As(err, &late):
		if late.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT {
			return "at the last attempt, too, its worker was silent for longer than --heartbeat"
		}
		return "at the last attempt, too, it lasted longer than --longest"
	}
	return err.Error()
}
