package memlimit

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// Garbage is kept short while a run is on, unless its user has set GOGC.
func TestFrugal(t *testing.T) {
	for gogc, want := range map[string]int{"": garbage, "70": 33} {
		t.Setenv("GOGC", gogc)
		standard := debug.SetGCPercent(33)
		end := Frugal()
		during := debug.SetGCPercent(garbage)
		debug.SetGCPercent(during)
		end()
		if after := debug.SetGCPercent(standard); during != want || after != 33 {
			t.Errorf("GOGC=%q: %d %% during a run, %d %% after it, want %d and 33", gogc, during, after, want)
		}
	}
}

// If few bytes are live a run may make garbage for a while; if many, half of that.
func TestLittleHeapsAreSeldomCollected(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, maxGarbage}, {smallGarbage / 2, 200}, {smallGarbage, 100}, {2 * smallGarbage, garbage}, {100 * smallGarbage, garbage}} {
		if got := percent(c.live); got != c.want {
			t.Errorf("beside %d bytes %d %%, want %d", c.live, got, c.want)
		}
	}
	t.Setenv("GOGC", "")
	defer Frugal()()
	runtime.GC()
	time.Sleep(100 * time.Millisecond) // work after a collection runs while the test does
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 16 {
		for range 16 {
			sink = make([]byte, 1<<20)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n > 256<<20/(smallGarbage/2) {
		t.Errorf("%d collections of 256 MB of garbage", n)
	}
}

var sink []byte
