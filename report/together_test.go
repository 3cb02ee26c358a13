package report

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// contents is every row of the tables that fits leave rows in, as text.
func contents(t *testing.T, l *Ledger) string {
	t.Helper()
	var b strings.Builder
	for _, table := range allTables {
		for _, row := range textRows(t, l, "SELECT x::VARCHAR FROM "+table+" x ORDER BY ALL") {
			fmt.Fprintln(&b, table, row)
		}
	}
	return b.String()
}

// manyFits are fits of different names, one of which replaces a stored one.
func manyFits(n int) []*Fit {
	fits := make([]*Fit, n)
	for i := range fits {
		fits[i] = sampleFit(fmt.Sprint("f", i))
		fits[i].Group = fmt.Sprint("g", i)
	}
	return fits
}

// Fits that are stored together leave the rows that they leave one by one,
// numbers included, also where one of them is there already.
func TestFitsTogether(t *testing.T) {
	ctx := context.Background()
	apart, joint := open(t, Options{}), open(t, Options{})
	for _, l := range []*Ledger{apart, joint} {
		store(t, l, sampleFit("f1"))
	}
	store(t, apart, manyFits(3)...)
	must(t, joint.Write(ctx, func(s *Session) error { return errors.Join(s.Fits(ctx, manyFits(3))...) }))
	if a, j := contents(t, apart), contents(t, joint); a != j {
		t.Errorf("together\n%s\none by one\n%s", j, a)
	}
	wantInt(t, joint, 3*2000, "SELECT count(*) FROM draw")
}

// Of fits that are stored together the one that cannot be is absent, with its
// own error, and the others are whole.
func TestFitsTogetherButOne(t *testing.T) {
	ctx := context.Background()
	for name, plant := range map[string]func(fits []*Fit){
		"draws error": func(fits []*Fit) {
			fits[1].DrawsOf = cut(fits[1].DrawsOf, 2, func(yield func(*Columns, error) bool) { yield(nil, errPlanted) })
		},
		"statistics error": func(fits []*Fit) { fits[1].StatsOf = func(yield func(*Stats, error) bool) { yield(nil, errPlanted) } },
		"design":           func(fits []*Fit) { fits[1].Design = []byte("{") },
		"shape":            func(fits []*Fit) { fits[1].Summaries = fits[1].Summaries[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			l, want := open(t, Options{}), open(t, Options{})
			fits := manyFits(3)
			store(t, want, fits[0], fits[2])
			plant(fits)
			must(t, l.Write(ctx, func(s *Session) error {
				errs := s.Fits(ctx, fits)
				if errs[0] != nil || errs[1] == nil || errs[2] != nil {
					t.Errorf("the errors are %v", errs)
				}
				return nil
			}))
			if got, want := rowCounts(t, l), rowCounts(t, want); got != want {
				t.Errorf("rows\n%s\nwant\n%s", got, want)
			}
			wantInt(t, l, 2, "SELECT count(*) FROM fit JOIN (SELECT DISTINCT fit_id FROM draw) USING (fit_id)")
		})
	}
	// Two of one fingerprint are one fit, the later.
	l, twice := open(t, Options{}), manyFits(2)
	twice[1].Fingerprint = twice[0].Fingerprint
	must(t, l.Write(ctx, func(s *Session) error { return errors.Join(s.Fits(ctx, twice)...) }))
	wantInt(t, l, 1, "SELECT count(*) FROM fit")
	wantInt(t, l, 1, "SELECT count(*) FROM fit WHERE key = 'g1'")
}

// What is interrupted leaves nothing.
func TestFitsTogetherInterrupted(t *testing.T) {
	l, fits := open(t, Options{}), manyFits(3)
	store(t, l, sampleFit("f1"))
	before := contents(t, l)
	ctx, cancel := context.WithCancel(context.Background())
	fits[2].DrawsOf = cut(fits[2].DrawsOf, 1, func(yield func(*Columns, error) bool) { cancel(); yield(nil, errPlanted) })
	must(t, l.Write(context.Background(), func(s *Session) error {
		for _, err := range s.Fits(ctx, fits) {
			if err == nil {
				t.Error("a fit was stored")
			}
		}
		return nil
	}))
	if after := contents(t, l); after != before {
		t.Errorf("it left\n%s\nwhere there was\n%s", after, before)
	}
}
