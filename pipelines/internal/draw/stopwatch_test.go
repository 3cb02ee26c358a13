package draw

import (
	"testing"
	"time"

	"glmbatch/pipelines/internal/plan"
)

// A block has at most 1024 draws and the bytes of a block, one draw at least, and where
// it has 128 or more it ends with a refresh of a kernel, after which states are small.
func TestBlockSize(t *testing.T) {
	for params, want := range map[int]int{1: 1024, 100: 1024, plan.BlockBytes / 8 / 300: 256,
		plan.BlockBytes / 8 / 127: 127, plan.BlockBytes / 8: 1, plan.BlockBytes: 1} {
		n := blockSize(params)
		if n > 1 && 8*n*params > plan.BlockBytes || n >= 128 && n%128 != 0 {
			t.Errorf("%d numbers a draw: blocks of %d draws", params, n)
		}
		if n != want {
			t.Errorf("%d numbers a draw: blocks of %d draws, want %d", params, n, want)
		}
	}
}

// The watch of a timeout runs while a part of the fit does, once for all parts.
func TestStopwatch(t *testing.T) {
	expired := make(chan struct{})
	w := &Stopwatch{Limit: time.Hour, Expire: func() { close(expired) }}
	first, second := w.Run(), w.Run()
	w.since = w.since.Add(-time.Minute)
	first()
	if w.spent != 0 {
		t.Errorf("stopped while a part runs: %v", w.spent)
	}
	second()
	if w.spent < time.Minute || w.spent > 2*time.Minute {
		t.Errorf("two parts side by side of a minute cost %v", w.spent)
	}
	w.spent = w.Limit
	defer w.Run()()
	<-expired
	none := &Stopwatch{}
	none.Run()()
}
