package run

import (
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
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

func mustSelect(t *testing.T, term string) Selector {
	t.Helper()
	s, err := ParseSelector([]string{term})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a hint says would do does, and the smallest limit leaves something.
func TestMemoryEstimates(t *testing.T) {
	for _, rows := range []int{10, 1000, 1_000_000, 5_000_000} {
		for _, columns := range []int{1, 20, 100_000} {
			small := memory{limit: 128e6, workers: 2}
			err := small.refuse(int64(rows*columns), rows, columns, 4)
			if err == nil {
				continue
			}
			_, hint, _ := strings.Cut(err.Error(), "--memory ")
			digits, _, _ := strings.Cut(hint, "MB")
			enough := memory{limit: parseInt(t, digits) * 1e6, workers: 2}
			if err := enough.refuse(int64(rows*columns), rows, columns, 4); err != nil {
				t.Errorf("%d × %d: the hint of %s MB would not do: %v", rows, columns, digits, err)
			}
		}
	}
	if none := (memory{workers: 2}); none.refuse(1<<50, 1<<30, 1<<20, 4) != nil || none.engine() != "" {
		t.Error("a limit where there is none")
	}
	if least := (memory{limit: 128e6, workers: 2}); least.refuse(1000, 100, 10, 4) != nil || least.engine() != "32MB" {
		t.Errorf("the least limit: %v, engine %s", least.refuse(1000, 100, 10, 4), least.engine())
	}
}

func parseInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
