//go:build loopback

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
)

// These tests need a server and the program; "make temporal" builds both and names them in the environment. Each
// scenario disturbs a night, and the ledger must have the digests of one run on this machine.

const (
	lease  = 5 * time.Second // the heartbeat timeout of these runs, instead of a minute
	shards = 4
	mid    = 1500 * time.Millisecond // into a shard, which lasts for several seconds
)

// digests are a line for each fit: its name, how it ended, and digests of its draws, chains and summaries.
const digests = `
	WITH d AS (SELECT fit_id, md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) AS h FROM draw GROUP BY ALL),
	c AS (SELECT fit_id, md5(string_agg(concat_ws(',', chain, iteration, log_lik, log_prior, evaluations), ';' ORDER BY chain, iteration)) AS h FROM chain GROUP BY ALL),
	s AS (SELECT fit_id, md5(string_agg(concat_ws(',', name, mean, sd, rhat, ess_bulk, ess_tail), ';' ORDER BY name)) AS h FROM summary GROUP BY ALL)
	SELECT concat_ws(' ', dataset, key, model, sampler, fingerprint, d.h, c.h, s.h, status, verdict)
	FROM fit LEFT JOIN d USING (fit_id) LEFT JOIN c USING (fit_id) LEFT JOIN s USING (fit_id) ORDER BY ALL`

// loop is a server on this machine with the nights of one spec.
type loop struct {
	*testing.T
	dir, address string
	server       *exec.Cmd
	client       client.Client
	whole        string // digests of one run without an engine
}

func TestLoopback(t *testing.T) {
	l := &loop{T: t, dir: t.TempDir(), address: "127.0.0.1:" + freePort(t)}
	l.spec()
	l.must("pipeline", "run", l.path("spec.yaml"), "--database", l.path("whole.duckdb"), "--quiet")
	l.whole = l.digests("whole")
	if n := strings.Count(l.whole, "complete"); n < 8 {
		t.Fatalf("%d complete fits:\n%s", n, l.whole)
	}
	l.serve()
	t.Cleanup(func() { l.server.Process.Kill() })
	var err error
	if l.client, err = client.Dial(client.Options{HostPort: l.address, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    func(*loop, *night)
	}{
		{"undisturbed", (*loop).undisturbed}, {"worker killed", (*loop).workerKilled}, {"worker stopped and woken", (*loop).workerStopped},
		{"worker ends in order", (*loop).workerEnds}, {"server killed", (*loop).serverKilled}, {"partition", (*loop).partition},
		{"cancelled", (*loop).cancelled}, {"poison", (*loop).poison},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { note(t) }()
			inner := *l
			inner.T = t
			n := inner.night(strings.ReplaceAll(c.name, " ", "-"))
			defer func() {
				l.server = inner.server
				n.stop()
			}()
			c.f(&inner, n)
		})
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func (l *loop) path(name string) string { return filepath.Join(l.dir, name) }

// program returns a program that the environment names.
func (l *loop) program(name string) string {
	l.Helper()
	path := os.Getenv(map[string]string{"pipeline": "PIPELINE", "temporal": "TEMPORAL", "glmbatch-temporal": "GLMBATCH_TEMPORAL"}[name])
	if path == "" {
		l.Fatalf("no %s: make temporal builds it", name)
	}
	return path
}

// must runs a program that may end with 1, as runs with a fit that erred do, and returns what it prints.
func (l *loop) must(name string, args ...string) string {
	l.Helper()
	out, err := l.command(name, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		l.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (l *loop) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(l.program(name), args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "TEMPORAL_ADDRESS="+l.address, "TMPDIR="+l.dir)
	return cmd
}

func (l *loop) digests(ledger string) string {
	l.Helper()
	return l.must("pipeline", "sql", "--database", l.path(ledger+".duckdb"), "--format", "csv", digests)
}

// spec writes a night of 24 data sets, one of which is poisoned: its fit errs wherever it is carried out.
func (l *loop) spec() {
	if err := os.Mkdir(l.path("data"), 0o755); err != nil {
		l.Fatal(err)
	}
	for i := range 24 {
		var b strings.Builder
		b.WriteString("age,y\n")
		for row := range 60 {
			fmt.Fprintf(&b, "%d,%d\n", 20+3*row, (row*(i%17+3)+i)%7+row/8)
		}
		if i == 5 {
			b.WriteString("many,few\n")
		}
		if err := os.WriteFile(l.path(fmt.Sprintf("data/d%02d.csv", i)), []byte(b.String()), 0o644); err != nil {
			l.Fatal(err)
		}
	}
	const text = "pipeline: night\ndatasets: {d: {path: \"data/*.csv\", each: file}}\nmodels: {m: {formula: y ~ age, family: poisson}}\n" +
		"samplers: {s: {method: nuts}}\nrun: {chains: 2, warmup: 500, draws: 40000}\ngates: {rhat: 9, ess_bulk: 1, ess_tail: 1}\n"
	if err := os.WriteFile(l.path("spec.yaml"), []byte(text), 0o644); err != nil {
		l.Fatal(err)
	}
}

// serverFlags are those of docs/cluster.md. SQLite syncs its log now and then, instead of at each commit,
// by which a process that is killed loses nothing; and the queue is read more often than 20 times a second.
var serverFlags = []string{
	"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=1",
	"--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000",
}

// serve starts the server, whose state is a file.
func (l *loop) serve() {
	l.Helper()
	_, port, _ := net.SplitHostPort(l.address)
	l.server = l.command("temporal", append([]string{"server", "start-dev", "--ip", "0.0.0.0", "--port", port, "--ui-port", freePort(l.T),
		"--db-filename", l.path("server.db"), "--log-level", "error"}, serverFlags...)...)
	if err := l.server.Start(); err != nil {
		l.Fatal(err)
	}
	go l.server.Wait()
	for range 1200 {
		c, err := client.Dial(client.Options{HostPort: l.address, Logger: quiet})
		if err == nil {
			_, err = c.CheckHealth(context.Background(), nil)
			c.Close()
		}
		if err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	l.Fatal("the server does not answer after two minutes")
}

// night is one night with its workers.
type night struct {
	*loop
	name    string
	id      string
	workers []*machine
}

type machine struct {
	*exec.Cmd
	out *bytes.Buffer
}

func (l *loop) night(name string) *night { return &night{loop: l, name: name, id: l.path(name)} }

// worker starts one in a namespace of the network, if one is named.
func (n *night) worker(namespace string, args ...string) *machine {
	n.Helper()
	args = append([]string{"worker", "--queue", n.name, "--pipeline", n.program("pipeline"), "--every", "300ms", "--grace", "5s"}, args...)
	w := &machine{n.command("glmbatch-temporal", args...), &bytes.Buffer{}}
	if namespace != "" {
		ip, err := exec.LookPath("ip")
		if err != nil {
			n.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(n.address)
		w.Args = append([]string{ip, "netns", "exec", namespace}, w.Args...)
		w.Path = ip
		w.Env = append(w.Env, "TEMPORAL_ADDRESS="+outer+":"+port)
	}
	w.Stderr = w.out
	stdout, err := w.StdoutPipe()
	if err == nil {
		err = w.Start()
	}
	if err == nil {
		_, err = stdout.Read(make([]byte, 1)) // it says that it is ready
	}
	if err != nil {
		n.Fatalf("worker: %v\n%s", err, w.out)
	}
	n.workers = append(n.workers, w)
	return w
}

func (n *night) start(args ...string) {
	n.Helper()
	args = append([]string{"night", "--detach", "--queue", n.name, "--heartbeat", lease.String(), "--shards", strconv.Itoa(shards), "--to", n.id}, args...)
	n.must("glmbatch-temporal", append(args, n.path("spec.yaml"), "--", "--database", n.path(n.name+".duckdb"))...)
}

// stop ends workers that are left.
func (n *night) stop() {
	for _, w := range n.workers {
		w.Process.Signal(syscall.SIGCONT)
		w.Process.Signal(syscall.SIGTERM)
	}
	for _, w := range n.workers {
		w.Wait()
		if n.Failed() {
			n.Logf("worker %d: %s", w.Process.Pid, w.out)
		}
	}
}

// ends waits for the night, and holds its ledger to that of one run.
func (n *night) ends() Outcome {
	n.Helper()
	var out Outcome
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	if err := n.client.GetWorkflow(ctx, n.id, "").Get(ctx, &out); err != nil {
		n.Fatalf("the night: %v\n%s", err, n.must("glmbatch-temporal", "progress", n.id))
	}
	if out.Exit != 1 {
		n.Errorf("exit code %d: %s", out.Exit, out.Said)
	}
	if got := n.digests(n.name); got != n.whole {
		n.Errorf("the ledger differs from that of one run:\n%s\nwant\n%s", got, n.whole)
	}
	return out
}

// midFit waits until a process of the worker is in the middle of a shard, and returns its number.
func (n *night) midFit(w *machine) (shard, pid int) {
	n.Helper()
	for range 3000 {
		time.Sleep(10 * time.Millisecond)
		for _, p := range children(w.Process.Pid) {
			shard, found := shardOf(p)
			if time.Sleep(mid); found && !gone(p) {
				return shard, p
			}
		}
	}
	n.Fatalf("no process of the worker was in the middle of a shard for long: %s", n.must("glmbatch-temporal", "progress", n.id))
	return 0, 0
}

// shardOf reads which shard a process carries out.
func shardOf(pid int) (shard int, found bool) {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	_, of, found := bytes.Cut(line, []byte("--shard\x00"))
	text, _, _ := bytes.Cut(of, []byte("/"))
	shard, _ = strconv.Atoi(string(text))
	return shard, found
}

// carried are the shards that a worker carries out.
func (n *night) carried(w *machine) (out []int) {
	for _, p := range children(w.Process.Pid) {
		if shard, found := shardOf(p); found {
			out = append(out, shard)
		}
	}
	return out
}

// children are the processes that one started, and those that were started by them.
func children(pid int) (out []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		list, _ := os.ReadFile(task)
		for _, word := range strings.Fields(string(list)) {
			child, _ := strconv.Atoi(word)
			out = append(append(out, child), children(child)...)
		}
	}
	return out
}

func gone(pid int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(state), ") Z ")
}

func (n *night) soon(what string, within time.Duration, is func() bool) time.Duration {
	n.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > within {
			n.Errorf("%s: not within %v", what, within)
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

// attempts returns when a shard's last attempt began, and which it was.
func (n *night) attempts(shard int) (at time.Time, attempt int32) {
	n.Helper()
	scheduled, of := 0, map[int64]int{}
	n.history(n.id, func(e *historypb.HistoryEvent) {
		if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == "Shard" {
			of[e.GetEventId()] = scheduled // they are scheduled in their order
			scheduled++
		}
		if a := e.GetActivityTaskStartedEventAttributes(); a != nil {
			if i, found := of[a.GetScheduledEventId()]; found && i == shard {
				at, attempt = e.GetEventTime().AsTime(), a.GetAttempt()
			}
		}
	})
	return at, attempt
}
