package shard

import (
	"testing"
	"time"

	"glmbatch/pipelines/internal/progress"
)

// The time that a shard has left follows from the rates of running fits and the time of those that are done. One long fit
// has an estimate before it is done.
func TestEstimate(t *testing.T) {
	s := func(seconds float64) *float64 { return &seconds }
	sampling := progress.Running{Seconds: 100, SecondsLeft: s(300)}
	reading := progress.Running{Seconds: 1}
	for name, c := range map[string]struct {
		p     Progress
		since float64
		want  *float64
	}{
		"nothing is known":             {Progress{Fits: 3, Running: []progress.Running{reading}}, 1, nil},
		"one long fit":                 {Progress{Fits: 1, Running: []progress.Running{sampling}}, 100, s(300)},
		"one of three, alone":          {Progress{Fits: 3, Running: []progress.Running{sampling}}, 100, s(300 + 2*400)},
		"two of four, side by side":    {Progress{Fits: 4, Running: []progress.Running{sampling, sampling}}, 100, s(300 + 2*200)},
		"nine of ten are done":         {Progress{Fits: 10, Done: 9, Running: []progress.Running{reading}}, 90, s(10)},
		"a long one beside done ones":  {Progress{Fits: 10, Done: 9, Running: []progress.Running{sampling}}, 90, s(300)},
		"half are done, none begun":    {Progress{Fits: 10, Done: 5}, 50, s(50)},
		"all are done":                 {Progress{Fits: 10, Done: 10}, 50, s(0)},
		"more ended than were planned": {Progress{Fits: 1, Done: 2, Running: []progress.Running{sampling}}, 50, s(300)},
	} {
		c.p.estimate(time.Duration(c.since * float64(time.Second)))
		switch got := c.p.SecondsLeft; {
		case (got == nil) != (c.want == nil):
			t.Errorf("%s: %v, want %v", name, got, c.want)
		case got != nil && *got != *c.want:
			t.Errorf("%s: %v seconds, want %v", name, *got, *c.want)
		}
	}
}
