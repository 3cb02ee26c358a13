package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden: %v (run: make golden, then read the diff)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", path, got, want)
	}
}

// everyType has a value, a NULL and an odd value of each type that results
// are likely to have.
const everyType = `
SELECT 1 AS n, true AS flag, 42::TINYINT AS tiny, 18446744073709551615::UBIGINT AS big, 170141183460469231731687303715884105727 AS huge,
       1.50::DECIMAL(9, 2) AS price, 0.1::DOUBLE AS x, 0.1::FLOAT AS y, 'größe, "it''s"' AS text, DATE '2026-01-02' AS day, TIME '01:02:03.5' AS clock,
       TIMESTAMP '2026-01-02 03:04:05.000006' AS moment, TIMESTAMPTZ '2026-01-02 03:04:05+00' AS zoned, INTERVAL '1 month 2 days 3 seconds' AS span,
       [1.5, NULL, 'nan'::DOUBLE] AS list, {'b': 1, 'a': 'z'} AS pair, MAP {'k': 2} AS map, '\x00\xFF'::BLOB AS blob,
       '12345678-1234-5678-9abc-def012345678'::UUID AS id, '{"z":[1,2.5]}'::JSON AS j, 'a'::ENUM ('a', 'b') AS level
UNION ALL BY NAME SELECT 2 AS n
UNION ALL BY NAME SELECT 3 AS n, 'nan'::DOUBLE AS x, 'inf'::FLOAT AS y, chr(27) || '[31m' || chr(10) || repeat('x', 100) AS text
UNION ALL BY NAME SELECT 4 AS n, 1234567.891 AS x, '-inf'::FLOAT AS y UNION ALL BY NAME SELECT 5 AS n, 2.5e-9 AS x, 3e20::FLOAT AS y ORDER BY n`

func query(t *testing.T, l *Ledger, opts QueryOptions, text string, args ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, l.Query(context.Background(), &b, opts, text, args...))
	return b.Bytes()
}

func TestQueryFormats(t *testing.T) {
	l := sampled(t)
	golden(t, "types.table.txt", query(t, l, QueryOptions{}, everyType))
	asCSV := query(t, l, QueryOptions{Format: CSV}, everyType)
	golden(t, "types.csv", asCSV)
	if records, err := csv.NewReader(bytes.NewReader(asCSV)).ReadAll(); err != nil || len(records) != 6 {
		t.Errorf("%d records, %v", len(records), err)
	}
	asJSON := query(t, l, QueryOptions{Format: JSON}, everyType)
	golden(t, "types.json", asJSON)
	var rows []map[string]any
	if err := json.Unmarshal(asJSON, &rows); err != nil || len(rows) != 5 || rows[2]["x"] != "NaN" || rows[1]["x"] != nil {
		t.Errorf("%d objects, %v", len(rows), err)
	}
}

// TestQueryParquet writes Parquet and lets the engine read it back.
func TestQueryParquet(t *testing.T) {
	l := sampled(t)
	path := filepath.Join(t.TempDir(), "it's.parquet")
	must(t, os.WriteFile(path, query(t, l, QueryOptions{Format: Parquet},
		"SELECT * FROM draws WHERE parameter = ? -- all; of them", "glu"), 0o600))
	file := "'" + strings.ReplaceAll(path, "'", "''") + "'"
	there := QueryOptions{Format: CSV, Allow: []string{filepath.Dir(path)}}
	counts := string(query(t, l, there, "SELECT (SELECT count(*) FROM (SELECT * FROM "+file+
		" EXCEPT SELECT * FROM draws WHERE parameter = 'glu')) AS other, (SELECT count(*) FROM "+file+") AS n"))
	if counts != "other,n\n0,400\n" {
		t.Errorf("rows in Parquet: %s", counts)
	}
	got := string(query(t, l, there,
		"SELECT column_type FROM (DESCRIBE SELECT * FROM "+file+") WHERE column_name IN ('chain', 'value') ORDER BY 1"))
	if got != "column_type\nDOUBLE\nSMALLINT\n" {
		t.Errorf("types in Parquet: %s", got)
	}
}

func TestQueryEdges(t *testing.T) {
	l := sampled(t)
	for _, c := range []struct {
		opts       QueryOptions
		text, want string
	}{
		{QueryOptions{Format: JSON}, "SELECT 1 AS a WHERE false", "[]\n"},
		{QueryOptions{Format: JSON}, "SELECT 1 AS a, 2 AS a, 3 AS a", "[\n{\"a\": 1, \"a_2\": 2, \"a_3\": 3}\n]\n"},
		{QueryOptions{Format: CSV}, "SELECT 1 AS a WHERE false", "a\n"},
		{QueryOptions{Format: CSV}, "SELECT NULL AS a UNION ALL SELECT NULL", "a\n\"\"\n\"\"\n"},
		{QueryOptions{}, "SELECT 1 AS a WHERE false", "a\n─\n(0 rows)\n"},
		{QueryOptions{}, "SELECT 1 AS a", "a\n─\n1\n(1 row)\n"},
		{QueryOptions{MaxRows: 2}, "FROM range(3) t(a)",
			"a\n─\n0\n1\n(the first 2 rows; there are more: --rows -1 or --format csv for all)\n"},
		{QueryOptions{MaxRows: 3}, "FROM range(3) t(a)", "a\n─\n0\n1\n2\n(3 rows)\n"},
	} {
		if got := string(query(t, l, c.opts, c.text)); got != c.want {
			t.Errorf("%s as %q:\n%q, want\n%q", c.text, c.opts.Format, got, c.want)
		}
	}
	if n := bytes.Count(query(t, l, QueryOptions{}, "FROM draws"), []byte("\n")); n != 103 {
		t.Errorf("%d lines of a table by default", n)
	}
	if n := bytes.Count(query(t, l, QueryOptions{MaxRows: -1}, "FROM draws"), []byte("\n")); n != 2003 {
		t.Errorf("%d lines of a table of all", n)
	}
}

func TestQueryErrors(t *testing.T) {
	l, ctx := sampled(t), context.Background()
	for text, want := range map[string]string{
		"DELETE FROM fit":               "hint: the ledger is open read-only",
		"CREATE TABLE x (a INT)":        "hint: the ledger is open read-only",
		"DROP VIEW latest":              "hint: the ledger is open read-only",
		"SELECT * FROM coefs":           "hint: SHOW TABLES",
		"SELEC 1":                       "syntax error",
		"SELECT 'x'::INT FROM range(3)": "Conversion Error",
		"":                              "sql: ",
	} {
		for _, format := range []Format{Table, Parquet} {
			err := l.Query(ctx, new(bytes.Buffer), QueryOptions{Format: format}, text)
			var q *QueryError
			if !errors.As(err, &q) || (format != Parquet && !strings.Contains(err.Error(), want)) {
				t.Errorf("%q as %s: %v", text, format, err)
			}
		}
	}
	if err := l.Query(ctx, new(bytes.Buffer), QueryOptions{Format: "xml"}, "SELECT 1"); err == nil ||
		!strings.Contains(err.Error(), "parquet") {
		t.Errorf("unknown format: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := l.Query(ctx, new(bytes.Buffer), QueryOptions{}, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	wantInt(t, l, 1, "SELECT count(*) FROM fit")
}

func TestFiveDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", -2: "-2", 0.1: "0.1", 0.97: "0.97", 0.25: "0.25", 12.5: "12.5", 20000.04: "20000", 12.345678: "12.346", 9999.96: "10000", 123456.789: "123456.8",
		1e20: "1e+20", 2.5e-9: "2.5e-09", -0.00123456: "-0.0012346",
	} {
		if got := fiveDigits(x); got != want {
			t.Errorf("%v as %s, want %s", x, got, want)
		}
	}
}
