package report

import (
	"context"
	"fmt"
	"testing"
	"time"

	"glmbatch/report/judge"
)

// clocks are the times of the clock in four runs, in hours from the first.
var clocks = map[string][4]int{
	"back a day":              {0, 24, 0, 24},
	"stands still":            {0, 0, 0, 0},
	"a year forward and back": {0, 24 * 365, 24, 48},
}

// The order of runs, and not a clock that jumps between them, determines which fit is newest, its predecessor, and
// the fits that prune keeps.
func TestOrderOfNights(t *testing.T) {
	for name, hours := range clocks {
		t.Run(name, func(t *testing.T) {
			l, ctx := open(t, Options{}), context.Background()
			must(t, l.Write(ctx, func(s *Session) error {
				for n, h := range hours {
					at := night.Add(time.Duration(h) * time.Hour)
					f := nightFit(n, func(f *Fit) { f.Place, f.Created, f.RunID = 0, at, fmt.Sprint("run ", n) })
					f.Verdict.Grade = []judge.Grade{judge.Pass, judge.Fail, judge.Pass, judge.Fail}[n]
					if err := s.Run(ctx, &Run{ID: f.RunID, Pipeline: "p", Started: at}); err != nil {
						return err
					}
					if _, err := s.Fit(ctx, f); err != nil {
						return err
					}
				}
				return nil
			}))
			const order = "SELECT string_agg(fingerprint, ' ' ORDER BY fit_id) FROM fit"
			if got := textOf(t, l, "SELECT fingerprint FROM latest"); got != "f3" {
				t.Errorf("the latest fit is %s, want f3", got)
			}
			pairs := `SELECT string_agg(f.fingerprint || ' after ' || g.fingerprint, ', ' ORDER BY f.fit_id) FROM predecessor p
				JOIN fit f ON f.fit_id = p.fit_id JOIN fit g ON g.fit_id = p.previous_fit_id`
			if got, want := textOf(t, l, pairs), "f1 after f0, f2 after f1, f3 after f2"; got != want {
				t.Errorf("%s; want %s", got, want)
			}
			drifts, err := l.Drifts(ctx, "p", 2)
			must(t, err)
			if len(drifts) != 2 || drifts[0].ID != 4 || drifts[1].ID != 3 {
				t.Errorf("the newest of %d nights: fit %d after %d, want 4 after 3, then 3", len(drifts), drifts[0].ID,
					drifts[0].Previous)
			}
			states, err := l.States(ctx, "p")
			must(t, err)
			last, err := l.LastRun(ctx, "p")
			must(t, err)
			key := Key{Dataset: "d", Group: "g", Model: "m", Sampler: "a"}
			if states[key] != judge.Fail || last[key] != judge.Fail || len(last) != 1 {
				t.Errorf("states %v, last run %v: want those of the fourth run", states, last)
			}
			place, err := l.NextPlace(ctx)
			must(t, err)
			if place <= 4 {
				t.Errorf("the next run has place %d", place)
			}
			_, err = l.Prune(ctx, "", 2)
			must(t, err)
			if got := textOf(t, l, order); got != "f2 f3" {
				t.Errorf("prune kept %s, want f2 f3", got)
			}
		})
	}
}

// A fit that waited for a held ledger is loaded after a later run's, and is still
// the older one: its run's place says so, or of runs side by side the clock.
func TestOrderOfLateFits(t *testing.T) {
	for name, place := range map[string]int{"behind an earlier place": 3, "side by side, by the clock": 4} {
		t.Run(name, func(t *testing.T) {
			l := open(t, Options{})
			waited := nightFit(1, func(f *Fit) { f.Place = place })
			later := nightFit(2, func(f *Fit) { f.Place = 4 })
			store(t, l, later, waited)
			if got := textOf(t, l, "SELECT fingerprint FROM latest"); got != "f2" {
				t.Errorf("the latest fit is %s, want the later night's", got)
			}
			wantInt(t, l, 2, "SELECT previous_fit_id FROM predecessor WHERE fit_id = 1")
		})
	}
}

// Times are UTC, and the cookbook's week is the same in every zone of the engine: a
// fit of six days and twenty hours ago is of it, one of seven days and four hours
// is not.
func TestWeekInEveryZone(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	now := time.Now()
	inside := nightFit(1, func(f *Fit) { f.Created = now.Add(-164 * time.Hour).In(time.FixedZone("west", -10*3600)) })
	outside := nightFit(2, func(f *Fit) { f.Created = now.Add(-172 * time.Hour) })
	store(t, l, inside, outside)
	for _, zone := range []string{"UTC", "Pacific/Auckland", "America/Los_Angeles"} {
		must(t, l.Write(ctx, func(s *Session) error { // readers have their settings locked
			if err := execute(ctx, s.c, "SET TimeZone = '"+zone+"'"); err != nil {
				return err
			}
			var got string
			err := s.c.QueryRowContext(ctx, `SELECT string_agg(fingerprint, ' ') FROM fit
				WHERE created > make_timestamp(epoch_us(now())) - INTERVAL 7 DAYS`).Scan(&got)
			if got != "f1" {
				t.Errorf("in %s the week has %q, want f1", zone, got)
			}
			return err
		}))
	}
}
