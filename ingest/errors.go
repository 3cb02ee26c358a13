package ingest

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// ColumnError is a fault in one column of a data set.
type ColumnError struct {
	Dataset, Column string
	Row             int64  // 1-based data row of its file; 0 if the whole column is at fault
	At              string // the row as Table.Locate writes it, "row 6 (line 7 of claims.csv)"; or the file
	Err             error  // a *words.Hinted where it is known what to do
}

// Error names data set, column and place.
func (e *ColumnError) Error() string {
	at := e.At
	if at == "" && e.Row > 0 {
		at = fmt.Sprintf("row %d", e.Row)
	}
	if at != "" {
		at = ", " + at
	}
	return fmt.Sprintf("dataset %q, column %q%s: %v", e.Dataset, e.Column, at, e.Err)
}

// Unwrap returns the cause.
func (e *ColumnError) Unwrap() error { return e.Err }

// SourceError is a fault of a whole file or query.
type SourceError struct {
	Dataset string
	File    string // base name or path as written; empty for a query
	Line    int64  // 1-based physical line; 0 if no line is at fault
	Err     error  // a *words.Hinted where it is known what to do
}

// Error names data set, file and line.
func (e *SourceError) Error() string {
	at := ""
	if e.File != "" {
		at = ", " + e.File
	}
	if e.Line > 0 {
		at += fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf("dataset %q%s: %v", e.Dataset, at, e.Err)
}

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// maxReported bounds how many faulty columns one error lists.
const maxReported = 10

// joinColumnErrors reports the faults of several columns together, the
// earliest row first; a fault of a whole column comes before all rows.
func joinColumnErrors(faults []*ColumnError) error {
	if len(faults) == 0 {
		return nil
	}
	sort.SliceStable(faults, func(a, b int) bool { return faults[a].Row < faults[b].Row })
	rest := 0
	if len(faults) > maxReported {
		rest, faults = len(faults)-maxReported, faults[:maxReported]
	}
	errs := make([]error, 0, len(faults)+1)
	for _, f := range faults {
		errs = append(errs, f)
	}
	if rest > 0 {
		errs = append(errs, fmt.Errorf("and %d more columns with faults", rest))
	}
	return errors.Join(errs...)
}

// quoteCell shows a cell in a message, cut if it is long.
func quoteCell(s string) string {
	const most = 60
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(s[:most], "\uFFFD"), len(s))
}
