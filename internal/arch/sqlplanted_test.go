package arch

import "testing"

// plantedSQL has a line "// want" for each way by which text of others has got,
// or could get, into SQL; the other lines are how it is done.
var plantedSQL = planted{
	"report/quote.go": `package report
import "strings"
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func quoteName(s string) string { return s }
func unquoted(s string) string { return "'" + s + "'" }
`,
	"report/a.go": `package report
import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
)
//go:embed a.sql
var file string
var text string
var Open = "SELECT 1"
const table = "fit"
var tables = []string{"fit", "run"}
var steps = []struct{ name, sql string }{{"a", file}, {"b", "SELECT 2"}}
type source struct{ query, Given string }
type Ledger struct{ db *sql.DB }

func calls(ctx context.Context, c *sql.Conn, tx *sql.Tx, id int64, s source) {
	name := os.Getenv("NAME")
	c.ExecContext(ctx, "SELECT ?", name)
	c.ExecContext(ctx, "DELETE FROM "+table+" WHERE id = ?", id)
	c.ExecContext(ctx, "SELECT '"+name+"'") // want
	c.QueryContext(ctx, fmt.Sprintf("SELECT %d, %s, %v", id, table, 1 < 2))
	c.QueryContext(ctx, fmt.Sprintf("SELECT '%s'", name)) // want
	c.QueryContext(ctx, fmt.Sprintf(name)) // want
	c.QueryContext(ctx, fmt.Sprintf("SELECT %v", s)) // want
	tx.QueryRow("SELECT " + strconv.FormatInt(id, 10) + quoteText(name) + quoteName(name))
	tx.QueryRow("SELECT " + unquoted(name)) // want
	tx.QueryRow("SELECT " + unquoted(table))
	tx.Prepare(strings.ToUpper(name)) // want
	tx.Prepare(file + text) // want
	tx.Prepare(Open) // want
	tx.Exec(s.Given) // want
	tx.Exec(string(rune(id))) // want
	for _, t := range tables {
		c.ExecContext(ctx, "DROP TABLE " + t)
	}
	for _, step := range steps {
		c.ExecContext(ctx, step.sql)
	}
	for t := range map[string]int{"fit": 1} {
		c.ExecContext(ctx, "DROP TABLE " + t) // want
	}
}

func variables(ctx context.Context, c *sql.Conn, all bool) {
	names := os.Args
	query := "SELECT "
	for i := range names {
		query += strconv.Itoa(i) + ","
	}
	c.ExecContext(ctx, query + "1")
	other := "SELECT "
	if all {
		other += names[0]
	}
	c.ExecContext(ctx, other) // want
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	c.ExecContext(ctx, "SELECT "+strings.Join(quoted, ", "))
	bare := append([]string{"a"}, names...)
	c.ExecContext(ctx, "SELECT "+strings.Join(bare, ", ")) // want
	var scanned string
	_ = c.QueryRowContext(ctx, "SELECT name FROM fit").Scan(&scanned)
	c.ExecContext(ctx, "DROP TABLE "+scanned) // want
	var b strings.Builder
	b.WriteString("SELECT 1")
	c.ExecContext(ctx, b.String()) // want
	column, err := columnOf(all)
	c.ExecContext(ctx, "SELECT "+column, err)
	taken, err := takenFrom(names)
	c.ExecContext(ctx, "SELECT "+taken, err) // want
	run := c.ExecContext // want
	_, _ = run(ctx, names[0])
	//sql:ok the person who calls
	c.ExecContext(ctx, names[0])
	//sql:ok
	c.ExecContext(ctx, names[0]) // want
	s := source{query: "SELECT 1"}
	c.ExecContext(ctx, s.query)
}

func columnOf(all bool) (text string, err error) {
	if all {
		return "a", nil
	}
	text = "b"
	return
}

func takenFrom(names []string) (text string, err error) {
	text = names[0]
	return
}

func rows(ctx context.Context, c *sql.Conn, scan func(), query string) { c.QueryContext(ctx, query) }
func deeper(ctx context.Context, c *sql.Conn, order, query string) { rows(ctx, c, nil, query+" ORDER BY "+order) }

func (l *Ledger) Query(ctx context.Context, query string) { l.db.QueryContext(ctx, query) }
func (l *Ledger) ask(ctx context.Context, query string) { l.Query(ctx, query) }

type asker interface{
	Query(ctx context.Context, query string)
	ask(ctx context.Context, query string)
}

func later(f any) {}

func passed(ctx context.Context, c *sql.Conn, l *Ledger, a asker) {
	name := os.Getenv("NAME")
	rows(ctx, c, nil, "SELECT 1")
	rows(ctx, c, nil, "SELECT "+quoteText(name))
	deeper(ctx, c, "a", "SELECT 1")
	for _, n := range []string{name} {
		rows(ctx, c, nil, n) // want
		deeper(ctx, c, n, "SELECT 1") // want
		deeper(ctx, c, "a", n) // want
		l.Query(ctx, n) // want
	}
	first := func(query string) { rows(ctx, c, nil, query) }
	first("SELECT 1")
	first(name) // want
	a.Query(ctx, name) // want
	a.ask(ctx, "SELECT 1")
	a.ask(ctx, name) // want
	func(query string) { rows(ctx, c, nil, query) }(name) // want
	later(rows) // want
	later(l.ask) // want
	later(passed)
}
`,
	"pipelines/a.go": `package pipelines
import (
	"context"
	"glmbatch/report"
	"os"
	"github.com/spf13/cobra"
)
func Ask(ctx context.Context, l *report.Ledger, text string) { l.Query(ctx, text) }
func ask(ctx context.Context, l *report.Ledger, c *cobra.Command) {
	lines := os.Args
	Ask(ctx, l, "SELECT 1")
	Ask(ctx, l, lines[0]) // want
	cobra.Somebody().Query(lines[0]) // want
}
`,
	"cmd/pipeline/a.go": `package main
import (
	"context"
	"glmbatch/pipelines"
	"os"
)
func main() { pipelines.Ask(context.Background(), nil, os.Args[1]) } // want
`,
	"report/a_test.go": "package report\nimport \"database/sql\"\nfunc f(c *sql.DB, s string) { c.Exec(s) }\n",
	"infer/a.go":       "package infer\ntype c struct{}\nfunc (c) Query(s string) {}\nfunc f(s string) { c{}.Query(s) }\n",
}

func TestSQLText(t *testing.T) {
	seen(t, sqlText, plantedSQL)
	hold(t, sqlText)
}
