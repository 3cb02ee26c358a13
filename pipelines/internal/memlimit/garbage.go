package memlimit

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// garbage is the percentage of dead to live bytes during a run, half of Go's own measure: little of a large fit
// makes garbage, so that it costs no time, and 4 × 1000 draws of 7130 coefficients have a peak of 482 instead of
// 517 MB with the memory that expanding draws reuses. If few bytes are live it may be smallGarbage bytes: a run of
// small fits would otherwise spend a third of its time on collecting a few megabytes again and again.
const (
	garbage      = 50
	smallGarbage = 32 << 20
	maxGarbage   = 1600
)

// percent is the percentage of dead to live bytes, for live bytes.
func percent(live uint64) int {
	return int(min(max(garbage, 100*smallGarbage/max(live, 1)), maxGarbage))
}

// Frugal has the collector of the process leave that, unless GOGC is set, until end is called.
func Frugal() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(garbage)
	t := &tuning{last: garbage}
	t.watch()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = true
		debug.SetGCPercent(before)
	}
}

// tuning sets the share of garbage after each collection, until it has ended.
type tuning struct {
	mu    sync.Mutex
	ended bool
	last  int
}

// watch waits for the next collection, which finds an unreachable object.
func (t *tuning) watch() {
	runtime.AddCleanup(new([16]byte), (*tuning).collected, t)
}

func (t *tuning) collected() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if now := percent(live[0].Value.Uint64()); now != t.last {
		debug.SetGCPercent(now)
		t.last = now
	}
	t.watch()
}
