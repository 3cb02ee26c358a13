package transform

import (
	"errors"
	"testing"

	"glmbatch/internal/words"
)

// An error names the file of its data set once: before the column, or with the row.
func TestErrorsNameFiles(t *testing.T) {
	cause := words.Hint(errors.New("it is constant"), "leave it out")
	for want, err := range map[string]error{
		"dataset \"d\", a.csv and 2 more, column \"x\": it is constant\nhint: leave it out": &ColumnError{
			Dataset: "d", File: "a.csv and 2 more", Column: "x", Err: cause},
		"dataset \"d\", column \"x\", row 3: it is constant\nhint: leave it out": &ColumnError{Dataset: "d", Column: "x", Row: 3, Err: cause},
		"column \"x\": it is constant\nhint: leave it out":                       &ColumnError{File: "a.csv", Column: "x", Err: cause},
		"dataset \"d\", a.csv: it is constant\nhint: leave it out":               &TableError{Dataset: "d", File: "a.csv", Err: cause},
		"dataset \"d\": it is constant\nhint: leave it out":                      &TableError{Dataset: "d", Err: cause},
		"it is constant\nhint: leave it out":                                     &TableError{File: "a.csv", Err: cause},
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%#v reads %q, want %q", err, err, want)
		}
	}
	b := &builder{spec: Spec{Dataset: "d", File: "a.csv", Locate: func(int64) string { return "row 3 (line 4 of a.csv)" }}}
	for want, err := range map[string]error{
		`dataset "d", column "x", row 3 (line 4 of a.csv): it is constant`: b.cellError("x", 2, errors.New("it is constant"), ""),
		`dataset "d", a.csv, column "x": it is constant`:                   b.columnError("x", errors.New("it is constant"), ""),
		`dataset "d", a.csv: it is constant`:                               b.tableError("it is constant", ""),
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
}
