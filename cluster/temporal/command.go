package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// worker carries out activities and workflows until it is asked to stop. Processes of shards are then asked to end, and
// their shards are given to other workers.
func (c *command) worker(ctx context.Context, args []string) (int, error) {
	a := &Activities{}
	slots, only, flags := 0, "", ""
	c.flags.StringVar(&a.Program, "pipeline", "pipeline", "the program")
	c.flags.StringVar(&flags, "run", "", `flags of "pipeline run" for this machine, as "--workers 4 --spool /scratch"`)
	c.flags.DurationVar(&a.Grace, "grace", 30*time.Second, "how long a process may take to end when it is asked to")
	c.flags.DurationVar(&a.Every, "every", 5*time.Second, "time between two heartbeats")
	c.flags.IntVar(&slots, "slots", 1, "shards at the same time; one uses all processors")
	c.flags.StringVar(&only, "only", "",
		`"shards" on a machine that does not reach the ledger, "ledger" on one that draws nothing`)
	if _, err := c.parse(args); err != nil {
		return 2, err
	}
	if only != "" && only != "shards" && only != "ledger" || slots < 1 {
		return 2, fmt.Errorf("--only is shards or ledger, and --slots at least 1")
	}
	a.Flags = strings.Fields(flags)
	options := worker.Options{
		WorkerStopTimeout: a.Grace + 5*time.Second,
		// A cancellation comes with the answer to a heartbeat: the SDK would hold them back for 0.8 of the lease.
		MaxHeartbeatThrottleInterval:       a.Every,
		MaxConcurrentActivityExecutionSize: slots,
	}
	var started []worker.Worker
	defer func() { // all at the same time: each waits for its processes
		done := make(chan struct{})
		for _, w := range started {
			go func() { w.Stop(); done <- struct{}{} }()
		}
		for range started {
			<-done
		}
	}()
	for _, queue := range []string{c.queue, ledgerQueue(c.queue)} {
		if only == "shards" && queue != c.queue || only == "ledger" && queue == c.queue {
			continue
		}
		w := worker.New(c.Client, queue, options)
		register(w, a)
		if err := w.Start(); err != nil {
			return 3, err
		}
		started = append(started, w)
	}
	fmt.Fprintf(c.stdout, "worker of %s: ready\n", c.queue)
	<-ctx.Done()
	return 0, nil
}

// registry is the common part of workers and the SDK's test environments.
type registry interface {
	RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}

// register names workflows and activities; names are part of histories, and so are never changed.
func register(r registry, a *Activities) {
	r.RegisterWorkflowWithOptions(Night, workflow.RegisterOptions{Name: "Night"})
	r.RegisterWorkflowWithOptions(Block, workflow.RegisterOptions{Name: "Block"})
	r.RegisterActivityWithOptions(a.Plan, activity.RegisterOptions{Name: "Plan"})
	r.RegisterActivityWithOptions(a.Shard, activity.RegisterOptions{Name: "Shard"})
	r.RegisterActivityWithOptions(a.Gather, activity.RegisterOptions{Name: "Gather"})
}

// night starts a night and waits for it. An interrupt leaves the night to the workers.
func (c *command) night(ctx context.Context, args []string) (int, error) {
	in, to, id, detach := NightInput{}, "", "", false
	c.limitFlags(&in.Limits)
	c.flags.IntVar(&in.Shards, "shards", 1, "shards that a spec is planned into")
	c.flags.StringVar(&to, "to", "", "folder of the night, for a spec")
	c.flags.StringVar(&id, "id", "", "name of the night (default: its folder)")
	c.flags.BoolVar(&in.Partial, "partial", false, "gather what there is where shards have failed for good")
	c.flags.BoolVar(&detach, "detach", false, "do not wait")
	rest, err := c.parse(args, "SPEC|DIR")
	if err != nil {
		return 2, err
	}
	if err := in.locate(rest, to); err != nil {
		return 2, err
	}
	if id == "" {
		id = in.Dir
	}
	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: c.queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary: in.summary(), StaticDetails: in.details(),
	}, "Night", in)
	if err != nil {
		return 3, fmt.Errorf("night %s: %w", id, err)
	}
	fmt.Fprintf(c.stdout, "night %s\n", id)
	if detach {
		return 0, nil
	}
	var out Outcome
	if err := started.Get(ctx, &out); err != nil {
		if ctx.Err() != nil {
			return 3, fmt.Errorf("night %s goes on without being waited for", id)
		}
		return exitCode(err), fmt.Errorf("night %s: %s", id, reason(err))
	}
	fmt.Fprintln(c.stdout, out.Said)
	return out.Exit, nil
}

// locate reads the argument of night: a planned folder, or a spec that is planned into a folder.
func (in *NightInput) locate(rest []string, to string) error {
	at, err := filepath.Abs(rest[0])
	if err != nil {
		return err
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return err
	case info.IsDir() && (to != "" || len(rest) > 1):
		return fmt.Errorf("%s is a planned folder: --to and flags of plan are for a spec", rest[0])
	case info.IsDir():
		in.Dir = at
		return nil
	case to == "":
		return errors.New("--to DIR is missing: the folder of the night, which all workers reach")
	}
	in.Dir, err = filepath.Abs(to)
	in.planned(at, rest)
	return err
}

// planned sets the spec and the flags of plan, which follow "--".
func (in *NightInput) planned(spec string, rest []string) {
	in.Spec = spec
	if len(rest) > 1 {
		in.Flags = rest[2:]
	}
}

// summary names a night on the server's page.
func (in *NightInput) summary() string {
	if in.Spec == "" {
		return "the planned night " + filepath.Base(in.Dir)
	}
	return fmt.Sprintf("%s in %d shards", filepath.Base(in.Spec), in.Shards)
}

// details is the text of the server's page: the folder of a run, and the command for more.
func (in *NightInput) details() string {
	where := fmt.Sprintf("The folder of the night is `%s`.", in.Dir)
	if in.Dir == "" {
		where = fmt.Sprintf("The folder of the night is in `%s`, called like this workflow.", in.Root)
	}
	return where + "\n\n`glmbatch-temporal progress ID` says how far it is, with the fits and bytes of shards that are " +
		"being carried out; `cancel ID` ends it in order; `night FOLDER` does the rest of a night that has ended early."
}

// schedule makes a schedule that starts a night at each time. If one is still running then, it continues, and the
// new one is skipped.
func (c *command) schedule(ctx context.Context, args []string) (int, error) {
	in, cron, zone, id, root := NightInput{}, "", "", "", ""
	c.limitFlags(&in.Limits)
	c.flags.IntVar(&in.Shards, "shards", 1, "shards that a spec is planned into")
	c.flags.StringVar(&root, "root", "", "folder in which each night has a folder, called like it")
	c.flags.StringVar(&cron, "cron", "0 2 * * *", "times to start")
	c.flags.StringVar(&zone, "zone", "UTC", "time zone of --cron")
	c.flags.StringVar(&id, "id", "", "name of the schedule (default: that of the spec)")
	c.flags.BoolVar(&in.Partial, "partial", false, "gather what there is where shards have failed for good")
	rest, err := c.parse(args, "SPEC")
	if err != nil {
		return 2, err
	}
	spec, err := filepath.Abs(rest[0])
	if err != nil {
		return 2, err
	}
	if root == "" {
		return 2, errors.New("--root FOLDER is missing: a folder that all workers reach")
	}
	if in.Root, err = filepath.Abs(root); err != nil {
		return 2, err
	}
	in.planned(spec, rest)
	if id == "" {
		id = strings.TrimSuffix(filepath.Base(spec), filepath.Ext(spec))
	}
	_, err = c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID:   id,
		Spec: client.ScheduleSpec{CronExpressions: []string{cron}, TimeZoneName: zone},
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: "Night", Args: []any{in}, TaskQueue: c.queue,
			StaticSummary: in.summary(), StaticDetails: in.details(),
		},
		Overlap: enums.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	if err != nil {
		return 3, fmt.Errorf("schedule %s: %w", id, err)
	}
	fmt.Fprintf(c.stdout, "schedule %s: %s %s\n", id, cron, zone)
	return 0, nil
}

// cancel asks a night to end: processes of its shards get SIGTERM, and keep what they have drawn.
func (c *command) cancel(ctx context.Context, args []string) (int, error) {
	rest, err := c.parse(args, "ID")
	if err != nil {
		return 2, err
	}
	if err := c.CancelWorkflow(ctx, rest[0], ""); err != nil {
		return 3, err
	}
	return 0, nil
}
