package plan

import (
	"slices"
	"testing"
)

func windows(s Schedule, checks ...Checked) []Window {
	w := s.Start()
	out := []Window{w}
	for _, c := range checks {
		var done bool
		if w, done = s.Next(w, c); done {
			break
		}
		out = append(out, w)
	}
	return out
}

func TestScheduleGrowsByDoubling(t *testing.T) {
	var not Checked
	for most, last := range map[int]int{3999: 2000, 4000: 4000, 4001: 4000} {
		all := windows(Schedule{first: 500, max: most}, not, not, not, not)
		if got := all[len(all)-1].To; got != last {
			t.Errorf("at most %d iterations: the longest chains have %d, want %d", most, got, last)
		}
	}
	s := Schedule{first: 500, max: 20000}
	for _, c := range []struct {
		name   string
		checks []Checked
		want   []Window
	}{
		{"reached at once", []Checked{{true, true}}, []Window{{250, 500}}},
		{"mixed from the start", []Checked{{true, false}, {true, false}, {true, true}},
			[]Window{{250, 500}, {250, 1000}, {250, 2000}}},
		{"older half becomes warm-up", []Checked{{false, false}, {false, false}, {true, false}},
			[]Window{{250, 500}, {250, 1000}, {500, 2000}, {500, 4000}}},
		{"never beyond max", []Checked{{}, {}, {}, {}, {}, {}, {}},
			[]Window{{250, 500}, {250, 1000}, {500, 2000}, {1000, 4000}, {2000, 8000}, {4000, 16000}}},
	} {
		if got := windows(s, c.checks...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestScheduleOfFixedLengthChecksOnce(t *testing.T) {
	s := Schedule{fixedWarmup: 100, fixedDraws: 300, max: 1 << 30}
	if got := windows(s, Checked{}, Checked{}); !slices.Equal(got, []Window{{100, 400}}) {
		t.Errorf("windows %v, want one of [100, 400)", got)
	}
	if s.Warmup() != 100 {
		t.Errorf("warm-up %d, want 100", s.Warmup())
	}
}
