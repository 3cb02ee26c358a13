package transform

import (
	"fmt"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// FormulaError is a fault in the text of a formula, or in how it fits the
// columns that there are.
type FormulaError struct {
	Formula string
	Pos     int   // byte offset into Formula, 0-based; len(Formula) at its end
	Err     error // a *words.Hinted where it is known what to do
}

// Error names the formula and the place in it, counted in characters from 1.
func (e *FormulaError) Error() string {
	before := e.Formula[:min(e.Pos, len(e.Formula))]
	return fmt.Sprintf("formula %q, character %d: %v", shortened(e.Formula), len([]rune(before))+1, e.Err)
}

// Unwrap returns the fault itself.
func (e *FormulaError) Unwrap() error { return e.Err }

// shortened cuts a long text for a message.
func shortened(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// ColumnError is a fault in a column of a data set, or in one of its cells.
type ColumnError struct {
	Dataset, Column string
	Row             int64  // 1-based row of the table; 0 if the whole column is at fault
	At              string // the row as text, with file and line when Spec.Locate knows them
	File            string // Spec.File; empty if At names it
	Err             error  // a *words.Hinted where it is known what to do
}

// Error names data set, file, column and row, then the fault.
func (e *ColumnError) Error() string {
	var b strings.Builder
	if e.Dataset != "" {
		fmt.Fprintf(&b, "%s, ", DatasetWords(e.Dataset, e.File))
	}
	fmt.Fprintf(&b, "column %q", e.Column)
	switch {
	case e.At != "":
		b.WriteString(", " + e.At)
	case e.Row > 0:
		fmt.Fprintf(&b, ", row %d", e.Row)
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the fault itself.
func (e *ColumnError) Unwrap() error { return e.Err }

// NewLevelError says that a row is of a level of a grouping that the model was not fitted with.
type NewLevelError struct{ Level, Grouping string }

func (e *NewLevelError) Error() string {
	return fmt.Sprintf("%q is not a level of the grouping %s that the model was fitted with", e.Level, e.Grouping)
}

// TableError is a fault of a whole data set, or of what was asked of it.
type TableError struct {
	Dataset string
	File    string // Spec.File
	Err     error  // a *words.Hinted where it is known what to do
}

// Error names data set and file, then the fault.
func (e *TableError) Error() string {
	if e.Dataset == "" {
		return e.Err.Error()
	}
	return DatasetWords(e.Dataset, e.File) + ": " + e.Err.Error()
}

// Unwrap returns the fault itself.
func (e *TableError) Unwrap() error { return e.Err }

// DatasetWords names a data set and the file that it was read from, if it is known.
func DatasetWords(dataset, file string) string {
	if file == "" {
		return fmt.Sprintf("dataset %q", dataset)
	}
	return fmt.Sprintf("dataset %q, %s", dataset, file)
}

// UnknownHint says which names there are and which of them was perhaps meant.
func UnknownHint(name, what string, candidates []string) string {
	hint := "the " + what + " are " + words.List(candidates)
	if len(candidates) == 0 {
		hint = "there are no " + what
	}
	for _, c := range candidates {
		if words.SameForm(name, c) {
			return fmt.Sprintf("%s exists, and differs from %s in Unicode normal form only: copy the name from the data; %s",
				strconv.QuoteToASCII(c), strconv.QuoteToASCII(name), hint)
		}
	}
	if near := words.Nearest(name, candidates); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}
