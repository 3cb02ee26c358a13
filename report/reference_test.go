package report

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"
)

const referenceFolder = "../docs/reference/"

// The two pages about the ledger are the documentation of a fresh one.
func TestReference(t *testing.T) {
	for page, got := range referencePages(t, freshLedger(t)) {
		if *update {
			must(t, os.WriteFile(referenceFolder+page, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(referenceFolder + page)
		if err != nil {
			t.Fatalf("%v\nrun: make reference, then read the diff", err)
		}
		if got == string(want) {
			continue
		}
		have := strings.Split(string(want), "\n")
		var missing, gone strings.Builder
		refOnly(&missing, "+ ", strings.Split(got, "\n"), have)
		refOnly(&gone, "- ", have, strings.Split(got, "\n"))
		t.Errorf("docs/reference/%s differs from the comments of a fresh ledger\nrun: make reference, then read the diff\n%s%s",
			page, gone.String(), missing.String())
	}
}

// The section of each table, view and function names all of its columns.
func TestReferenceHasEveryColumn(t *testing.T) {
	db := freshLedger(t)
	pages := referencePages(t, db)
	lacks := func(text string, r relation) (out []string) {
		_, section, _ := strings.Cut(text, "\n## "+r.name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, c := range r.columns {
			if !strings.Contains(section, "`"+c.name+"`") && !strings.Contains(section, "`"+c.name+" ") {
				out = append(out, r.name+"."+c.name)
			}
		}
		return out
	}
	planted := relation{name: "fit", columns: []refColumn{{"fit_id", "", ""}, {"nobody_knows", "", ""}}}
	text := pages["ledger.md"] + "\n" + pages["ledger-all.md"]
	if got := lacks(text, planted); len(got) != 1 {
		t.Fatalf("a column that the section lacks is not seen: %v", got)
	}
	list := relations(t, db)
	if len(list) < 80 {
		t.Fatalf("only %d tables, views and functions", len(list))
	}
	for _, r := range list {
		for _, c := range lacks(text, r) {
			t.Errorf("the section of %s does not name it", c)
		}
	}
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

// viewColumns gives a column of a view without words those of the column of
// that name in the tables: of fit where it has one, else of the one that all agree about.
const viewColumns = `
SELECT v.column_name, v.data_type, coalesce(v.comment,
	(SELECT any_value(c.comment) FROM duckdb_columns() c WHERE c.table_name = 'fit' AND c.column_name = v.column_name),
	(SELECT min(c.comment) FROM duckdb_columns() c JOIN duckdb_tables() t USING (table_oid) WHERE c.column_name = v.column_name AND NOT c.internal
	 HAVING count(DISTINCT c.comment) = 1), '')
FROM duckdb_columns() v WHERE v.table_name = ? AND NOT v.internal ORDER BY v.column_index`
