//go:build loopback

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// TestLatency measures what the engine adds to a shard: from a shard that can be carried out to a worker that has it.
func TestLatency(t *testing.T) {
	l := &loop{T: t, dir: t.TempDir(), address: "127.0.0.1:" + freePort(t)}
	l.serve()
	defer l.server.Process.Kill()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIPELINE", self)
	if l.client, err = client.Dial(client.Options{HostPort: l.address, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	t.Setenv(acts, "0")
	for _, c := range []struct{ shards, block, window, slots int }{{100, 1, 1, 1}, {200, 200, 2000, 2}, {200, 50, 100, 2}} {
		n := l.night(fmt.Sprintf("latency-%d-%d", c.shards, c.block))
		w := n.worker("", "--slots", strconv.Itoa(c.slots))
		keep(filepath.Join(n.mkdir(), "plan.json"), planned(c.shards))
		began, server, own := time.Now(), processor(t, l.server.Process.Pid), processor(t, w.Process.Pid)
		n.must("glmbatch-temporal", "night", "--queue", n.name, "--block", strconv.Itoa(c.block), "--window", strconv.Itoa(c.window), n.id)
		took := time.Since(began)
		waits := n.waits(c.shards, c.block)
		slices.Sort(waits)
		each := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(c.shards) }
		t.Logf("%d shards, window %d, %d slots: %v; a shard: %.1f ms of the clock, of processor time %.1f ms of the server, "+
			"%.1f ms of the worker; from scheduled to started p50 %v, p90 %v", c.shards, c.window, c.slots, took, each(took),
			each(processor(t, l.server.Process.Pid)-server), each(processor(t, w.Process.Pid)-own), waits[len(waits)/2], waits[len(waits)*9/10])
		n.stop()
	}
}

// processor is the processor time of a process, without those that it started.
func processor(t *testing.T, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
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

// waits are the times between the events scheduled and started of the shards of a night.
func (n *night) waits(shards, block int) (out []time.Duration) {
	ids := []string{n.id}
	for from := 0; shards > block && from < shards; from += block {
		ids = append(ids, fmt.Sprintf("%s/%d-%d", n.id, from, min(from+block, shards)-1))
	}
	for _, id := range ids {
		scheduled := map[int64]time.Time{}
		events := n.client.GetWorkflowHistory(context.Background(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				n.Fatal(err)
			}
			if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == "Shard" {
				scheduled[e.GetEventId()] = e.GetEventTime().AsTime()
			}
			if a := e.GetActivityTaskStartedEventAttributes(); a != nil && !scheduled[a.GetScheduledEventId()].IsZero() {
				out = append(out, e.GetEventTime().AsTime().Sub(scheduled[a.GetScheduledEventId()]))
			}
		}
	}
	return out
}
