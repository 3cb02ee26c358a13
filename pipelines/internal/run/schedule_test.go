package run

import (
	"slices"
	"testing"
)

func windows(s schedule, checks ...checked) []window {
	w := s.start()
	out := []window{w}
	for _, c := range checks {
		var done bool
		if w, done = s.next(w, c); done {
			break
		}
		out = append(out, w)
	}
	return out
}

func TestScheduleGrowsByDoubling(t *testing.T) {
	s := schedule{first: 500, max: 20000}
	for _, c := range []struct {
		name   string
		checks []checked
		want   []window
	}{
		{"reached at once", []checked{{true, true}}, []window{{250, 500}}},
		{"mixed from the start", []checked{{true, false}, {true, false}, {true, true}},
			[]window{{250, 500}, {250, 1000}, {250, 2000}}},
		{"older half becomes warm-up", []checked{{false, false}, {false, false}, {true, false}},
			[]window{{250, 500}, {250, 1000}, {500, 2000}, {500, 4000}}},
		{"never beyond max", []checked{{}, {}, {}, {}, {}, {}, {}},
			[]window{{250, 500}, {250, 1000}, {500, 2000}, {1000, 4000}, {2000, 8000}, {4000, 16000}}},
	} {
		if got := windows(s, c.checks...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestScheduleOfFixedLengthChecksOnce(t *testing.T) {
	s := schedule{fixedWarmup: 100, fixedDraws: 300, max: 1 << 30}
	if got := windows(s, checked{}, checked{}); !slices.Equal(got, []window{{100, 400}}) {
		t.Errorf("windows %v, want one of [100, 400)", got)
	}
	if s.warmup() != 100 {
		t.Errorf("warm-up %d, want 100", s.warmup())
	}
}
