//go:build !linux

package cpu

import "time"

// Timer measures elapsed time where there is no clock of a thread's
// processor time.
type Timer struct{ began time.Time }

// Start begins to measure.
func Start() Timer { return Timer{time.Now()} }

// Lap returns the time since the start or the last lap.
func (t *Timer) Lap() time.Duration {
	now := time.Now()
	d := now.Sub(t.began)
	t.began = now
	return d
}

// Stop ends the measurement.
func (t *Timer) Stop() {}
