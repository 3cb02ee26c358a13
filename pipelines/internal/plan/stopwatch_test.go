package plan

import (
	"testing"
	"time"
)

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
