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
		{"reached at once, and confirmed", []Checked{{true, true}, {true, true}}, []Window{{250, 500}, {250, 750}}},
		{"mixed from the start", []Checked{{true, false}, {true, false}, {true, true}, {true, true}},
			[]Window{{250, 500}, {250, 1000}, {250, 2000}, {250, 3000}}},
		{"not confirmed", []Checked{{true, true}, {true, false}, {true, true}, {true, true}},
			[]Window{{250, 500}, {250, 750}, {250, 1000}, {250, 1500}}},
		{"not confirmed, for chains no longer agree", []Checked{{true, false}, {true, true}, {false, false}, {true, true},
			{true, true}}, []Window{{250, 500}, {250, 1000}, {250, 1500}, {500, 2000}, {500, 3000}}},
		{"older half becomes warm-up", []Checked{{false, false}, {false, false}, {true, false}},
			[]Window{{250, 500}, {250, 1000}, {500, 2000}, {500, 4000}}},
		{"never beyond max", []Checked{{}, {}, {}, {}, {}, {}, {}},
			[]Window{{250, 500}, {250, 1000}, {500, 2000}, {1000, 4000}, {2000, 8000}, {4000, 16000}}},
		{"confirmed as far as max goes", []Checked{{}, {}, {}, {}, {}, {true, true}, {true, false}},
			[]Window{{250, 500}, {250, 1000}, {500, 2000}, {1000, 4000}, {2000, 8000}, {4000, 16000}, {4000, 20000}}},
	} {
		if got := windows(s, c.checks...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Where max leaves no room, what holds is not confirmed. Chains that start from an earlier posterior count from their
// own first length; odd lengths are halved downwards.
func TestConfirmationHasItsRoom(t *testing.T) {
	held := Checked{true, true}
	for _, c := range []struct {
		name     string
		schedule Schedule
		checks   []Checked
		want     []Window
		ends     []int
	}{
		{"no room", Schedule{first: 500, max: 500}, []Checked{held}, []Window{{250, 500}}, []int{500}},
		{"no room at the last length", Schedule{first: 500, max: 1000}, []Checked{{}, held, held},
			[]Window{{250, 500}, {250, 1000}}, []int{500, 750, 1000}},
		{"little room", Schedule{first: 500, max: 600}, []Checked{held, {}}, []Window{{250, 500}, {250, 600}}, []int{500, 600}},
		{"warm", Schedule{first: 500, max: 2000, burn: 62}, []Checked{held, {}, held, held},
			[]Window{{62, 312}, {62, 468}, {156, 624}, {156, 936}}, []int{312, 468, 624, 936, 1248, 1872}},
		{"odd", Schedule{first: 25, max: 100}, []Checked{held, held}, []Window{{12, 25}, {12, 37}}, []int{25, 37, 50, 75, 100}},
	} {
		if got := windows(c.schedule, c.checks...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := c.schedule.Ends(); !slices.Equal(got, c.ends) {
			t.Errorf("%s: ends %v, want %v", c.name, got, c.ends)
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

// A fit that ended under one ceiling serves under another exactly where its chains end there too, whatever their checks
// found on the way to that end.
func TestEndsAlike(t *testing.T) {
	const first, longest = 4, 34
	at := []int{4, 6, 8, 12, 16, 24, 32} // lengths of checks; at a ceiling itself there is one more
	end := func(ceiling, other int, found uint) int {
		s := Schedule{first: first, max: ceiling}
		for w := s.Start(); ; {
			bit := slices.Index(at, w.To)
			if bit < 0 { // confirming at the ceiling
				bit = len(at)
				if ceiling > other {
					bit++
				}
			}
			next, done := s.Next(w, Checked{Reached: found>>bit&1 == 1})
			if done {
				return w.To
			}
			w = next
		}
	}
	for a := first; a <= longest; a++ {
		for b := first; b <= longest; b++ {
			if a == b {
				continue
			}
			all := map[int]bool{} // of the ends under a, whether each is one under b
			for found := range uint(1) << (len(at) + 2) {
				to := end(a, b, found)
				before, seen := all[to]
				all[to] = (!seen || before) && end(b, a, found) == to
			}
			for to, want := range all {
				if got := (Schedule{first: first, max: b}).endsAlike(to, a); got != want {
					t.Fatalf("chains that ended at %d of %d: alike under %d: %v, want %v", to, a, b, got, want)
				}
			}
		}
	}
}
