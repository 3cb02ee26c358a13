package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A value that the source declares as missing is missing in each format, in each spelling of the same number, in pieces
// and where equal rows are kept once. The built-in spellings are those of CSV files alone: text NA of a query stays.
func TestDeclaredNulls(t *testing.T) {
	nulls := append(DefaultNullValues(), "-999", "9999-12-31", "unknown", "9007199254740993")
	const rows = `FROM (VALUES (1::BIGINT, 1.5::DOUBLE, 'a', DATE '2024-03-01', 9007199254740992::BIGINT),
		(-999, -999, ' unknown', DATE '9999-12-31', 9007199254740993), (3, -998.5, 'NA', DATE '2024-03-02', 4)) v(i, x, s, d, n)`
	sqlSource := Source{SQL: "SELECT * " + rows, NullValues: nulls}
	csv := "i,x,s,d,n\n1,1.5,a,2024-03-01,9007199254740992\n-999.0,-9.99e2,unknown,9999-12-31,9007199254740993\n3,-998.5,b,2024-03-02,4\n"
	at := map[string]string{"query": "[0]", "csv": "[1]"} // rows of a query are sorted
	for name, src := range map[string]Source{
		"query": sqlSource, "csv": {Path: writeTemp(t, "d.csv", csv), NullValues: nulls},
	} {
		table := mustRead(t, src)
		for _, column := range []string{"i", "x", "s", "d"} {
			if got, want := nullRows(t, table, column), at[name]; got != want {
				t.Errorf("%s: rows %s of %s are missing, want %s: %v", name, got, column, want, cells(t, table, column))
			}
		}
		if got := cells(t, table, "n"); name == "query" && !slices.Equal(got, []string{".", "9007199254740992", "4"}) {
			t.Errorf("%s: integers beyond 2^53 are %v", name, got)
		}
	}
	if got := cells(t, mustRead(t, sqlSource), "s"); !slices.Contains(got, "NA") {
		t.Errorf("text NA of a query is missing: %v", got)
	}
	if got := cells(t, mustRead(t, Source{SQL: sqlSource.SQL}), "x"); slices.Contains(got, ".") {
		t.Errorf("without declared values: %v", got)
	}
	streamedRows, _, _, err := streamed(t, sqlSource)
	if err != nil || strings.Count(fmt.Sprint(streamedRows), "missing") != 5 {
		t.Errorf("in pieces: %v (%v)", streamedRows, err)
	}
	grouped := mustRead(t, Source{Path: writeTemp(t, "g.csv", "x,y\n-999,1\n-999.0,1\n2,1\n"), NullValues: nulls, Grouped: true})
	if got := grouped.Counts(); !slices.Equal(got, []float64{2, 1}) {
		t.Errorf("equal rows are counted %v", got)
	}
	src := Source{NullValues: nulls}
	for text, want := range map[string]bool{"-999": true, " -999.0 ": true, "-998": false, "unknown": true, "NA": false} {
		if src.SpelledNull(text) != want {
			t.Errorf("%q is declared missing: %v", text, !want)
		}
	}
}

// A column that is declared as text may have no value at all.
func TestDeclaredTextWithoutValues(t *testing.T) {
	for _, typ := range ColumnTypes() {
		table := mustRead(t, Source{Path: writeTemp(t, "d.csv", "x,y\n,1\nNA,2\n"), Types: map[string]string{"x": typ}})
		if got := nullRows(t, table, "x"); got != "[0 1]" {
			t.Errorf("%s: rows %s are missing", typ, got)
		}
	}
}
