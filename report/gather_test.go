package report

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"testing"

	"glmbatch/infer"
)

// fragmentFiles are the files of fragmentsOf, each of which is made once.
var fragmentFiles = map[int][]byte{}

// fragmentsOf are ledgers of run r1 with two fits each, of which one is large enough for several pieces a chain.
func fragmentsOf(t *testing.T, n int) []*Fragment {
	t.Helper()
	var all []*Fragment
	for i := range n {
		l := open(t, Options{})
		all = append(all, &Fragment{File: l, Check: func(Contents) error { return nil }})
		if file, made := fragmentFiles[i]; made {
			must(t, os.WriteFile(l.path, file, 0o600))
			continue
		}
		var fits []*Fit
		for k, n := range []int{100, 600} {
			f := sampleFit(fmt.Sprintf("f%d%d", i, k))
			f.Group, f.Draws, f.DrawsOf, f.StatsOf = fmt.Sprintf("%d%d", i, k), n, movedBy(100*i+k, draws(5, 4, n, 2)), nil
			fits = append(fits, f)
		}
		store(t, l, fits...)
		file, err := os.ReadFile(l.path)
		must(t, err)
		fragmentFiles[i] = file
	}
	return all
}

// movedBy are draws that a number is added to.
func movedBy(by int, of iter.Seq2[*infer.Columns, error]) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range of {
			for i := range c.Values {
				c.Values[i] += float64(by)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// gathering loads fragments into a new ledger, so many together.
func gathering(t *testing.T, from []*Fragment, together int, partial bool) (*Ledger, error) {
	t.Helper()
	l := open(t, Options{})
	return l, l.Gather(t.Context(), Gathering{Run: &Run{ID: "r1", Started: night, Place: 1}, Fragments: from,
		Partial: partial, together: together, End: func(*Session) error { return nil }})
}

const gatheredBits = `SELECT md5(string_agg(concat_ws(',', key, parameter_id, chain, first, n, v::VARCHAR), ';' ORDER BY key,
	parameter_id, chain, first)) FROM draw_piece JOIN fit USING (fit_id)`

// However many fragments share a transaction, the ledger has the same content, and pieces may be in any order.
func TestGatherInGroups(t *testing.T) {
	from := fragmentsOf(t, 3)
	stranger(t, from[1].File, "CREATE TABLE other AS SELECT * FROM draw_piece ORDER BY chain DESC, parameter_id",
		"DELETE FROM draw_piece", "INSERT INTO draw_piece FROM other", "DROP TABLE other")
	var want string
	for together := 3; together > 0; together-- {
		l, err := gathering(t, from, together, false)
		must(t, err)
		if _, err := l.Verify(t.Context()); err != nil {
			t.Errorf("%d together: %v", together, err)
		}
		var got string
		one(t, l, gatheredBits, &got)
		if want == "" {
			want = got
		}
		counts := rowCounts(t, l)
		if got != want || !strings.Contains(counts, "fit 6\n") {
			t.Errorf("%d together: %s, want %s; %s", together, got, want, counts)
		}
	}
}

// A fault of a fragment is reported for that one; nothing is loaded, or with Partial, which half of the cases have,
// all the others.
func TestGatherRefuses(t *testing.T) {
	for statement, want := range map[string]string{
		"UPDATE draw_piece SET v = list_transform(v, lambda x, i: x + CASE WHEN i = 50 THEN 1e-12 ELSE 0 END) WHERE chain = 3": "draws of fit 1, pima/10",
		"UPDATE draw_piece SET n = 99 WHERE parameter_id = 5 AND chain = 4 AND fit_id = 2":                                     "draws of fit 2, pima/11",
		"DELETE FROM draw_piece WHERE fit_id = 2 AND first = 501":                                                              "draws of fit 2, pima/11",
		"INSERT INTO draw_piece FROM draw_piece WHERE fit_id = 1 AND chain = 2":                                                "draws of fit 1, pima/10",
		"UPDATE parameter SET checksum = NULL WHERE parameter_id = 4":                                                          "draws of fit 1",
		"DELETE FROM parameter WHERE parameter_id = 5":                                                                         "draws of fit 1",
		"DROP TABLE certificate CASCADE":                                                                                       "has no table certificate",
		"INSERT INTO schema_version VALUES (99, 'later', now()::TIMESTAMP)":                                                    "has schema version 99",
	} {
		partial := len(statement)/2%2 == 0
		from := fragmentsOf(t, 2)
		stranger(t, from[1].File, statement)
		l, err := gathering(t, from, 1+len(statement)%2, partial)
		fits := 0
		if partial {
			one(t, l, "SELECT count(*) FROM fit", &fits)
		} else if _, err := os.Stat(l.Path()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a ledger (%v)", statement, err)
		}
		if from[0].Err != nil || from[1].Err == nil || !strings.Contains(from[1].Err.Error(), want) {
			t.Errorf("%s: the fragments are said to be: %v; %v; want %q", statement, from[0].Err, from[1].Err, want)
		}
		if partial && (err != nil || fits != 2) || !partial && (!errors.Is(err, ErrFragments) || fits != 0) {
			t.Errorf("%s: partial %t: %v, and %d fits", statement, partial, err, fits)
		}
	}
}
