package transform

import (
	"fmt"
	"strings"
)

// FormulaError is a fault in the text of a formula, or in how it fits the
// columns that there are.
type FormulaError struct {
	Formula string
	Pos     int    // byte offset into Formula, 0-based; len(Formula) at its end
	Message string // what is wrong, in words
	Hint    string // what to do; may be empty
}

// Error names the formula and the place in it, counted in characters from 1,
// and ends with the hint on a line of its own.
func (e *FormulaError) Error() string {
	before := e.Formula[:min(e.Pos, len(e.Formula))]
	return fmt.Sprintf("formula %q, character %d: %s%s", shortened(e.Formula), len([]rune(before))+1, e.Message, hintLine(e.Hint))
}

// shortened cuts a long text for a message.
func shortened(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func hintLine(hint string) string {
	if hint == "" {
		return ""
	}
	return "\nhint: " + hint
}

// ColumnError is a fault in a column of a data set, or in one of its cells.
type ColumnError struct {
	Dataset, Column string
	Row             int64  // 1-based row of the table; 0 if the whole column is at fault
	At              string // the row in words, with file and line when Spec.Locate knows them
	Err             error
	Hint            string // what to do; may be empty
}

// Error names data set, column and row, then the fault, and ends with the hint
// on a line of its own.
func (e *ColumnError) Error() string {
	var b strings.Builder
	if e.Dataset != "" {
		fmt.Fprintf(&b, "dataset %q, ", e.Dataset)
	}
	fmt.Fprintf(&b, "column %q", e.Column)
	switch {
	case e.At != "":
		b.WriteString(", " + e.At)
	case e.Row > 0:
		fmt.Fprintf(&b, ", row %d", e.Row)
	}
	return b.String() + ": " + e.Err.Error() + hintLine(e.Hint)
}

// Unwrap returns the fault itself.
func (e *ColumnError) Unwrap() error { return e.Err }

// TableError is a fault of a whole data set, or of what was asked of it.
type TableError struct {
	Dataset string
	Message string
	Hint    string // what to do; may be empty
}

// Error names the data set, then the fault and the hint.
func (e *TableError) Error() string {
	if e.Dataset == "" {
		return e.Message + hintLine(e.Hint)
	}
	return fmt.Sprintf("dataset %q: %s%s", e.Dataset, e.Message, hintLine(e.Hint))
}
