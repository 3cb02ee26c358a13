package run

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// memory says what a run may take. Nothing that it decides changes a bit: fits wait
// for each other, or are refused.
type memory struct {
	limit   int64 // of the process; 0 for none
	workers int
}

// What a run needs besides its fits, and how much of the rest the ledger's engine
// may have.
const (
	ownMemory    = 64 << 20
	engineShare  = 4
	engineMost   = 1e9
	engineDigits = 10
)

// garbage is what may be dead beside 100 bytes that live while a run is on, half of
// Go's own measure: little of a run makes garbage, so that it costs no time, and 4 ×
// 1000 draws of 7130 coefficients have a peak of 482 in place of 517 MB with what expanding draws reuses.
const garbage = 50

// frugal begins that, unless GOGC is set; the caller ends it.
func frugal() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(garbage)
	return func() { debug.SetGCPercent(before) }
}

// engine is the memory of the ledger's engine, as it takes it; empty for its own
// default.
func (m memory) engine() string {
	if m.limit == 0 {
		return ""
	}
	return strconv.FormatInt(m.engineBytes()/1e6, engineDigits) + "MB"
}

func (m memory) engineBytes() int64 { return min(engineMost, m.limit/engineShare) }

// flight is what fits may take side by side.
func (m memory) flight() int64 {
	if m.limit == 0 {
		return flightBytes
	}
	return m.limit - m.engineBytes() - ownMemory
}

// need estimates the memory of one fit with so many stored entries of its design:
// the design, as much again for a basis or its factors, each chain's state, blocks
// of those that are drawn, summaries.
func (m memory) need(entries int64, rows, columns, chains int) int64 {
	n, p, c := int64(rows), int64(columns), int64(chains)
	const perColumn, vectors = 1 << 10, 4
	return 2*8*entries + c*vectors*8*(n+p) + min(c, int64(m.workers))*2*blockBytes + perColumn*p
}

// unit is the weight of a unit of the run with so many fits: its table, and what
// the fits need. One that is too heavy flies alone, and its fits are refused once
// their design tells.
func (m memory) unit(bytes, rows, columns int64, fits, chains int) int64 {
	weight := 2 * bytes
	if m.limit > 0 {
		weight = bytes + int64(fits)*m.need(bytes/8, int(rows), int(columns), chains)
	}
	return min(m.flight(), weight)
}

// refuse is an error if a fit cannot do with the limit.
func (m memory) refuse(entries int64, rows, columns, chains int) error {
	if m.limit == 0 {
		return nil
	}
	need, have := m.need(entries, rows, columns, chains)+8*entries, m.flight()
	if need <= have {
		return nil
	}
	enough := (need+ownMemory)*engineShare/(engineShare-1)/1e6 + 1
	return words.Hint(fmt.Errorf("%d rows × %d columns with %d chains need about %s, and the run may take %s, of which fits get %s", rows, columns, chains, spec.Bytes(need), spec.Bytes(m.limit), spec.Bytes(have)),

		fmt.Sprintf("give it --memory %dMB, or fit fewer rows or columns", enough))
}

// stopwatch bounds how long a fit is worked on: it runs while at least one of the
// fit's parts is with a worker, so that waiting for others costs nothing.
type stopwatch struct {
	limit  time.Duration // 0: none
	expire func()        // called once, when the limit is over

	mu      sync.Mutex
	running int
	spent   time.Duration // up to since
	since   time.Time
	timer   *time.Timer
}

// run starts the watch for one part, until stop is called.
func (w *stopwatch) run() (stop func()) {
	if w.limit == 0 {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running++; w.running == 1 {
		w.since = time.Now()
		w.timer = time.AfterFunc(w.limit-w.spent, w.expire)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running--; w.running == 0 {
			w.timer.Stop()
			w.spent += time.Since(w.since)
		}
	}
}

// timeoutError ends a fit that was worked on for longer than it may.
type timeoutError struct {
	limit time.Duration
	kept  int // iterations of the shortest chain; -1 where they are unknown
}

func (e *timeoutError) Error() string {
	kept := "what was drawn is kept"
	if e.kept >= 0 {
		kept = fmt.Sprintf("%d iterations per chain are kept", e.kept)
	}
	return fmt.Sprintf("timeout: the fit was worked on for %s; %s", e.limit, kept) +
		words.HintLine("the next run goes on from there; or give the fit a longer timeout")
}
