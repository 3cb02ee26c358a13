package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// schemaTo is elsewhere where internal/mutants plants a fault in the SQL: ledgers of other tests shall have it.
var schemaTo = flag.String("schema", "schema", "folder into which -update writes what follows from the SQL of schema")

// parts are the lines of own of a ledger, and all comments on them.
func parts(t *testing.T, l *Ledger) (lines, comments string) {
	t.Helper()
	db, c, err := l.connect(t.Context(), true, reach{})
	must(t, err)
	read := func(query string) string {
		var b strings.Builder
		must(t, scanRows(t.Context(), c, query, func(rows *sql.Rows) error {
			var line string
			err := rows.Scan(&line)
			b.WriteString(line + "\n")
			return err
		}))
		return b.String()
	}
	lines = read("SELECT line FROM (" + ownSQL + ")")
	comments = read(`SELECT concat_ws(' ', view_name, comment) AS line FROM duckdb_views() WHERE NOT internal UNION ALL
		SELECT concat_ws(' ', table_name, column_name, comment) FROM duckdb_columns() WHERE NOT internal UNION ALL
		SELECT concat_ws(' ', function_name, comment) FROM duckdb_functions() WHERE NOT internal ORDER BY line`)
	must(t, errors.Join(c.Close(), db.Close()))
	return lines, comments
}

// ledgerBySQL is a new ledger as the SQL of all migrations makes it, whatever the program's list of its own parts says.
func ledgerBySQL(t *testing.T) *Ledger {
	t.Helper()
	l := open(t, Options{})
	db, c, err := l.connect(t.Context(), false, reach{})
	must(t, err)
	must(t, errors.Join(migrate(t.Context(), c, l.path, migrations), execute(t.Context(), c, "CHECKPOINT"), c.Close(), db.Close()))
	l.trusted.Store(true)
	return l
}

// The list of the program's own parts is that of a ledger that it makes.
func TestOwnParts(t *testing.T) {
	got, _ := parts(t, ledgerBySQL(t))
	if *update {
		must(t, os.WriteFile(filepath.Join(*schemaTo, "own.txt"), []byte(got), 0o644))
		return
	}
	if got != own {
		t.Errorf("schema/own.txt differs (make golden writes it anew); a ledger has\n%s", got)
	}
}

// catalogue is all that the catalogue says of a ledger, and the version that it has.
func catalogue(t *testing.T, l *Ledger) string {
	t.Helper()
	lines, comments := parts(t, l)
	for _, query := range []string{
		"SELECT concat_ws(' ', table_name, comment, sql) FROM duckdb_tables() WHERE NOT internal ORDER BY ALL",
		`SELECT concat_ws(' ', table_name, column_index, column_name, data_type, is_nullable, column_default)
		FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index`,
		"SELECT concat_ws(' ', table_name, constraint_text) FROM duckdb_constraints() ORDER BY ALL",
		"SELECT concat_ws(' ', sequence_name, start_value, increment_by, last_value) FROM duckdb_sequences() ORDER BY ALL",
		"SELECT concat_ws(' ', table_name, sql) FROM duckdb_indexes() ORDER BY ALL",
		"SELECT concat_ws(' ', version, name) FROM schema_version ORDER BY ALL",
	} {
		for _, row := range textRows(t, l, query) {
			lines += fmt.Sprintln(row...)
		}
	}
	return lines + comments
}

// A new ledger is what the SQL of all migrations makes, made now.
func TestEmptyLedger(t *testing.T) {
	began, bySQL := time.Now().Add(-time.Second), ledgerBySQL(t)
	want, l := catalogue(t, bySQL), open(t, Options{})
	l.trusted.Store(*update) // an old one may have other views than the list says
	must(t, l.copyEmpty(l.path))
	db, c, err := l.connect(t.Context(), true, reach{})
	must(t, err)
	old := l.current(t.Context(), c)
	must(t, errors.Join(c.Close(), db.Close()))
	if lines, _ := parts(t, l); *update && lines != own {
		old = errors.New("it has other parts")
	}
	got := ""
	if old == nil {
		must(t, os.Remove(l.path))
		must(t, l.Write(t.Context(), func(*Session) error { return nil }))
		got = catalogue(t, l)
	} else if !*update {
		t.Fatal(old)
	}
	if *update && got != want {
		raw, err := os.ReadFile(bySQL.path)
		must(t, err)
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		must(t, err)
		_, err = w.Write(raw)
		must(t, errors.Join(err, w.Close(), os.WriteFile(filepath.Join(*schemaTo, "empty.duckdb.gz"), b.Bytes(), 0o644)))
		return
	}
	if got != want {
		t.Errorf("schema/empty.duckdb.gz differs (make golden writes it anew):\n%s", firstDifference(got, want))
	}
	for _, table := range allTables {
		wantInt(t, l, 0, "SELECT count(*) FROM "+table)
	}
	var applied time.Time
	one(t, l, "SELECT min(applied) FROM schema_version", &applied)
	if applied.Before(began) || applied.After(time.Now()) {
		t.Errorf("it says that it was made at %v", applied)
	}
}

// A view or macro under a name of the program's own is believed only if it is the program's own: readers refuse the
// ledger, with names and what to do, and the next writer puts its own in place, comments and all. Parts with other
// names stay.
func TestForeignViews(t *testing.T) {
	fresh := sampled(t)
	wantLines, wantComments := parts(t, fresh)
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("opensesame"), 0o600))
	for name, c := range map[string]struct{ plant, named string }{
		"reads a file": {"CREATE OR REPLACE VIEW latest AS SELECT f.* REPLACE (content AS dataset) FROM fit f, read_text('" + secret + "')",
			"view latest"},
		"lies":          {"CREATE OR REPLACE VIEW latest AS SELECT * REPLACE ('pass' AS verdict) FROM fit", "view latest"},
		"almost right":  {"CREATE OR REPLACE VIEW draws AS SELECT fit_id, parameter_id, chain, iteration, value + 1e-9 AS value FROM draw", "view draws"},
		"a macro":       {"CREATE OR REPLACE MACRO posterior(name) AS TABLE SELECT 0.0 AS mean", "macro posterior"},
		"views go on":   {"CREATE OR REPLACE VIEW coefficients AS SELECT 1 AS a", "view coefficients"},
		"a table there": {"DROP VIEW comparison; CREATE TABLE comparison (a INT)", "table comparison"},
	} {
		t.Run(name, func(t *testing.T) {
			l, ctx := sampled(t), context.Background()
			stranger(t, l, strings.Split(c.plant, "; ")...)
			stranger(t, l, "CREATE VIEW mine AS SELECT count(*) AS n FROM fit")
			l, err := Open(l.path, Options{})
			must(t, err)
			for what, ask := range map[string]func() error{
				"sql":    func() error { return l.Query(ctx, new(bytes.Buffer), QueryOptions{}, "FROM latest") },
				"page":   func() error { _, err := l.Page(ctx, PageOptions{Latest: true}); return err },
				"nights": func() error { _, err := l.LookNewest(ctx, "", func(Key) bool { return true }); return err },
			} {
				var not *NotLedgerError
				if err := ask(); !errors.As(err, &not) || !strings.Contains(err.Error(), c.named) || hintOf(err) == "" {
					t.Errorf("%s: %v", what, err)
				}
			}
			l, err = Open(l.path, Options{Restore: true})
			if name == "a table there" {
				var not *NotLedgerError
				if !errors.As(err, &not) {
					t.Errorf("written: %v", err)
				}
				return
			}
			must(t, err)
			wantInt(t, l, 1, "SELECT n FROM mine")
			stranger(t, l, "DROP VIEW mine")
			if lines, comments := parts(t, l); lines != wantLines || comments != wantComments {
				t.Errorf("after a write the ledger has\n%s%s", firstDifference(lines, wantLines), firstDifference(comments, wantComments))
			}
		})
	}
}

// A macro that has the name of a function or operator of the engine would answer in its place in the program's own
// queries and views, those that look for such macros included. Readers and writers refuse the ledger, and what they do
// before they have looked is not misled.
func TestMacrosInThePlaceOfFunctions(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.csv")
	must(t, os.WriteFile(secret, []byte("word\nopensesame\n"), 0o600))
	unread := []string{"exp", "MAX", "~~", "lower", "count_star"} // by what looks for such macros
	for name, plant := range map[string]string{
		"exp":              "CREATE MACRO exp(x) AS 42.0",
		"MAX":              "CREATE MACRO MAX(x) AS 42",
		"+":                `CREATE MACRO "+"(a, b) AS 42`,
		"~~":               `CREATE MACRO "~~"(a, b) AS true`,
		"md5":              "CREATE MACRO md5(x) AS '022aed4b474c8f158263012c4775add0'",
		"concat_ws":        "CREATE MACRO concat_ws(s, x, y) AS 'relation fit table', (s, v, x, y, z) AS 'relation fit table'",
		"lower":            "CREATE MACRO lower(x) AS 'none'",
		"count":            "CREATE MACRO count(x) AS 0, () AS 0",
		"count_star":       "CREATE MACRO count_star() AS 0",
		"current_database": "CREATE MACRO current_database() AS 'none'",
		"duckdb_functions": "CREATE MACRO duckdb_functions() AS TABLE SELECT * FROM system.main.duckdb_functions() WHERE internal",
		"duckdb_tables":    "CREATE MACRO duckdb_tables() AS TABLE SELECT * FROM system.main.duckdb_tables() WHERE table_name = 'fit'",
		"list_value": "CREATE MACRO list_value() AS system.main.list_value('/'), (x) AS system.main.list_value('/'), " +
			"(x, y) AS system.main.list_value('/'), (x, y, z, u) AS system.main.list_value('/')",
		"current_setting": "CREATE MACRO current_setting(x) AS CASE x WHEN 'lock_configuration' THEN true END",
	} {
		t.Run(name, func(t *testing.T) {
			l, ctx := sampled(t), context.Background()
			stranger(t, l, plant, "CREATE VIEW peek AS SELECT * FROM read_text('"+secret+"')")
			refused := func(what string, err error) {
				t.Helper()
				var not *NotLedgerError
				if !errors.As(err, &not) || !strings.Contains(err.Error(), fmt.Sprintf("macro %q", name)) || hintOf(err) == "" {
					t.Errorf("%s: %v", what, err)
				}
			}
			l, err := Open(l.path, Options{})
			must(t, err)
			var answer bytes.Buffer
			refused("sql", l.Query(ctx, &answer, QueryOptions{}, "FROM latest"))
			refused("sql beside files", l.Query(ctx, &answer, QueryOptions{Allow: []string{t.TempDir()}}, "FROM peek"))
			if answer.Len() > 0 {
				t.Errorf("it answers %q", answer.String())
			}
			if slices.Contains(unread, name) {
				return
			}
			refused("written", l.Write(ctx, func(*Session) error { return nil }))
			_, err = Open(l.path, Options{Restore: true})
			refused("restored", err)
		})
	}
}

// A macro with any other name is its owner's own affair.
func TestMacrosOfTheirOwn(t *testing.T) {
	l := sampled(t)
	stranger(t, l, "CREATE MACRO doubled(x) AS 2 * x", "CREATE SCHEMA away", "CREATE MACRO away.exp(x) AS 42.0")
	l, err := Open(l.path, Options{Restore: true})
	must(t, err)
	wantInt(t, l, 4, "SELECT doubled(2)")
	wantInt(t, l, 1, "SELECT exp(0)::INT")
}

// A process that opens a ledger later with Restore has its own views once it reads.
func TestReadingRestores(t *testing.T) {
	l := sampled(t)
	stranger(t, l, "CREATE OR REPLACE VIEW latest AS SELECT * REPLACE ('pass' AS verdict) FROM fit")
	l, err := Open(l.path, Options{Later: true, Restore: true})
	must(t, err)
	must(t, l.Reading(t.Context(), func() error {
		_, err := l.LookNewest(t.Context(), "", func(Key) bool { return true })
		return err
	}))
	if lines, _ := parts(t, l); lines != own {
		t.Error(firstDifference(lines, own))
	}
}

// A view instead of a table is refused, by writers too.
func TestForeignTable(t *testing.T) {
	l, ctx := sampled(t), context.Background()
	stranger(t, l, "ALTER TABLE diagnostic RENAME TO hidden", "CREATE VIEW diagnostic AS SELECT * FROM hidden")
	l, err := Open(l.path, Options{})
	must(t, err)
	var not *NotLedgerError
	if err := l.Write(ctx, func(*Session) error { return nil }); !errors.As(err, &not) {
		t.Errorf("written: %v", err)
	}
	if _, err := l.Page(ctx, PageOptions{Latest: true}); !errors.As(err, &not) {
		t.Errorf("read: %v", err)
	}
}

// Views that are put right leave the numbers of fits as they are, and numbers that fits have are passed over in a ledger
// of a build that began again at 1.
func TestNumbersOfFits(t *testing.T) {
	for what, statement := range map[string]string{
		"another view": "CREATE OR REPLACE VIEW latest AS SELECT 1 AS x", "numbers begin again": "CREATE OR REPLACE SEQUENCE fit_number",
	} {
		path := filepath.Join(t.TempDir(), "l.duckdb")
		l, err := Open(path, Options{})
		must(t, err)
		for i := range 3 {
			store(t, l, sampleFit(fmt.Sprint("f", i)))
		}
		db, c, err := l.connect(t.Context(), false, reach{})
		must(t, err)
		must(t, errors.Join(execute(t.Context(), c, statement), execute(t.Context(), c, "CHECKPOINT"), c.Close(), db.Close()))
		l, err = Open(path, Options{Restore: true})
		must(t, err)
		store(t, l, sampleFit("f4"))
		store(t, l, sampleFit("f5"))
		wantInt(t, l, 5, "SELECT count(DISTINCT fit_id) FROM fit")
		if _, err := l.Stored(t.Context(), nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Fits of fragments get numbers that no fit of the ledger has, though its numbers began again at 1.
func TestNumbersOfGatheredFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.duckdb")
	l, err := Open(path, Options{})
	must(t, err)
	for i := range 3 {
		store(t, l, sampleFit(fmt.Sprint("earlier", i)))
	}
	db, c, err := l.connect(t.Context(), false, reach{})
	must(t, err)
	must(t, errors.Join(execute(t.Context(), c, "CREATE OR REPLACE SEQUENCE fit_number"),
		execute(t.Context(), c, "CHECKPOINT"), c.Close(), db.Close()))
	l, err = Open(path, Options{Restore: true})
	must(t, err)
	must(t, l.Gather(t.Context(), Gathering{Run: &Run{ID: "r1", Started: night, Place: 1}, Fragments: fragmentsOf(t, 2),
		together: 1, End: func(*Session) error { return nil }}))
	wantInt(t, l, 7, "SELECT count(DISTINCT fit_id) FROM fit")
	wantInt(t, l, 7, "SELECT count(*) FROM fit")
	if _, err := l.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
