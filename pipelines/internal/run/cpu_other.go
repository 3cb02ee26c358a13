//go:build !linux

package run

import "time"

// cpuTimer measures elapsed time where there is no clock of a thread's
// processor time.
type cpuTimer struct{ began time.Time }

func startTimer() cpuTimer { return cpuTimer{time.Now()} }

func (t *cpuTimer) lap() time.Duration {
	now := time.Now()
	d := now.Sub(t.began)
	t.began = now
	return d
}

func (t *cpuTimer) stop() {}
