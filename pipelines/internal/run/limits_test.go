package run

import (
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

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
	bounded.Memory = 128e6
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
