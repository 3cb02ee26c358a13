//go:build loopback

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"
)

// fromEnv is a number of the environment, by which make asks for a larger night.
func fromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number of things", name, text)
	}
	return n
}

// size holds the size of a workflow's history on the server. Payloads are the program's data in it.
type size struct{ events, bytes, payload int }

// String is the size as text.
func (s size) String() string {
	return fmt.Sprintf("%d events, %d kB, the largest payload %d bytes", s.events, (s.bytes+500)/1000, s.payload)
}

func (n *night) size(id string) (s size) {
	n.Helper()
	n.history(id, func(e *historypb.HistoryEvent) {
		s.events++
		s.bytes += proto.Size(e)
		visit := func(_ *proxy.VisitPayloadsContext, p []*commonpb.Payload) ([]*commonpb.Payload, error) {
			for _, one := range p {
				s.payload = max(s.payload, len(one.GetData()))
			}
			return p, nil
		}
		if err := proxy.VisitPayloads(context.Background(), e, proxy.VisitPayloadsOptions{Visitor: visit}); err != nil {
			n.Fatal(err)
		}
	})
	return s
}

// TestHistories holds what a large night leaves on the server to Temporal's limits, 51,200 events and 50 MB a workflow,
// with room. Its shards are processes that do nothing. GLMBATCH_SHARDS is how many there are.
func TestHistories(t *testing.T) {
	n, shards := bare(t, "histories"), fromEnv(t, "GLMBATCH_SHARDS", 450)
	n.Setenv("PIPELINE", "/bin/true")
	n.worker("", "--slots", "8")
	keep(filepath.Join(n.mkdir(), "plan.json"), planned(shards))
	began := time.Now()
	n.must("glmbatch-temporal", "night", "--queue", n.name, n.id)
	took := time.Since(began)
	if line := n.must("glmbatch-temporal", "progress", n.id); !strings.Contains(line, fmt.Sprintf("%d of %[1]d done", shards)) {
		t.Error(line)
	}
	night, block := n.size(n.id), n.size(fmt.Sprintf("%s/0-%d", n.id, Limits{}.filled().Block-1))
	fact(t, "%d shards that do nothing in %s: the night has %v; a block of 200 shards has %v", shards, short(took), night, block)
	for _, s := range []size{night, block} {
		if s.events > 10_000 || s.bytes > 5_000_000 || s.payload > 20_000 {
			t.Errorf("a history of %v", s)
		}
	}
}

// bare is a night on a server of its own, which ends with the test.
func bare(t *testing.T, name string) *night {
	t.Helper()
	l := &loop{T: t, dir: t.TempDir(), address: "127.0.0.1:" + freePort(t)}
	l.serve()
	t.Cleanup(func() { l.server.Process.Kill() })
	var err error
	if l.client, err = client.Dial(client.Options{HostPort: l.address, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	n := l.night(name)
	t.Cleanup(n.stop)
	return n
}

// most reads the largest memory that a process had, in MB.
func most(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kB, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kB / 1024
}

// TestMany draws many small fits in shards of 100 by one worker, and by one run on this machine just before, and
// compares digests. GLMBATCH_FITS is how many there are.
func TestMany(t *testing.T) {
	n, fits := bare(t, "many"), fromEnv(t, "GLMBATCH_FITS", 300)
	n.small(fits)
	began := time.Now()
	n.must("pipeline", "run", n.path("spec.yaml"), "--database", n.path("whole.duckdb"), "--quiet")
	alone := time.Since(began)
	w := n.worker("")
	began = time.Now()
	server, own := processor(t, n.server.Process.Pid), processor(t, w.Process.Pid)
	n.must("glmbatch-temporal", "night", "--queue", n.name, "--shards", strconv.Itoa((fits+99)/100), "--to", n.id, n.path("spec.yaml"),
		"--", "--database", n.path(n.name+".duckdb"))
	took := time.Since(began)
	server, own = processor(t, n.server.Process.Pid)-server, processor(t, w.Process.Pid)-own
	stored, err := os.Stat(n.path("server.db"))
	if err != nil {
		t.Fatal(err)
	}
	each := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(fits) }
	fact(t, "%d fits in %s, %.1f times one run of them just before (%s): %.1f ms a fit; processor time a fit: server %.2f ms, worker %.2f ms; "+
		"the night has %v; memory: server %d MB, worker %d MB; the server's file has %.1f MB",
		fits, short(took), took.Seconds()/alone.Seconds(), short(alone), each(took), each(server), each(own),
		n.size(n.id), most(t, n.server.Process.Pid), most(t, w.Process.Pid), float64(stored.Size())/1e6)
	sums := func(ledger string) string {
		return n.must("pipeline", "sql", "--database", n.path(ledger+".duckdb"), "--format", "csv", sumsOfHashes)
	}
	if want, got := sums("whole"), sums(n.name); got != want || strings.Count(got, "complete") != fits {
		t.Errorf("the ledger differs from that of one run:\n%.2000s\nwant\n%.2000s", got, want)
	}
	fact(t, "its ledger has the draws, summaries and verdicts of the one run")
}

// sumsOfHashes are a line for each fit, as digests are, in memory that does not grow with the number of draws.
const sumsOfHashes = `
	WITH d AS (SELECT fit_id, sum(hash(parameter_id, chain, iteration, value)::HUGEINT) AS h, count(*) AS n FROM draw GROUP BY ALL),
	s AS (SELECT fit_id, sum(hash(name, mean, sd, rhat, ess_bulk, ess_tail)::HUGEINT) AS h, count(*) AS n FROM summary GROUP BY ALL)
	SELECT concat_ws(' ', dataset, key, model, sampler, fingerprint, d.h, d.n, s.h, s.n, status, verdict)
	FROM fit LEFT JOIN d USING (fit_id) LEFT JOIN s USING (fit_id) ORDER BY ALL`

// small writes a spec of fits that take some milliseconds, a file each.
func (n *night) small(fits int) {
	n.Helper()
	if err := os.Mkdir(n.path("data"), 0o755); err != nil {
		n.Fatal(err)
	}
	for i := range fits {
		var b strings.Builder
		b.WriteString("age,y\n")
		for row := range 60 {
			fmt.Fprintf(&b, "%d,%d\n", 20+3*row, (row*(i%17+3)+i)%7+row/8)
		}
		if err := os.WriteFile(n.path(fmt.Sprintf("data/d%05d.csv", i)), []byte(b.String()), 0o644); err != nil {
			n.Fatal(err)
		}
	}
	const text = "pipeline: night\ndatasets: {d: {path: \"data/*.csv\", each: file}}\nmodels: {m: {formula: y ~ age, family: poisson}}\n" +
		"samplers: {s: {method: cggibbs}}\nrun: {chains: 2, warmup: 100, draws: 250}\ngates: {rhat: 9, ess_bulk: 1, ess_tail: 1}\n"
	if err := os.WriteFile(n.path("spec.yaml"), []byte(text), 0o644); err != nil {
		n.Fatal(err)
	}
}
