package draw

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

// Parts run on the caller's worker and on those that are free, all of which are free again afterwards; none waits
// for one that is not.
func TestSpareWorkers(t *testing.T) {
	for _, busy := range []int{0, 1, 2} {
		w := make(Workers, 3)
		for range busy + 1 {
			if err := w.Acquire(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		var others, begun, done atomic.Int64
		met := make(chan bool)
		w.Spare(&others)(3-busy, func(int) { // each part waits for all of them
			if begun.Add(1) == int64(3-busy) {
				close(met)
			}
			<-met
			done.Add(1)
		})
		if got := done.Load(); got != int64(3-busy) || len(w) != busy+1 {
			t.Errorf("%d of %d workers busy: %d parts done, %d workers taken", busy, 3, got, len(w))
		}
		if took := others.Load(); took > 0 != (busy < 2) {
			t.Errorf("%d of %d workers busy: others took %d ns", busy, 3, took)
		}
	}
}

// A part that panics ends in the caller's panic, whichever worker carried it out.
func TestSparePanics(t *testing.T) {
	w := make(Workers, 2)
	w <- struct{}{}
	defer func() {
		if p := recover(); p != "part" || len(w) != 1 {
			t.Errorf("recovered %v with %d workers taken", p, len(w))
		}
	}()
	var others, begun atomic.Int64
	w.Spare(&others)(2, func(int) {
		if begun.Add(1) == 2 { // mostly the other worker, which ends last
			time.Sleep(20 * time.Millisecond)
		}
		for begun.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		panic("part")
	})
}
