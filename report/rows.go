package report

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"glmbatch/internal/words"
)

// Column is a column of rows to be written: a name and a type of the engine.
type Column struct{ Name, Type string }

// columnTypes are the types of a column.
var columnTypes = map[string]string{"SMALLINT": "SMALLINT", "INTEGER": "INTEGER", "BIGINT": "BIGINT",
	"DOUBLE": "DOUBLE", "VARCHAR": "VARCHAR"}

// WriteRows writes rows as Query writes an answer. fill adds them one by one, a
// value for each column: NaN becomes NULL. They pass through a temporary file, so
// that there may be more of them than fit into memory.
func WriteRows(ctx context.Context, w io.Writer, opts QueryOptions, columns []Column,
	fill func(add func(values ...any) error) error) (err error) {
	if err := opts.check(); err != nil {
		return err
	}
	dir, err := words.TempDir("ledger-rows-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	settings := url.Values{"memory_limit": {"1GB"}}
	db, c, err := dial(ctx, filepath.Join(dir, "rows.duckdb"), settings, reach{folders: []string{dir}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(), db.Close()) }()
	table := make([]string, len(columns))
	for i, column := range columns {
		of, known := columnTypes[column.Type]
		if !known {
			panic("report: no column of rows has the type " + column.Type)
		}
		table[i] = quoteName(column.Name) + " " + of
	}
	if _, err := c.ExecContext(ctx, "CREATE TABLE answer ("+strings.Join(table, ", ")+")"); err != nil {
		return err
	}
	err = appendRows(c, "answer", func(add func(...driver.Value) error) error {
		row := make([]driver.Value, len(columns))
		return fill(func(values ...any) error {
			for i, v := range values {
				if x, ok := v.(float64); ok {
					v = number(x)
				}
				row[i] = v
			}
			return add(row...)
		})
	})
	if err != nil {
		return err
	}
	return answer(ctx, w, c, opts, dir, "SELECT * FROM answer", nil)
}
