package report

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// Format is how Query writes a result.
type Format string

// The formats of a result.
const (
	Table   Format = "table"   // aligned, numbers rounded for reading
	CSV     Format = "csv"     // RFC 4180 with a header, every digit
	JSON    Format = "json"    // array of objects; NaN and infinities as strings
	Parquet Format = "parquet" // written by the engine, types as they are
)

// Formats are the names of the formats, for flags and their help.
var Formats = []string{string(Table), string(CSV), string(JSON), string(Parquet)}

// QueryOptions configures Query. The zero value is ready to use.
type QueryOptions struct {
	// Format is the format of the result. Empty means Table.
	Format Format
	// MaxRows bounds the rows of a Table. Zero means 100; negative means all.
	// The other formats always hold all rows.
	MaxRows int
	// Width folds a Table that is wider. Zero means never.
	Width int
	// Allow are folders whose files the SQL may read and write. Empty: none.
	Allow []string
	// Note is called with what answers lack, if anything: draws in files that are lost. Nil means that the caller
	// does not want to know.
	Note func(text string)
}

// QueryError is the engine's answer to SQL that it cannot run.
type QueryError struct {
	Err error // a *words.Hinted unless the engine's words say it all
}

func (e *QueryError) Error() string { return "sql: " + engineWords(e.Err) }

func (e *QueryError) Unwrap() error { return e.Err }

// Query runs one statement of SQL on the ledger, opened read-only, and writes the result to w.
// Rows are streamed, so a result may be larger than memory (a Table keeps
// MaxRows of them, Parquet passes through a temporary file). The SQL, and the views that it asks, reach no file
// but those in opts.Allow.
//
// It returns a *MissingError if there is no ledger, a *LockedError if another
// process keeps it open for writing, and a *QueryError if the SQL is wrong or
// would write.
func (l *Ledger) Query(ctx context.Context, w io.Writer, opts QueryOptions, query string, args ...any) (err error) {
	allowed, err := folders(opts.Allow)
	if err != nil {
		return &QueryError{err}
	}
	dir, done, err := opts.scratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if dir != "" {
		allowed = append(allowed, dir)
	}
	return l.readWith(ctx, reach{folders: allowed}, func(c *sql.Conn) error {
		if err := oneStatement(c, query); err != nil {
			return queryError(ctx, err)
		}
		if err := opts.lost(ctx, c, l.path); err != nil {
			return err
		}
		return answer(ctx, w, c, opts, dir, query, args)
	})
}

// lost calls Note with the draws that an answer lacks.
func (o QueryOptions) lost(ctx context.Context, c *sql.Conn, ledger string) error {
	var files int // the query may be of a file that is not a ledger
	err := c.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'main' AND "+
		"table_name = 'draw_outside' AND estimated_size > 0").Scan(&files)
	if err != nil || files == 0 || o.Note == nil {
		return err
	}
	return lostFiles(ctx, c, ledger, func(f drawFile, why string) {
		o.Note(words.Hint(errors.New(f.says(ledger, why)+": answers lack them"), LostHint).Error())
	})
}

// scratch is a temporary folder for an answer that passes through a file, and what removes it.
func (o QueryOptions) scratch() (dir string, done func() error, err error) {
	if err := o.check(); err != nil || o.Format != Parquet {
		return "", func() error { return nil }, err
	}
	if dir, err = words.TempDir("ledger-query-"); err != nil {
		return "", nil, err
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// check refuses formats that are not known.
func (o QueryOptions) check() error {
	if o.Format != "" && !slices.Contains(Formats, string(o.Format)) {
		return words.Hint(fmt.Errorf("format %q is not known", o.Format), "use one of "+strings.Join(Formats, ", "))
	}
	return nil
}

// answer writes the result of a query on an open file, by way of the folder dir if it is to be Parquet.
func answer(ctx context.Context, w io.Writer, c *sql.Conn, opts QueryOptions, dir, query string, args []any) error {
	write := map[Format]func(io.Writer, *sql.Rows) error{CSV: writeCSV, JSON: writeJSON}[opts.Format]
	switch {
	case opts.Format == Parquet:
		return writeParquet(ctx, w, c, filepath.Join(dir, "result.parquet"), query, args)
	case write == nil:
		limit := opts.MaxRows
		if limit == 0 {
			limit = 100
		}
		write = func(w io.Writer, rows *sql.Rows) error { return writeTable(w, rows, limit, opts.Width) }
	}
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return queryError(ctx, err)
	}
	defer rows.Close()
	out := bufio.NewWriter(w)
	if err := write(out, rows); err != nil {
		return err
	}
	if err := rows.Err(); err != nil {
		return queryError(ctx, err)
	}
	return out.Flush()
}

// queryError names what a person can do about the engine's error.
func queryError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	hint := ""
	switch s := engineWords(err); {
	case strings.Contains(s, "read-only mode"):
		hint = "the ledger is open read-only: use SELECT"
	case strings.Contains(s, ".draws/**"):
		hint = "draws of this ledger are in files beside it, and none of them is there: " + LostHint
	case strings.Contains(s, "disabled by configuration"), strings.Contains(s, "disabled through configuration"):
		hint = "SQL on a ledger reaches no other files: --allow FOLDER opens one folder"
	case strings.Contains(s, "configuration has been locked"):
		hint = "settings are fixed: a ledger may come from a stranger"
	case strings.Contains(s, "Table with name"):
		hint = "SHOW TABLES lists the tables; views to begin with are coefficients, draws, latest, comparison and drift"
	}
	return &QueryError{words.Hint(err, hint)}
}

// writeParquet lets the engine write a file and copies it to w.
func writeParquet(ctx context.Context, w io.Writer, c *sql.Conn, path, query string, args []any) error {
	query = strings.TrimRight(query, "; \t\r\n")
	// The line break keeps a trailing -- comment from swallowing the bracket.
	copyTo := "COPY (" + query + "\n) TO " + quoteText(path) + " (FORMAT parquet)"
	if _, err := c.ExecContext(ctx, copyTo, args...); err != nil {
		return queryError(ctx, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
