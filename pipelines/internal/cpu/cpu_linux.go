package cpu

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Timer measures the processor time of the calling goroutine's thread, to
// which it binds the goroutine until Stop: what one core needed, whatever else
// the machine was doing. Garbage collection on other threads is not in it.
type Timer struct{ began time.Duration }

// Start begins to measure.
func Start() Timer {
	runtime.LockOSThread()
	return Timer{threadTime()}
}

// Lap returns the processor time since the start or the last lap.
func (t *Timer) Lap() time.Duration {
	now := threadTime()
	d := now - t.began
	t.began = now
	return d
}

// Stop ends the measurement.
func (t *Timer) Stop() { runtime.UnlockOSThread() }

func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic("cpu: the kernel has no thread clock: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
