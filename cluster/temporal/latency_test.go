//go:build loopback

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// startBar is how long a shard may wait for a worker that is free, in the median.
const startBar = 50 * time.Millisecond

// one carries out shards one after the other, so that a worker is free for each when it is scheduled.
func one(ctx workflow.Context, queue, dir string, n int) error {
	ctx = workflow.WithTaskQueue(Limits{}.filled().activity(ctx, ""), queue)
	for i := range n {
		if err := workflow.ExecuteActivity(ctx, "Shard", dir, i).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// TestLatency measures how soon a worker that is free has a shard, and for how long a worker that has many to come is
// idle between two of them. The shards' process does nothing.
func TestLatency(t *testing.T) {
	t.Setenv("PIPELINE", "/bin/true")
	const shards = 200
	n := bare(t, "one-by-one")
	n.worker("")
	w := worker.New(n.client, "measure", worker.Options{LocalActivityWorkerOnly: true})
	w.RegisterWorkflow(one)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	keep(filepath.Join(n.mkdir(), "plan.json"), planned(shards))
	ctx := context.Background()
	run, err := n.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: n.id, TaskQueue: "measure"}, one, n.name, n.id, shards)
	if err == nil {
		err = run.Get(ctx, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	waits, _ := n.waits(n.id)
	p50 := waits[len(waits)/2]
	fact(t, "scheduled to started with a worker free p50 %v, p90 %v (bar: p50 %v)", p50, waits[len(waits)*9/10], startBar)
	if p50 > startBar && !loaded() {
		t.Errorf("p50 is over the bar, on a machine that has nothing else to do")
	}
	n.stop()

	l := n.loop
	n = l.night("one-after-the-other")
	defer n.stop()
	own := n.worker("")
	keep(filepath.Join(n.mkdir(), "plan.json"), planned(shards))
	server, before := processor(t, l.server.Process.Pid), processor(t, own.Process.Pid)
	n.must("glmbatch-temporal", "night", "--queue", n.name, n.id)
	_, idle := n.waits(n.id)
	each := func(d time.Duration) float64 { return d.Seconds() * 1e3 / shards }
	fact(t, "a worker idle between two shards p50 %v, p90 %v; processor time a shard %.1f ms of the server, %.1f ms of the worker",
		idle[len(idle)/2], idle[len(idle)*9/10], each(processor(t, l.server.Process.Pid)-server), each(processor(t, own.Process.Pid)-before))
}

// processor is the processor time of a process, without those that it started.
func processor(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of Linux
}

func (n *night) mkdir() string {
	if err := os.Mkdir(n.id, 0o755); err != nil {
		n.Fatal(err)
	}
	return n.id
}

// history calls f for each event of a workflow.
func (n *night) history(id string, f func(*historypb.HistoryEvent)) {
	n.Helper()
	events := n.client.GetWorkflowHistory(context.Background(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			n.Fatal(err)
		}
		f(e)
	}
}

// waits are the times between the events scheduled and started of a workflow's shards, and those between the end of one
// and the start of the next. Both are sorted.
func (n *night) waits(id string) (waits, idle []time.Duration) {
	n.Helper()
	scheduled := map[int64]time.Time{}
	var starts, ends []time.Time
	n.history(id, func(e *historypb.HistoryEvent) {
		at := e.GetEventTime().AsTime()
		if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == "Shard" {
			scheduled[e.GetEventId()] = at
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a != nil && !scheduled[a.GetScheduledEventId()].IsZero() {
			waits = append(waits, at.Sub(scheduled[a.GetScheduledEventId()]))
			starts = append(starts, at)
		}
		if a := e.GetActivityTaskCompletedEventAttributes(); a != nil && !scheduled[a.GetScheduledEventId()].IsZero() {
			ends = append(ends, at)
		}
	})
	slices.SortFunc(starts, time.Time.Compare)
	slices.SortFunc(ends, time.Time.Compare)
	for i := 1; i < len(starts); i++ {
		idle = append(idle, starts[i].Sub(ends[i-1]))
	}
	if len(idle) == 0 {
		n.Fatalf("%s has no two shards", id)
	}
	slices.Sort(waits)
	slices.Sort(idle)
	return waits, idle
}
