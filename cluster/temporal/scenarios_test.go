//go:build loopback

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/temporal"
)

func (l *loop) undisturbed(n *night) {
	n.worker("", "--slots", "2")
	began := time.Now()
	n.start()
	n.Log(n.ends().Said)
	n.Logf("%v", time.Since(began))
	n.Log(n.must("glmbatch-temporal", "progress", n.id))
}

// If a worker is killed in mid-fit another resumes its run, after the lease.
func (l *loop) workerKilled(n *night) {
	first := n.worker("")
	n.start()
	shard, pid := n.midFit(first)
	second := n.worker("", "--only", "shards", "--slots", "4")
	n.worker("", "--only", "ledger")
	killed := time.Now()
	first.Process.Kill()
	first.Wait()
	n.takenOver(second, shard, killed, "a worker was killed")
	n.soon("the process is gone with its worker", lease, func() bool { return gone(pid) })
	n.ends()
}

// takenOver waits until another worker has a shard, and holds the time to the lease and 5 s.
func (n *night) takenOver(second *machine, shard int, since time.Time, why string) {
	n.Helper()
	n.soon("another worker has the shard", lease+5*time.Second, func() bool { return slices.Contains(n.carried(second), shard) })
	fact(n.T, "a shard is taken over %s after %s (bar: the lease, %v, and 5 s)", short(time.Since(since)), why, lease)
}

// A worker that sleeps past its lease wakes to find that its shard is another's, and ends its process. Until then
// two attempts run at the same time.
func (l *loop) workerStopped(n *night) {
	first := n.worker("", "--only", "shards")
	n.worker("", "--only", "ledger")
	n.start()
	shard, pid := n.midFit(first)
	first.Process.Signal(syscall.SIGSTOP)
	syscall.Kill(pid, syscall.SIGSTOP)
	second := n.worker("", "--only", "shards", "--slots", "4")
	n.soon("another worker has the shard", time.Minute, func() bool { return slices.Contains(n.carried(second), shard) })
	syscall.Kill(pid, syscall.SIGCONT)
	first.Process.Signal(syscall.SIGCONT)
	took := n.soon("the process of the worker that woke ends", 10*time.Second, func() bool { return gone(pid) })
	n.ends()
	_, attempt := n.attempts(shard)
	n.Logf("shard %d: attempt %d; the old process ended %v after its worker woke", shard, attempt, took)
	if attempt < 2 {
		n.Error("the shard was not given to another")
	}
}

// A worker that is asked to end gives its shards back at once, without waiting for the lease.
func (l *loop) workerEnds(n *night) {
	first := n.worker("", "--only", "shards")
	n.worker("", "--only", "ledger")
	n.start("--heartbeat", "5m")
	shard, pid := n.midFit(first)
	n.worker("", "--only", "shards", "--slots", "4")
	asked := time.Now()
	first.Process.Signal(syscall.SIGTERM)
	first.Wait()
	n.Logf("the worker ended after %v", time.Since(asked))
	if !gone(pid) {
		n.Error("its process is there")
	}
	n.ends()
	at, attempt := n.attempts(shard)
	fact(n.T, "a shard is given back %s after its worker was asked to end", short(at.Sub(asked)))
	if attempt != 2 || at.Sub(asked) > 2*time.Minute {
		n.Error("its shard was not given back before the lease of five minutes")
	}
}

// A server that is killed comes back with what it knew; workers hold on meanwhile.
func (l *loop) serverKilled(n *night) {
	first := n.worker("")
	n.start()
	_, pid := n.midFit(first)
	n.server.Process.Kill()
	time.Sleep(lease / 2)
	n.serve()
	n.ends()
	n.Logf("the process went on meanwhile, or is done: %v", gone(pid))
}

const (
	inner, outer = "10.213.77.2", "10.213.77.1"
	space, link  = "glmbatch-loop", "glmbatch-l0"
)

// A worker whose heartbeats do not arrive ends its process after the lease, as another one gets the shard.
func (l *loop) partition(n *night) {
	ip := func(args ...string) error {
		out, err := exec.Command("ip", args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	if err := ip("netns", "add", space); err != nil {
		n.Skipf("no namespaces of networks here: %v", err)
	}
	defer ip("netns", "del", space)
	for _, args := range []string{
		"link add " + link + " type veth peer name eth0 netns " + space, "addr add " + outer + "/24 dev " + link, "link set " + link + " up",
		"-n " + space + " addr add " + inner + "/24 dev eth0", "-n " + space + " link set eth0 up", "-n " + space + " link set lo up",
	} {
		if err := ip(strings.Fields(args)...); err != nil {
			n.Fatal(err)
		}
	}
	defer ip("link", "del", link)
	first := n.worker(space, "--only", "shards")
	n.worker("", "--only", "ledger")
	n.start()
	shard, pid := n.midFit(first)
	if err := ip("link", "set", link, "down"); err != nil {
		n.Fatal(err)
	}
	cut := time.Now()
	second := n.worker("", "--only", "shards", "--slots", "4")
	n.takenOver(second, shard, cut, "the network was cut")
	n.soon("the process of the worker without a network ends", 10*time.Second, func() bool { return gone(pid) })
	if err := ip("link", "set", link, "up"); err != nil {
		n.Fatal(err)
	}
	n.ends()
}

// A night that is cancelled ends after its processes; started again, it does the rest.
func (l *loop) cancelled(n *night) {
	w := n.worker("")
	n.start()
	_, pid := n.midFit(w)
	began := time.Now()
	n.must("glmbatch-temporal", "cancel", n.id)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := n.client.GetWorkflow(ctx, n.id, "").Get(ctx, nil); !temporal.IsCanceledError(err) {
		n.Errorf("the night: %v", err)
	}
	fact(n.T, "a night ended %s after it was cancelled", short(time.Since(began)))
	if !gone(pid) {
		n.Error("the process is there after the night")
	}
	if _, err := os.Stat(n.path(n.name + ".duckdb")); err == nil {
		n.Error("a night that was cancelled has a ledger")
	}
	n.start()
	n.ends()
}

// A shard whose process dies at each attempt fails permanently and is named; all others are done. After a repair,
// the run does the rest.
func (l *loop) poison(n *night) {
	script := "#!/bin/sh\ncase \"$*\" in *\"--shard 1/\"*) [ -e " + n.path("mended") + " ] || kill -9 $$ ;; esac\nexec " + n.program("pipeline") + " \"$@\"\n"
	if err := os.WriteFile(n.path("poisoned"), []byte(script), 0o755); err != nil {
		n.Fatal(err)
	}
	n.worker("", "--pipeline", n.path("poisoned"))
	n.start("--attempts", "3")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	err := n.client.GetWorkflow(ctx, n.id, "").Get(ctx, nil)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != unfinished ||
		!strings.Contains(app.Message(), "1 of 4 shards failed, and nothing was gathered: shard 1: pipeline run: ended by signal 9") {
		n.Errorf("the night: %v", err)
	}
	if line := n.must("glmbatch-temporal", "progress", n.id); !strings.Contains(line, "3 of 4 done, 1 failed, 0 running") {
		n.Error(line)
	}
	if err := os.WriteFile(n.path("mended"), nil, 0o644); err != nil {
		n.Fatal(err)
	}
	n.start("--attempts", "3")
	n.ends()
}
