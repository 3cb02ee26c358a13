package ingest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/internal/held"
)

// claimsDB makes a DuckDB file with a table of five rows, out of order.
func claimsDB(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claims.duckdb")
	db, err := sql.Open("duckdb", path)
	must(t, err)
	defer db.Close()
	_, err = db.Exec(`
		CREATE TYPE size AS ENUM ('small', 'large');
		CREATE TABLE claims (region VARCHAR, n INTEGER, cost DECIMAL(9, 2), age DOUBLE, day DATE, big HUGEINT, open BOOLEAN, size size, tags VARCHAR[]);
		INSERT INTO claims VALUES
			('south', 3, 0.10, 1.5, DATE '2026-01-31', 7, true, 'small', ['a']),
			('north', 2, 0.20, NULL, DATE '2026-01-30', 8, false, 'large', []),
			('north', 1, 0.30, 2.5, NULL, 9, NULL, 'large', NULL),
			('south', 1, 1e6, -0.0, DATE '1969-12-31', 10, true, 'small', ['b']),
			(NULL, 5, 0.70, 3.5, DATE '2000-02-29', 11, true, NULL, NULL)`)
	must(t, err)
	return path
}

// A database that this process is writing, as a run does its ledger, is waited for.
func TestSQLWaitsForTheWriter(t *testing.T) {
	path := claimsDB(t)
	written, ok := held.Write(path)
	if !ok {
		t.Fatal("somebody has the database open")
	}
	src := Source{Name: "claims", Database: path, SQL: "SELECT n FROM claims"}
	short, stop := context.WithTimeout(t.Context(), 300*time.Millisecond) // a read that does not wait takes a tenth of it
	defer stop()
	if _, err := Read(short, src); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while it is written: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, written)
	mustRead(t, src).Release()
	if again, ok := held.Write(path); !ok {
		t.Error("the reader never gave it back")
	} else {
		again()
	}
}

func TestSQL(t *testing.T) {
	table := mustRead(t, Source{
		Database: claimsDB(t),
		SQL:      "SELECT region, n, cost, age, day, sum(big) OVER () AS total, open, size, tags FROM claims WHERE n <= $most AND region = $region -- the south\n",
		Params:   map[string]any{"most": 3, "region": "south"},
	})
	for name, want := range map[string]string{
		"n": "1 3", "cost": "1e+06 0.1", "age": "0 1.5", "day": "1969-12-31 2026-01-31", "total": "17 17", "open": "true true", "size": "small small",
	} {
		if got := strings.Join(cells(t, table, name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := strings.Join(table.Warnings, "\n"); !strings.Contains(got, `"tags" is left out`) {
		t.Errorf("no warning of the nested column: %s", got)
	}
	if got, want := table.Locate(1), "row 2 of the query"; got != want {
		t.Errorf("Locate(1) = %q, want %q", got, want)
	}
}

// The order of the rows, and so the hash, does not depend on how the engine
// happens to produce them.
func TestSQLOrder(t *testing.T) {
	db := claimsDB(t)
	a := mustRead(t, Source{Database: db, SQL: "SELECT region, n FROM claims ORDER BY n DESC"})
	b := mustRead(t, Source{Database: db, SQL: "SELECT region, n FROM claims ORDER BY n, region"})
	if got, want := strings.Join(cells(t, a, "region"), " "), "north north south south ."; got != want {
		t.Errorf("regions %s, want %s", got, want)
	}
	if hashOf(t, a) != hashOf(t, b) {
		t.Error("two orders of one query hash differently")
	}
}

// A query reads the rows of its database and does nothing else.
func TestSQLRefuses(t *testing.T) {
	secret := writeTemp(t, "secret.csv", "x\n1\n")
	out, db := filepath.Join(t.TempDir(), "stolen.csv"), claimsDB(t)
	for name, c := range map[string]struct {
		sql, want string
		params    map[string]any
	}{
		"insert":      {sql: "INSERT INTO claims (n) VALUES (1)", want: "one SELECT"},
		"drop":        {sql: "DROP TABLE claims", want: "one SELECT"},
		"copy":        {sql: "COPY claims TO '" + out + "'", want: "one SELECT"},
		"pragma":      {sql: "PRAGMA disable_optimizer", want: "one SELECT"},
		"set":         {sql: "SET enable_external_access = true", want: "one SELECT"},
		"attach":      {sql: "ATTACH '" + out + "' AS stolen", want: "one SELECT"},
		"two":         {sql: "SELECT 1; DROP TABLE claims", want: "one SELECT"},
		"hidden copy": {sql: "COPY (SELECT 1) TO '" + out + "'; SELECT 1", want: "one SELECT"},
		"escape":      {sql: "SELECT 1) TO '" + out + "'; --", want: "syntax error"},
		"other file":  {sql: "SELECT * FROM read_csv('" + secret + "')", want: "disabled"},
		"listing":     {sql: "SELECT * FROM glob('/*')", want: "disabled"},
		"unknown":     {sql: "SELECT * FROM cliams", want: "claims"},
		"no value":    {sql: "SELECT * FROM claims WHERE n = $n", want: "parameter $n"},
		"no use":      {sql: "SELECT * FROM claims", params: map[string]any{"n": 1}, want: "parameter $n"},
		"no rows":     {sql: "SELECT * FROM claims WHERE n > 100", want: "no data rows"},
		"empty":       {sql: " ; ", want: "one SELECT"},
		"infinite":    {sql: "SELECT n / 0.0::DOUBLE AS x FROM claims", want: `column "x", row 1 of the query`},
		"not the one": {sql: "SELECT n FROM claims", params: map[string]any{"m": 1}, want: "parameter $m"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readTest(t, Source{Database: db, SQL: c.sql, Params: c.params})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want words %q", err, c.want)
			}
			t.Log(err)
			if _, err := os.Stat(out); err == nil {
				t.Error("a file was written")
			}
		})
	}
}

// The engine itself would refuse to write.
func TestSQLReadOnly(t *testing.T) {
	table := mustRead(t, Source{Database: claimsDB(t), SQL: "SELECT current_setting('access_mode') AS x"})
	if got := cells(t, table, "x")[0]; got != "read_only" {
		t.Errorf("access mode %s", got)
	}
}

// Without a database files can be read, and still not written.
func TestSQLWritesNoFile(t *testing.T) {
	out := filepath.Join(t.TempDir(), "stolen.csv")
	for _, query := range []string{
		"COPY (SELECT 1) TO '" + out + "'",
		"COPY (SELECT 1) TO '" + out + "'; SELECT 1",
		"SELECT 1) TO '" + out + "'; --",
		"ATTACH '" + out + "'; SELECT 1",
		"EXPORT DATABASE '" + out + "'",
	} {
		if _, err := readTest(t, Source{SQL: query}); err == nil {
			t.Errorf("%s: no error", query)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("%s: a file was written", query)
		}
	}
}

// A value of a parameter is never part of the query's text.
func TestSQLBinds(t *testing.T) {
	_, err := readTest(t, Source{Database: claimsDB(t), SQL: "SELECT n FROM claims WHERE region = $r", Params: map[string]any{"r": "x' OR 'a'='a"}})
	if !errors.Is(err, ErrNoRows) {
		t.Errorf("got %v, want no rows", err)
	}
}

// Without a database the query reads files, from Dir on.
func TestSQLOverFiles(t *testing.T) {
	path := writeTemp(t, "a.csv", "x,y\n2,b\n1,a\n")
	table := mustRead(t, Source{Dir: filepath.Dir(path), SQL: "SELECT * FROM 'a.csv'"})
	if got := strings.Join(cells(t, table, "y"), " "); got != "a b" {
		t.Errorf("y is %s, want a b", got)
	}
}

func TestSQLNotADatabase(t *testing.T) {
	for _, db := range []string{writeTemp(t, "a.duckdb", strings.Repeat("no database ", 1000)), filepath.Join(t.TempDir(), "none.duckdb")} {
		_, err := readTest(t, Source{Database: db, SQL: "SELECT 1 AS x"})
		if err == nil || !strings.Contains(err.Error(), filepath.Base(db)) {
			t.Errorf("got %v, want an error naming %s", err, db)
		}
		t.Log(err)
	}
}

func TestSQLCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Read(ctx, Source{SQL: "SELECT * FROM range(10) AS r(x)"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func hashOf(t testing.TB, table *Table) string {
	t.Helper()
	h, err := table.Hash(nil)
	must(t, err)
	return h
}
