package draw

import (
	"fmt"
	"sync"
	"time"

	"glmbatch/internal/words"
)

// Stopwatch bounds how long a fit is worked on: it runs while at least one of the
// fit's parts is with a worker, so that waiting for others costs nothing.
type Stopwatch struct {
	Limit  time.Duration // 0: none
	Expire func()        // called once, when the limit is over

	mu      sync.Mutex
	running int
	spent   time.Duration // up to since
	since   time.Time
	timer   *time.Timer
}

// Run starts the watch for one part, until stop is called.
func (w *Stopwatch) Run() (stop func()) {
	if w.Limit == 0 {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running++; w.running == 1 {
		w.since = time.Now()
		w.timer = time.AfterFunc(w.Limit-w.spent, w.Expire)
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

// TimeoutError ends a fit that was worked on for longer than it may.
type TimeoutError struct {
	Limit time.Duration
	Kept  int // iterations of the shortest chain; -1 where they are unknown
}

// Error says what the next run does.
func (e *TimeoutError) Error() string {
	kept := "what was drawn is kept"
	if e.Kept >= 0 {
		kept = fmt.Sprintf("%d iterations per chain are kept", e.Kept)
	}
	return fmt.Sprintf("timeout: the fit was worked on for %s; %s", e.Limit, kept) +
		words.HintLine("the next run goes on from there; or give the fit a longer timeout")
}
