package run

import (
	"context"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines/internal/plan"
)

// Garbage is kept short while a run is on, unless its user has set GOGC.
func TestFrugal(t *testing.T) {
	for gogc, want := range map[string]int{"": garbage, "70": 33} {
		t.Setenv("GOGC", gogc)
		standard := debug.SetGCPercent(33)
		end := frugal()
		during := debug.SetGCPercent(garbage)
		debug.SetGCPercent(during)
		end()
		if after := debug.SetGCPercent(standard); during != want || after != 33 {
			t.Errorf("GOGC=%q: %d %% during a run, %d %% after it, want %d and 33", gogc, during, after, want)
		}
	}
}

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
	if err != nil {
		t.Fatal(err)
	}
	if got := out.Fits[1].Reasons; out.Fits[1].Action != Errored || !strings.Contains(strings.Join(got, ""), `dataset "wide"`) || !strings.Contains(got[0], "hint: give it --memory ") {
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

func mustSelect(t *testing.T, term string) plan.Selector {
	t.Helper()
	s, err := plan.ParseSelector([]string{term})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := <-claimed; err != nil {
		t.Fatal(err)
	}
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
