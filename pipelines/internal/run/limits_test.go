package run

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
)

// A fit that cannot do with the memory that a run may take is refused, by name and
// with a number that would do; one that can has the same bits.
func TestMemory(t *testing.T) {
	config := func(name string) Config {
		return configOf(t, filepath.Join(volatile(t), name), strings.Replace(diskSpec, "{d: {synthetic: {rows: 30, columns: 2}}}",
			"{d: {synthetic: {rows: 30, columns: 2}}, wide: {synthetic: {rows: 400, columns: 3000}}}", 1))
	}
	bounded := config("bounded.duckdb")
	bounded.Pipeline.Run.Memory = 128e6
	bounded.Only = mustSelect(t, "dataset=*")
	out, err := Run(t.Context(), bounded)
	must(t, err)
	if got := out.Fits[1].Reasons; out.Fits[1].Action != outcome.Errored || !strings.Contains(strings.Join(got, ""), `dataset "wide"`) || !strings.Contains(got[0], "hint: give it --memory ") {
		t.Errorf("wide under 128 MB: %s %q", out.Fits[1].Action, got)
	}
	free := config("free.duckdb")
	free.Only = mustSelect(t, "dataset=d")
	if _, err := Run(t.Context(), free); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Replace(drawn(t, bounded.Database), "\n2,", "\n1,", 1), drawn(t, free.Database); got != want {
		t.Errorf("under 128 MB %s, without a limit %s", got, want)
	}
}

// Where a design lives is decided by memory, and no bit by where it lives. In a file it leaves nothing in the work folder.
func TestMappedDesignDrawsAlike(t *testing.T) {
	maps := func() string { text, _ := os.ReadFile("/proc/self/maps"); return string(text) }
	if maps() == "" {
		t.Skip("this system does not show its mappings")
	}
	tall := strings.NewReplacer("rows: 30, columns: 2", "rows: 40000, columns: 6",
		"method: cggibbs", "method: cggibbs, basis: rotated", "until: {ess: 300, over: all}, first: 100, max_iterations: 200",
		"warmup: 5, draws: 20").Replace(diskSpec)
	var got []string
	for name, limit := range map[string]spec.Bytes{"heap": 0, "file": 160e6} {
		config := configOf(t, filepath.Join(volatile(t), name+".duckdb"), tall)
		config.Pipeline.Run.Memory = limit
		out, err := Run(t.Context(), config)
		if err != nil || out.Fits[0].Verdict == "error" {
			t.Fatal(err, out.Fits[0].Reasons)
		}
		if mapped := strings.Contains(maps(), name+".duckdb.work/.mapped-"); mapped != (limit > 0) {
			t.Errorf("%s: the design was in a file: %v", name, mapped)
		}
		if _, err := os.Stat(config.Database + ".work"); err == nil {
			t.Errorf("%s: the work folder is left", name)
		}
		got = append(got, drawn(t, config.Database))
	}
	if got[0] != got[1] {
		t.Errorf("draws differ:\n%s\n%s", got[0], got[1])
	}
}

func mustSelect(t *testing.T, term string) plan.Selector {
	t.Helper()
	s, err := plan.ParseSelector([]string{term})
	must(t, err)
	return s
}

// While a table is read, what it claims and what is in flight are together no more than fits may take: a claim waits
// until units have left. One table may claim all, and gives it back once it is read.
func TestReadingWaitsForRoom(t *testing.T) {
	m := plan.Memory{Limit: 1e9, Workers: 1}
	a := newAdmission(m)
	if err := a.bytes.Acquire(t.Context(), m.Fits()-10); err != nil { // units in flight
		t.Fatal(err)
	}
	claimed := make(chan error, 1)
	go func() { claimed <- a.claim(t.Context(), 11) }()
	select {
	case <-claimed:
		t.Fatal("a table claims memory that units in flight have")
	case <-time.After(50 * time.Millisecond):
	}
	a.bytes.Release(m.Fits() - 10)
	must(t, <-claimed)
	if err := a.claim(t.Context(), 2*m.Fits()); err != nil || a.claimed != m.Fits() {
		t.Errorf("%v: one table claims %d of %d bytes", err, a.claimed, m.Fits())
	}
	if a.bytes.TryAcquire(1) {
		t.Error("there is room beside a table that has claimed all")
	}
	a.read()
	if !a.bytes.TryAcquire(m.Fits()) || a.claimed != 0 {
		t.Error("a table that is read keeps what it has claimed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.claim(ctx, 1); err == nil {
		t.Error("a claim outlives its run")
	}
}
