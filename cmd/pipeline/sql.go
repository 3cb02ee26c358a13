package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) sqlCommand() *cobra.Command {
	var f common
	var format string
	var rows int
	var allow []string
	c := &cobra.Command{
		Use:   "sql [SPEC|NAME] QUERY",
		Short: "Run an SQL query on a ledger",
		Long: `sql runs one statement on a ledger, which it opens read-only, and prints the answer.
With a SPEC it asks the ledger of that spec, about all of its pipelines.
A QUERY of - is read from standard input. A ledger from another person is safe to
open: its views and the query reach no file, no network and no extension. --allow
opens a folder for reading and for COPY ... TO.

Start from the views: coefficients (summaries of the newest fits), draws (every
draw), latest, comparison and drift. DESCRIBE and SHOW TABLES work too.`,
		Example: `  pipeline sql "SELECT * FROM coefficients"
  pipeline sql nightly.yaml "FROM latest"
  pipeline sql --format csv "FROM draws WHERE parameter = 'glu'" > glu.csv`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			width, err := a.answerWidth(format)
			if err != nil {
				return err
			}
			last := len(args) - 1
			f.fallBack(args[:last])
			database, err := f.ledger(args[:last])
			if err != nil {
				return err
			}
			query := args[last]
			if query == "-" {
				text, err := io.ReadAll(a.stdin)
				if err != nil {
					return err
				}
				query = string(text)
			}
			o := pipelines.QueryOptions{Format: pipelines.Format(format), MaxRows: rows, Allow: allow, Width: width,
				Note: func(text string) { fmt.Fprintf(a.stderr, "note: %s\n", clean(text)) }}
			//sql:ok the person who calls the program: the ledger is opened read-only, and the engine is fenced
			return work(pipelines.Query(c.Context(), a.answers(format), database, query, o))
		},
	}
	c.Flags().StringVar(&format, "format", "table", strings.Join(pipelines.Formats(), ", "))
	c.Flags().IntVar(&rows, "rows", 100, "rows in a table; -1 for all (the other formats always have all)")
	c.Flags().StringArrayVar(&allow, "allow", nil,
		"folder that the query may read and write in; may be repeated (default: none)")
	f.asksLedger(c)
	return c
}
