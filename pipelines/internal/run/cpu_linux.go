package run

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTimer measures the processor time of the calling goroutine's thread, to
// which it binds the goroutine until stop: what one core needed, whatever else
// the machine was doing. Garbage collection on other threads is not in it.
type cpuTimer struct{ began time.Duration }

func startTimer() cpuTimer {
	runtime.LockOSThread()
	return cpuTimer{threadTime()}
}

// lap returns the processor time since the start or the last lap.
func (t *cpuTimer) lap() time.Duration {
	now := threadTime()
	d := now - t.began
	t.began = now
	return d
}

func (t *cpuTimer) stop() { runtime.UnlockOSThread() }

func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic("run: the kernel has no thread clock: " + err.Error())
	}
	return time.Duration(ts.Nano())
}
