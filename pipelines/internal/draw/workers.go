package draw

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/cpu"
	"glmbatch/pipelines/internal/plan"
)

// Workers is a counting semaphore over everything that computes. Its capacity is at least 1.
type Workers chan struct{}

// Acquire waits for a worker. Its error is that of ctx.
func (w Workers) Acquire(ctx context.Context) error {
	select {
	case w <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Release gives a worker back.
func (w Workers) Release() { <-w }

// Work calls fn on one worker, while the watch runs.
func (w Workers) Work(ctx context.Context, watch *plan.Stopwatch, fn func() error) error {
	if err := w.Acquire(ctx); err != nil {
		return err
	}
	defer w.Release()
	defer watch.Run()()
	return fn()
}

// Spare carries out parts on the worker that calls it, and on those that are free at that moment. Their processor
// time, in nanoseconds, is added to others. A part's panic is that of the caller.
func (w Workers) Spare(others *atomic.Int64) infer.Parallel {
	return func(parts int, do func(part int)) {
		var next atomic.Int64
		all := func() {
			for i := next.Add(1) - 1; i < int64(parts); i = next.Add(1) - 1 {
				do(int(i))
			}
		}
		var group sync.WaitGroup
		var failed atomic.Pointer[any]
		for i := 1; i < parts && w.tryAcquire(); i++ {
			group.Go(func() {
				defer w.Release()
				timer := cpu.Start()
				defer func() {
					others.Add(int64(timer.Lap()))
					timer.Stop()
					if p := recover(); p != nil {
						failed.Store(&p)
					}
				}()
				all()
			})
		}
		func() {
			defer group.Wait() // of parts that continue when the caller's own has panicked
			all()
		}()
		if p := failed.Load(); p != nil {
			panic(*p)
		}
	}
}

// tryAcquire takes a worker that is free, and reports whether there was one.
func (w Workers) tryAcquire() bool {
	select {
	case w <- struct{}{}:
		return true
	default:
		return false
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
