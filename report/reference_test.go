package report

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/internal/doctest"
)

const referencePath = "../docs/reference/ledger.md"

// docs/reference/ledger.md is the documentation of a fresh ledger.
func TestReference(t *testing.T) {
	got := schemaReference(t, freshLedger(t))
	if *update {
		must(t, os.WriteFile(referencePath, got, 0o644))
		return
	}
	want, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatalf("%v\nrun: make reference, then read the diff", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	have := strings.Split(string(want), "\n")
	var missing, gone strings.Builder
	refOnly(&missing, "+ ", strings.Split(string(got), "\n"), have)
	refOnly(&gone, "- ", have, strings.Split(string(got), "\n"))
	t.Errorf("docs/reference/ledger.md is not what a fresh ledger says\nrun: make reference, then read the diff\n%s%s",
		gone.String(), missing.String())
}

// refOnly writes the lines of a that b does not have.
func refOnly(w *strings.Builder, sign string, a, b []string) {
	have := map[string]bool{}
	for _, line := range b {
		have[line] = true
	}
	for _, line := range a {
		if !have[line] {
			fmt.Fprintf(w, "%s%s\n", sign, line)
		}
	}
}

// Tables, views, macros and the columns of tables have comments; those of a view
// have one, or are columns of a table that all tables with that name explain.
func TestEverythingHasAComment(t *testing.T) {
	db := freshLedger(t)
	for _, r := range rowsOf(t, db, `
		SELECT table_name, '' FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''
		UNION ALL SELECT view_name, '' FROM duckdb_views() WHERE NOT internal AND coalesce(comment, '') = ''
		UNION ALL SELECT function_name, '' FROM duckdb_functions() WHERE NOT internal AND function_type LIKE '%macro' AND coalesce(comment, '') = ''
		UNION ALL SELECT c.table_name, c.column_name FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_oid)
		WHERE coalesce(c.comment, '') = ''`) {
		t.Errorf("%s %s has no comment: say in its schema file what it is", r[0], r[1])
	}
	silent := func(of string) (out []string) {
		for _, v := range rowsOf(t, db, `SELECT view_name FROM duckdb_views() WHERE NOT internal AND view_name LIKE '`+of+`'`) {
			for _, c := range rowsOf(t, db, viewColumns, v[0]) {
				if c[2] == "" {
					out = append(out, v[0]+"."+c[0])
				}
			}
		}
		return out
	}
	for _, c := range silent("%") {
		t.Errorf("%s has no comment, and no table explains it: say in the view's schema file what it is", c)
	}
	must(t, runSQL(db, `CREATE TABLE bare (x INTEGER); CREATE VIEW blank AS SELECT 1 AS fit_id, 2 AS nobody_knows`))
	if n := len(rowsOf(t, db, `SELECT table_name FROM duckdb_tables() WHERE NOT internal AND coalesce(comment, '') = ''`)); n != 1 {
		t.Errorf("a table without a comment is seen %d times", n)
	}
	if got := silent("blank"); len(got) != 1 || got[0] != "blank.nobody_knows" {
		t.Errorf("a column that nothing explains is not seen: %v", got)
	}
}

func runSQL(db *sql.DB, text string) error {
	_, err := db.ExecContext(context.Background(), text)
	return err
}

// freshLedger is an empty ledger of the newest schema, in memory.
func freshLedger(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	c, err := db.Conn(t.Context())
	must(t, err)
	defer c.Close()
	must(t, migrate(t.Context(), c, "memory", migrations))
	return db
}

// rowsOf are the rows of a query as text.
func rowsOf(t *testing.T, db *sql.DB, text string, args ...any) [][]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text, args...)
	must(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	must(t, err)
	var out [][]string
	for rows.Next() {
		row, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		must(t, rows.Scan(to...))
		text := make([]string, len(names))
		for i := range row {
			text[i] = row[i].String
		}
		out = append(out, text)
	}
	must(t, rows.Err())
	return out
}

// schemaReference is the page: views, table functions, tables.
func schemaReference(t *testing.T, db *sql.DB) []byte {
	t.Helper()
	var b bytes.Buffer
	version := rowsOf(t, db, `SELECT max(version)::VARCHAR FROM schema_version`)[0][0]
	fmt.Fprintf(&b, `<!-- written by make reference from report/schema; do not edit -->
# Tables, views and table functions of a ledger

Schema version %s, as a fresh ledger tells it: the same words stand in the file, as comments of tables and columns.
[The ledger](../using-the-ledger.md) shows how they are used, with twenty-four questions.
A ledger of a build before 0.1.0, with other tables, is refused, and left as it is.
`, version)
	views := rowsOf(t, db, `SELECT view_name, coalesce(comment, '') FROM duckdb_views() WHERE NOT internal ORDER BY 1`)
	tables := rowsOf(t, db, `SELECT table_name, coalesce(comment, '') FROM duckdb_tables() WHERE NOT internal ORDER BY 1`)
	functions := rowsOf(t, db, `SELECT function_name, comment, array_to_string(parameters, ', ') FROM duckdb_functions()
		WHERE NOT internal AND function_type = 'table_macro' ORDER BY 1`)
	refContents(&b, "view", views)
	refContents(&b, "table function", functions)
	refContents(&b, "table", tables)
	for _, v := range views {
		fmt.Fprintf(&b, "\n## %s\n\nView. %s\n\n| column | type | meaning |\n|---|---|---|\n", v[0], refCell(v[1]))
		for _, c := range rowsOf(t, db, viewColumns, v[0]) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c[0], c[1], refCell(c[2]))
		}
	}
	for _, f := range functions {
		refFunction(t, &b, db, f)
	}
	for _, name := range tables {
		fmt.Fprintf(&b, "\n## %s\n\nTable. %s\n\n| column | type | NULL | meaning |\n|---|---|---|---|\n", name[0],
			refCell(name[1]))
		for _, c := range rowsOf(t, db, `SELECT column_name, data_type, CASE WHEN is_nullable THEN 'may be' ELSE '' END, coalesce(comment, '')
			FROM duckdb_columns() WHERE table_name = ? AND NOT internal ORDER BY column_index`, name[0]) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c[0], c[1], c[2], refCell(c[3]))
		}
	}
	return []byte(doctest.Narrow(b.String()))
}

// viewColumns gives a column of a view without words those of the column of
// that name in the tables: of fit where it has one, else of the one that all agree about.
const viewColumns = `
SELECT v.column_name, v.data_type, coalesce(v.comment,
	(SELECT any_value(c.comment) FROM duckdb_columns() c WHERE c.table_name = 'fit' AND c.column_name = v.column_name),
	(SELECT min(c.comment) FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_oid) WHERE c.column_name = v.column_name AND NOT c.internal
	 HAVING count(DISTINCT c.comment) = 1), '')
FROM duckdb_columns() v WHERE v.table_name = ? AND NOT v.internal ORDER BY v.column_index`

func refContents(b *bytes.Buffer, kind string, list [][]string) {
	fmt.Fprintf(b, "\n| %s | rows |\n|---|---|\n", kind)
	for _, r := range list {
		fmt.Fprintf(b, "| [%s](#%s) | %s |\n", r[0], r[0], refCell(r[1]))
	}
}

// refFunction describes a table function: how it is called, and what it gives.
func refFunction(t *testing.T, b *bytes.Buffer, db *sql.DB, f []string) {
	t.Helper()
	names := strings.Split(f[2], ", ")
	call, columns := described(t, db, f[0], names)
	fmt.Fprintf(b, "\n## %s\n\nTable function. %s\n\n    %s\n\n| column | type |\n|---|---|\n", f[0], refCell(f[1]), call)
	for _, c := range columns {
		fmt.Fprintf(b, "| `%s` | %s |\n", c[0], c[1])
	}
}

// described calls a table function with as few arguments as it takes, and
// returns how it is called, arguments that may be left out in brackets, and the
// columns of what it gives.
func described(t *testing.T, db *sql.DB, name string, names []string) (call string, columns [][]string) {
	t.Helper()
	for needed := range len(names) + 1 {
		values := strings.TrimSuffix(strings.Repeat("NULL, ", needed), ", ")
		rows, err := db.QueryContext(t.Context(), fmt.Sprintf("DESCRIBE SELECT * FROM %s(%s)", name, values))
		if err != nil {
			continue
		}
		must(t, rows.Err())
		must(t, rows.Close())
		words := append([]string{}, names[:needed]...)
		for _, n := range names[needed:] {
			words = append(words, "["+n+" := …]")
		}
		for _, c := range rowsOf(t, db, fmt.Sprintf("DESCRIBE SELECT * FROM %s(%s)", name, values)) {
			columns = append(columns, c[:2])
		}
		return name + "(" + strings.Join(words, ", ") + ")", columns
	}
	t.Fatalf("%s cannot be called", name)
	return "", nil
}

// refCell is text inside a table of a page.
func refCell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`, "\n", " ").Replace(s)
}
