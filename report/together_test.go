package report

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/report/judge"
)

// contents is every row of the tables that fits leave rows in, as text, but of
// draws and statistics their sums.
func contents(t *testing.T, l *Ledger) string {
	t.Helper()
	var b strings.Builder
	must(t, l.Reading(t.Context(), func() error {
		rows(t, l, &b)
		return nil
	}))
	return b.String()
}

func rows(t *testing.T, l *Ledger, b *strings.Builder) {
	t.Helper()
	for _, table := range allTables {
		query := "SELECT x::VARCHAR FROM (FROM " + table + " ORDER BY ALL) x"
		switch table {
		case "draw":
			query = "SELECT {fit_id: fit_id, n: count(*), sum: sum(value * (parameter_id + 7 * chain + 31 * " +
				"iteration))}::VARCHAR FROM draw GROUP BY fit_id ORDER BY fit_id"
		case "chain":
			query = "SELECT {fit_id: fit_id, n: count(*), sum: sum(chain + 31 * iteration)}::VARCHAR FROM chain GROUP BY " +
				"fit_id ORDER BY fit_id"
		}
		for _, row := range textRows(t, l, query) {
			fmt.Fprintln(b, table, row)
		}
	}
}

// differ names the first line in which two contents differ.
func differ(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("there is\n%s\nwant\n%s", g[i], w[i])
			return
		}
	}
	if len(g) != len(w) {
		t.Errorf("%d rows, want %d", len(g), len(w))
	}
}

// manyFits are fits of different names, whose gates look at their predecessors.
func manyFits(prefix string, n int) []*Fit {
	fits := make([]*Fit, n)
	for i := range fits {
		fits[i] = sampleFit(fmt.Sprint(prefix, i))
		fits[i].Group = fmt.Sprint("g", i)
		fits[i].Gates.Drift.Shift.Fail = judge.At(0.5)
	}
	return fits
}

// storeOld stores one fit that is to be replaced, and predecessors that lie far
// from their successors.
func storeOld(t *testing.T, l *Ledger) {
	t.Helper()
	old := manyFits("old", 3)
	for _, f := range old {
		f.Created = night.AddDate(0, 0, -1)
		f.Summaries[1].Mean += 7
	}
	store(t, l, append(old, sampleFit("f1"))...)
}

// joined stores fits together and joins their errors.
func joined(ctx context.Context, fits []*Fit) func(*Session) error {
	return func(s *Session) error {
		_, errs := s.Fits(ctx, fits)
		return errors.Join(errs...)
	}
}

// Fits that are stored together leave the rows that they leave one by one,
// numbers included, also where one of them is there already.
func TestFitsTogether(t *testing.T) {
	ctx := context.Background()
	apart, joint := open(t, Options{}), open(t, Options{})
	for _, l := range []*Ledger{apart, joint} {
		storeOld(t, l)
	}
	store(t, apart, manyFits("f", 3)...)
	must(t, joint.Write(ctx, joined(ctx, manyFits("f", 3))))
	differ(t, contents(t, joint), contents(t, apart))
	wantInt(t, joint, 6*2000, "SELECT count(*) FROM draw")
	// the record of the fit that was replaced continues under its new number
	wantInt(t, joint, 4, "SELECT count(*) FROM fit JOIN run_fit USING (fit_id) WHERE fit.verdict = 'fail' AND "+
		"run_fit.verdict = 'fail' AND len(fit.reasons) = 2")
}

// withoutNumbers leaves the numbers of fits out, of which a second attempt takes
// new ones.
func withoutNumbers(contents string) string {
	return regexp.MustCompile(`'?fit_id'?: \d+`).ReplaceAllString(contents, "")
}

// Of fits that are stored together the one that cannot be is absent, with its
// own error, and the others are whole.
func TestFitsTogetherButOne(t *testing.T) {
	ctx := context.Background()
	for name, plant := range map[string]func(fits []*Fit){
		"draws error": func(fits []*Fit) {
			fits[1].DrawsOf = cut(fits[1].DrawsOf, 2, func(yield func(*infer.Columns, error) bool) { yield(nil, errPlanted) })
		},
		"shape": func(fits []*Fit) { fits[1].Summaries = fits[1].Summaries[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			l, want := open(t, Options{}), open(t, Options{})
			storeOld(t, l)
			storeOld(t, want)
			fits, good := manyFits("f", 3), manyFits("f", 3)
			store(t, want, good[0], good[2])
			plant(fits)
			must(t, l.Write(ctx, func(s *Session) error {
				_, errs := s.Fits(ctx, fits)
				if errs[0] != nil || errs[1] == nil || errs[2] != nil {
					t.Errorf("the errors are %v", errs)
				}
				return nil
			}))
			differ(t, withoutNumbers(contents(t, l)), withoutNumbers(contents(t, want)))
		})
	}
	// Two of one fingerprint are one fit, the later.
	l, twice := open(t, Options{}), manyFits("f", 2)
	twice[1].Fingerprint = twice[0].Fingerprint
	must(t, l.Write(ctx, joined(ctx, twice)))
	wantInt(t, l, 1, "SELECT count(*) FROM fit")
	wantInt(t, l, 1, "SELECT count(*) FROM fit WHERE key = 'g1'")
}

// An interrupted call leaves nothing.
func TestFitsTogetherInterrupted(t *testing.T) {
	l, fits := open(t, Options{}), manyFits("f", 3)
	storeOld(t, l)
	before := contents(t, l)
	ctx, cancel := context.WithCancel(context.Background())
	fits[2].DrawsOf = cut(fits[2].DrawsOf, 1,
		func(yield func(*infer.Columns, error) bool) { cancel(); yield(nil, errPlanted) })
	must(t, l.Write(context.Background(), func(s *Session) error {
		_, errs := s.Fits(ctx, fits)
		for _, err := range errs {
			if err == nil {
				t.Error("a fit was stored")
			}
		}
		return nil
	}))
	differ(t, contents(t, l), before)
}
