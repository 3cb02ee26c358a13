package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// A column that cannot be read is part of a formula only if it is named, and then an error; . and globs pass it over. A
// column with a bad cell does not open.
func TestUnreadableColumns(t *testing.T) {
	table := TableOf([]string{"y", "x", "x2", "x3"}, 4, func(column, row int) any { return float64(row * (column + 1)) })
	defer table.Release()
	fields := slices.Clone(table.Schema().Fields())
	fields[2].Metadata = arrow.NewMetadata([]string{unreadableKey, badKey}, []string{"LIST", "a.parquet: its type is LIST"})
	fields[3].Metadata = arrow.NewMetadata([]string{badKey}, []string{"row 2: oops is not a number"})
	columns := make([]arrow.Column, len(fields))
	for i := range columns {
		columns[i] = *arrow.NewColumn(fields[i], table.Column(i).Data())
	}
	marked := array.NewTable(arrow.NewSchema(fields, nil), columns, 4)
	defer marked.Release()
	for formula, want := range map[string]string{
		"y ~ . - x3": "y x", "y ~ x*": "y x x3", "y ~ . - x2": "y x x3", "y ~ x2": "its type is LIST", "y ~ log(x2)": "its type is LIST",
		"y ~ x + (1 | x2)": "its type is LIST", "y ~ x3": "row 2: oops", "y ~ .": "row 2: oops", "y ~ x + offset(x3)": "row 2: oops",
	} {
		f, err := ParseFormula(formula)
		must(t, err)
		reads, err := f.Columns(marked.Schema())
		if err != nil {
			t.Errorf("%s: %v", formula, err)
		}
		got := strings.Join(reads, " ")
		if strings.Contains(want, "y x") {
			if got != want {
				t.Errorf("%s reads %s, want %s", formula, got, want)
			}
			continue
		}
		_, err = Build(marked, Spec{Formula: f, Missing: "drop"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", formula, err, want)
		}
	}
}
