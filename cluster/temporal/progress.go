package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// Report is the output of the command progress: the answer of a run, the states of the shards in its blocks, and
// the heartbeats of running shards.
type Report struct {
	Progress
	Status string
	// Running are the shards of Outstanding that a worker has, and Retrying those that wait for their next attempt.
	Running, Retrying int
	// Drawn are the fits done in shards that are not, SpoolBytes what these have on disk, and SecondsLeft the longest
	// estimate of what remains to one.
	Drawn       int
	SpoolBytes  int64
	SecondsLeft float64
	// Troubles are the last errors of shards that are tried again.
	Troubles []string `json:",omitempty"`
}

// progress prints a report as a line, or as JSON.
func (c *command) progress(ctx context.Context, args []string) (int, error) {
	asJSON := c.flags.Bool("json", false, "print JSON")
	rest, err := c.parse(args, "ID")
	if err != nil {
		return 2, err
	}
	r, err := report(ctx, c.Client, rest[0])
	if err != nil {
		return 3, err
	}
	if *asJSON {
		return 0, json.NewEncoder(c.stdout).Encode(r)
	}
	fmt.Fprintln(c.stdout, r.line(rest[0]))
	for _, text := range append(r.Broken, r.Troubles...) {
		fmt.Fprintln(c.stdout, "  "+text)
	}
	return 0, nil
}

func (r *Report) line(id string) string {
	queued := r.Waiting + r.Outstanding - r.Running - r.Retrying
	text := fmt.Sprintf("night %s: %s, %s; shards: %d of %d done, %d failed, %d running, %d to be tried again, %d queued",
		id, r.Status, r.Stage, r.Done, r.Plan.Shards, r.Failed, r.Running, r.Retrying, queued)
	text += fmt.Sprintf("; fits: %d of %d done, %d failed", r.Fits+r.Drawn, r.Plan.Fits, r.FitsFailed)
	if r.SecondsLeft > 0 {
		text += fmt.Sprintf("; the longest running shard has some %v left", (time.Duration(r.SecondsLeft) * time.Second))
	}
	return text
}

// report asks a night, its blocks, and the server about the shards that are outstanding.
func report(ctx context.Context, cl client.Client, id string) (*Report, error) {
	r := &Report{}
	if err := ask(ctx, cl, id, &r.Progress); err != nil {
		return nil, err
	}
	if err := r.look(ctx, cl, id); err != nil {
		return nil, err
	}
	for _, block := range r.Blocks {
		var b Progress
		err := ask(ctx, cl, block, &b)
		var gone *serviceerror.NotFound
		if errors.As(err, &gone) {
			continue // not started yet
		} else if err != nil {
			return nil, err
		}
		ended := b.Done + b.Failed
		r.Outstanding, r.Done, r.Failed = r.Outstanding-ended, r.Done+b.Done, r.Failed+b.Failed
		r.Fits, r.FitsFailed, r.Broken = r.Fits+b.Fits, r.FitsFailed+b.FitsFailed, append(r.Broken, b.Broken...)
		status := r.Status
		if err := r.look(ctx, cl, block); err != nil {
			return nil, err
		}
		r.Status = status
	}
	return r, nil
}

func ask(ctx context.Context, cl client.Client, id string, p *Progress) error {
	var answer converter.EncodedValue
	err := error(context.DeadlineExceeded)
	// A worker that is gone is asked first, until the server gives it up.
	for attempt := 0; attempt < 3 && isDeadline(err); attempt++ {
		answer, err = cl.QueryWorkflow(ctx, id, "", "progress")
	}
	if err != nil {
		return err
	}
	return answer.Get(p)
}

func isDeadline(err error) bool {
	var late *serviceerror.DeadlineExceeded
	return errors.As(err, &late) || errors.Is(err, context.DeadlineExceeded)
}

// look adds what the server knows of a workflow's activities.
func (r *Report) look(ctx context.Context, cl client.Client, id string) error {
	d, err := cl.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return err
	}
	r.Status = strings.ToLower(strings.ReplaceAll(d.GetWorkflowExecutionInfo().GetStatus().String(), "_", " "))
	for _, a := range d.GetPendingActivities() {
		if a.GetActivityType().GetName() != "Shard" {
			continue
		}
		var b Beat
		known := converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &b) == nil
		switch {
		case a.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED:
			r.Running++
		case a.GetAttempt() > 1:
			r.Retrying++
			if f := a.GetLastFailure(); f != nil && len(r.Troubles) < maxBroken {
				r.Troubles = append(r.Troubles, fmt.Sprintf("shard %d, before attempt %d: %s", b.Shard, a.GetAttempt(), said(f)))
			}
		}
		if !known {
			continue
		}
		r.Drawn, r.SpoolBytes, r.FitsFailed = r.Drawn+b.Done, r.SpoolBytes+b.SpoolBytes, r.FitsFailed+b.Failed
		if b.SecondsLeft != nil {
			r.SecondsLeft = max(r.SecondsLeft, *b.SecondsLeft)
		}
	}
	return nil
}

// said returns the message of a failed attempt.
func said(f *failure.Failure) string {
	switch f.GetTimeoutFailureInfo().GetTimeoutType() {
	case enums.TIMEOUT_TYPE_HEARTBEAT:
		return "its worker was silent for longer than --heartbeat"
	case enums.TIMEOUT_TYPE_START_TO_CLOSE:
		return "it lasted longer than --longest"
	}
	return f.GetMessage()
}
