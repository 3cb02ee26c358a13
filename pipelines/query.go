package pipelines

import (
	"context"
	"errors"
	"io"

	"glmbatch/report"
)

// LockedError reports that another process holds the ledger: exit code 3.
type LockedError = report.LockedError

// IsUnusable reports whether err is that there is no ledger, or that it is damaged, another file, or of a newer
// program: exit code 2 of every verb.
func IsUnusable(err error) bool {
	var missing *report.MissingError
	return errors.As(err, &missing) || report.IsUnusable(err)
}

// QueryOptions says how the answer to a query is written.
type QueryOptions = report.QueryOptions

// Format is the form of an answer: table, csv, json or parquet.
type Format = report.Format

// Formats are the names of the formats.
func Formats() []string { return report.Formats }

// Query runs SQL on the ledger at database, read-only, and writes the answer.
// The error is a *UsageError where the SQL or the path is wrong.
func Query(ctx context.Context, w io.Writer, database, sql string, o QueryOptions) error {
	ledger, err := report.Open(database, report.Options{Later: true})
	if err == nil {
		err = ledger.Query(ctx, w, o, sql)
	}
	var wrong *report.QueryError
	if errors.As(err, &wrong) || IsUnusable(err) {
		return &UsageError{err}
	}
	return err
}
