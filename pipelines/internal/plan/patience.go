package plan

import (
	"context"
	"time"
)

// Patience is how long a run that is stopped waits for the reading of a file, and for all of a fit but its
// iterations. Work that cannot be interrupted is abandoned: its goroutine continues to its next look at the
// context, and nothing waits for it. It may be left anywhere since it could be killed anywhere.
const Patience = 500 * time.Millisecond

// Unless runs fn in a goroutine of its own and waits for it, but no longer than
// patience after ctx has ended. left says that fn was not waited for; its result
// then goes nowhere.
func Unless[T any](ctx context.Context, patience time.Duration, fn func() T) (result T, left bool) {
	done := make(chan T, 1)
	go func() { done <- fn() }()
	select {
	case result = <-done:
		return result, false
	case <-ctx.Done():
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case result = <-done:
		return result, false
	case <-timer.C:
		return result, true
	}
}
