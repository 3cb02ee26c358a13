package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"glmbatch/report/judge"
)

// nights stores n complete fits of one name and an error, a day apart.
func nights(t *testing.T, l *Ledger, n int) {
	t.Helper()
	for i := range n {
		f := sampleFit(fmt.Sprintf("night-%d", i))
		f.Created = f.Created.AddDate(0, 0, i)
		f.Identity = []byte(fmt.Sprintf(`{"seed":%d}`, i))
		store(t, l, f)
	}
	store(t, l, &Fit{Key: sampleFit("").Key, RunID: "r", Pipeline: "quickstart", Status: Erred, Error: "no file",
		Created: time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC),
		Verdict: judge.Verdict{Grade: judge.ErrorGrade}})
}

func TestPrune(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	nights(t, l, 4)
	must(t, l.Write(ctx, func(s *Session) error {
		return errors.Join(execute(ctx, s.c, "CREATE TABLE mine AS SELECT 42 AS a"),
			execute(ctx, s.c, "CREATE VIEW my_view AS SELECT * FROM mine"))
	}))
	must(t, os.Chmod(l.path, 0o600))
	const digest = `SELECT md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY fit_id, parameter_id, chain, iteration))
		FROM draw JOIN fit USING (fit_id) WHERE fingerprint IN ('night-2', 'night-3')`
	before := textOf(t, l, digest)
	got, err := l.Prune(ctx, "", 2)
	must(t, err)
	if got.Removed != 2 || got.Kept != 3 || got.After <= 0 || got.After > got.Before {
		t.Errorf("pruned %+v, want 2 fits removed, 3 kept, and no larger file", got)
	}
	if after := textOf(t, l, digest); after != before {
		t.Errorf("draws of the kept fits: %s, want %s", after, before)
	}
	wantInt(t, l, 2, "SELECT count(*) FROM fit WHERE fingerprint IN ('night-2', 'night-3')")
	for _, table := range fitTables {
		wantInt(t, l, 0, "SELECT count(*) FROM "+table+" WHERE fit_id IS NOT NULL AND fit_id NOT IN (SELECT fit_id FROM fit)")
	}
	wantInt(t, l, 5, "SELECT count(*) FROM run_fit") // history stays
	wantInt(t, l, 42, "SELECT a FROM my_view")
	wantInt(t, l, len(migrations), "SELECT max(version) FROM schema_version")
	wantInt(t, l, 1, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'fit' AND comment IS NOT NULL")
	again, err := Open(l.path, Options{}) // its views are still the program's own
	must(t, err)
	wantInt(t, again, 3, "SELECT count(*) FROM fit")
	store(t, l, sampleFit("after")) // numbers continue
	wantInt(t, l, 0, "SELECT count(*) - count(DISTINCT fit_id) FROM fit")
	if info, err := os.Stat(l.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want that of the old file", info.Mode(), err)
	}
	left, err := filepath.Glob(l.path + ".*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A ledger that another writes to while it is copied is left as it is.
func TestPruneMeetsAWriter(t *testing.T) {
	l := open(t, Options{})
	nights(t, l, 1)
	copied, err := os.Stat(l.path)
	must(t, err)
	must(t, os.WriteFile(l.path+".prune", []byte("copy"), 0o644))
	store(t, l, sampleFit("meanwhile"))
	var locked *LockedError
	if err := l.replace(l.path+".prune", copied); !errors.As(err, &locked) {
		t.Errorf("error %v, want a LockedError", err)
	}
	wantInt(t, l, 3, "SELECT count(*) FROM fit")
	if _, err := l.Prune(context.Background(), "", 0); err == nil {
		t.Error("kept nothing without an error")
	}
}

func TestNewest(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	for _, ask := range []func() (int, error){
		func() (int, error) { m, err := l.Predecessors(ctx, "p"); return len(m), err },
		func() (int, error) { m, err := l.States(ctx, "p"); return len(m), err },
		func() (int, error) { m, err := l.LastRun(ctx, "p"); return len(m), err },
	} {
		if n, err := ask(); n != 0 || err != nil {
			t.Errorf("without a file: %d, %v", n, err)
		}
	}
	nights(t, l, 3)
	key := sampleFit("").Key
	pipeline := sampleFit("").Pipeline
	old, err := l.Predecessors(ctx, pipeline)
	must(t, err)
	if p := old[key]; p.Fingerprint != "night-2" || string(p.Identity["seed"]) != "2" || len(old) != 1 {
		t.Errorf("predecessors %+v", old)
	}
	states, err := l.States(ctx, pipeline)
	must(t, err)
	if states[key] != judge.ErrorGrade {
		t.Errorf("states %v, want the error, which is newest", states)
	}
	must(t, l.Write(ctx, func(s *Session) error {
		for i, id := range []string{"one", "two"} {
			at := time.Date(2026, 2, 1+i, 0, 0, 0, 0, time.UTC)
			err := errors.Join(s.Run(ctx, &Run{ID: id, Pipeline: "p", Started: at}),
				s.RunOnce(ctx, &Run{ID: id, Pipeline: "other", Started: at}),
				s.RunFits(ctx, []*RunFit{{Key: Key{Dataset: id}, RunID: id, Action: Skipped,
					Verdict: judge.Verdict{Grade: judge.Fail}, At: at}}))
			if err != nil {
				return err
			}
		}
		return nil
	}))
	last, err := l.LastRun(ctx, "p")
	must(t, err)
	if len(last) != 1 || last[Key{Dataset: "two"}] != judge.Fail {
		t.Errorf("last run %v, want the second's fit", last)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

// textOf is the one text that a query answers.
func textOf(t *testing.T, l *Ledger, query string) (out string) {
	t.Helper()
	must(t, l.read(context.Background(), func(c *sql.Conn) error {
		return c.QueryRowContext(context.Background(), query).Scan(&out)
	}))
	return out
}
