package plan

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// Stopwatch limits how long a piece of work takes. It runs while at least one part of the work runs, so that waiting
// does not count.
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
	w.start()
	return w.stop
}

func (w *Stopwatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running++; w.running == 1 {
		w.since = time.Now()
		w.timer = time.AfterFunc(w.Limit-w.spent, w.Expire)
	}
}

func (w *Stopwatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running--; w.running == 0 {
		w.timer.Stop()
		w.spent += time.Since(w.since)
	}
}

// timed returns a context in which a file or query of a data set is read: it ends after the longest timeout of the
// chosen fits of the data set, not counting the time in which one of the sources waits for memory. A source may be nil.
// The caller calls done with the error of the reading. It returns an error of its own if the time was over, and the
// same error otherwise.
func (r *Reader) timed(ctx context.Context, ds *spec.Dataset, sources ...*ingest.Source) (timed context.Context,
	done func(error) error) {
	limit := r.timeout(ds)
	if limit == 0 {
		return ctx, func(err error) error { return err }
	}
	timed, cancel := context.WithCancelCause(ctx)
	late := words.Hint(fmt.Errorf("timeout: reading the data took longer than %s", limit),
		"read less, or give its fits a longer timeout: run: {timeout: …}")
	watch := &Stopwatch{Limit: limit, Expire: func() { cancel(late) }}
	watch.start()
	for _, s := range sources {
		if s == nil || s.Claim == nil {
			continue
		}
		claim := s.Claim
		s.Claim = func(bytes int64) error {
			watch.stop()
			defer watch.start()
			return claim(bytes)
		}
	}
	return timed, func(err error) error {
		watch.stop()
		if err != nil && errors.Is(context.Cause(timed), late) {
			err = late
		}
		cancel(nil)
		return err
	}
}

// timeout is the longest timeout of the chosen fits of a data set; 0 if one of them has none.
func (r *Reader) timeout(ds *spec.Dataset) time.Duration {
	longest := time.Duration(0)
	for _, ref := range r.Pipeline.Fits() {
		if ref.Dataset != ds || !r.Choice.model(ds.Name, ref.Model.Name, ref.Sampler.Name) {
			continue
		}
		if ref.Timeout == 0 {
			return 0
		}
		longest = max(longest, ref.Timeout)
	}
	return longest
}
