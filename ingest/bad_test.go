package ingest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const badDir = "../testdata/bad"

// badOutcome is the required result for a file of testdata/bad: an error with certain words, or a table. Faults of
// a model (a response outside its family's domain, separation) are not seen here: such a file reads.
type badOutcome struct {
	rows  int64    // of the table; 0 means an error
	words []string // all of them in the error, or in the warnings of a table
}

var badOutcomes = map[string]badOutcome{
	"all_missing_column.csv":      {rows: 12},
	"bom_crlf.csv":                {rows: 12},
	"constant_column.csv":         {rows: 12},
	"coo_duplicate.csv":           {rows: 4},
	"coo_out_of_range.csv":        {rows: 5},
	"duplicate_columns.csv":       {words: []string{"duplicate_columns.csv", "line 1", `"x1"`, "columns 2 and 3"}},
	"empty.csv":                   {words: []string{"empty.csv", "the file is empty"}},
	"fractional_counts.csv":       {rows: 12},
	"gaussian_zero_variance.csv":  {rows: 12},
	"gzip_named.csv":              {rows: 20},
	"header_only.csv":             {words: []string{"header_only.csv", "no data rows"}},
	"huge_values.csv":             {rows: 12},
	"identical_columns.csv":       {rows: 12},
	"missing_cells.csv":           {rows: 12},
	"missing_response.csv":        {words: []string{"missing_response.csv", `"y"`, `"outcome", "x1", "x2"`}},
	"missing_response_cell.csv":   {rows: 12},
	"nan_inf.csv":                 {words: []string{"line 4 of nan_inf.csv", `column "x1"`, `"NaN" is not a finite number`}},
	"nasty_names.csv":             {rows: 30},
	"negative_counts.csv":         {rows: 12},
	"nulls.parquet":               {rows: 40},
	"one_row.csv":                 {rows: 1},
	"plain.csv.gz":                {rows: 20},
	"ragged_long.csv":             {words: []string{"ragged_long.csv", "line 9", "4 fields found, 3 expected"}},
	"ragged_short.csv":            {words: []string{"ragged_short.csv", "line 5", "2 fields found, 3 expected"}},
	"random.parquet":              {words: []string{"random.parquet", "not a Parquet file", "PAR1"}},
	"response_all_one.csv":        {rows: 12},
	"response_fraction.csv":       {rows: 12},
	"response_only.csv":           {rows: 20},
	"response_two.csv":            {rows: 12},
	"semicolon.csv":               {rows: 12},
	"separated.csv":               {rows: 12},
	"successes_exceed_trials.csv": {rows: 8},
	"tab_named.csv":               {rows: 12},
	"text_column.parquet":         {rows: 40, words: []string{`"x2"`, "39 of 40", "oops", "row 24"}},
	"text_in_numeric.csv":         {words: []string{"line 7 of text_in_numeric.csv", `column "x2"`, `"abc" is not a number`}},
	"truncated.parquet":           {words: []string{"truncated.parquet", "cut off", "PAR1"}},
	"zero_rows.parquet":           {words: []string{"zero_rows.parquet", "no data rows"}},
}

func TestBadFiles(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(badDir, "index.json"))
	must(t, err)
	var index struct {
		Files []struct {
			File     string
			Response string
			Action   string
			N        int64
			Columns  []string
		}
	}
	must(t, json.Unmarshal(raw, &index))
	if len(index.Files) != len(badOutcomes) {
		t.Errorf("index.json has %d files, the table %d", len(index.Files), len(badOutcomes))
	}
	for _, f := range index.Files {
		t.Run(f.File, func(t *testing.T) {
			want, known := badOutcomes[f.File]
			if !known {
				t.Fatalf("no outcome is stated for %s", f.File)
			}
			src := Source{Path: filepath.Join(badDir, f.File)}
			if f.File == "missing_response.csv" { // asks for a column that is not there
				src.By = []string{f.Response}
			}
			table, err := readTest(t, src)
			if err != nil {
				mustHold(t, err.Error(), want)
				return
			}
			mustHold(t, strings.Join(table.Warnings, "\n"), want)
			if got := table.Data.NumRows(); got != want.rows || (f.N > 0 && got != f.N) {
				t.Errorf("%d rows, want %d (index.json: %d)", got, want.rows, f.N)
			}
			for j, name := range f.Columns {
				if got := table.Data.Schema().Field(j).Name; got != name {
					t.Errorf("column %d is named %q, want %q", j, got, name)
				}
			}
		})
	}
}

func mustHold(t *testing.T, text string, want badOutcome) {
	t.Helper()
	t.Log(text)
	for _, w := range want.words {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not said in: %s", w, text)
		}
	}
	if want.rows > 0 && strings.Contains(text, "dataset ") {
		t.Errorf("got an error, want %d rows: %s", want.rows, text)
	}
}

// The cells that a careless reader would turn into numbers stay missing.
func TestMissingCells(t *testing.T) {
	for file, want := range map[string]struct{ column, nulls string }{
		"missing_cells.csv":         {"x1", "[1 9]"},
		"missing_response_cell.csv": {"y", "[4]"},
		"nulls.parquet":             {"x1", "[17]"},
	} {
		table, err := readTest(t, Source{Path: filepath.Join(badDir, file)})
		if err != nil {
			t.Error(err)
			continue
		}
		if got := nullRows(t, table, want.column); got != want.nulls {
			t.Errorf("%s, %s: null rows %s, want %s", file, want.column, got, want.nulls)
		}
	}
}
