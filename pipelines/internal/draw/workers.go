package draw

import "context"

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
func (w Workers) Work(ctx context.Context, watch *Stopwatch, fn func() error) error {
	if err := w.Acquire(ctx); err != nil {
		return err
	}
	defer w.Release()
	defer watch.Run()()
	return fn()
}
