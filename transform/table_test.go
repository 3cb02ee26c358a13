package transform

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/infer/glm"
)

// col is a column of a test table: a slice of float64, int64, string or bool,
// in which missing lists the rows without a value.
type col struct {
	name    string
	values  any
	missing []int
}

// makeTable builds an Arrow table whose columns are cut into chunks of the
// given number of rows (0 for one chunk).
func makeTable(t testing.TB, chunk int, cols ...col) arrow.Table {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Column
	for _, c := range cols {
		a := makeArray(t, c)
		field := arrow.Field{Name: c.name, Type: a.DataType(), Nullable: true}
		size := chunk
		if size == 0 {
			size = max(1, a.Len())
		}
		var parts []arrow.Array
		for i := 0; i < a.Len(); i += size {
			parts = append(parts, array.NewSlice(a, int64(i), int64(min(i+size, a.Len()))))
		}
		fields = append(fields, field)
		columns = append(columns, *arrow.NewColumn(field, arrow.NewChunked(a.DataType(), parts)))
	}
	rows := int64(0)
	if len(columns) > 0 {
		rows = int64(columns[0].Len())
	}
	return array.NewTable(arrow.NewSchema(fields, nil), columns, rows)
}

func makeArray(t testing.TB, c col) arrow.Array {
	t.Helper()
	valid := func(n int) []bool {
		v := allTrue(n)
		for _, i := range c.missing {
			v[i] = false
		}
		return v
	}
	mem := memory.DefaultAllocator
	switch v := c.values.(type) {
	case arrow.Array:
		return v
	case []float64:
		b := array.NewFloat64Builder(mem)
		b.AppendValues(v, valid(len(v)))
		return b.NewArray()
	case []int64:
		b := array.NewInt64Builder(mem)
		b.AppendValues(v, valid(len(v)))
		return b.NewArray()
	case []string:
		b := array.NewStringBuilder(mem)
		b.AppendValues(v, valid(len(v)))
		return b.NewArray()
	case []bool:
		b := array.NewBooleanBuilder(mem)
		b.AppendValues(v, valid(len(v)))
		return b.NewArray()
	}
	t.Fatalf("no array for %T", c.values)
	return nil
}

// readCSV reads a small clean CSV file: a column is float64 if every cell that is not missing is a number, bool if
// every one is TRUE or FALSE, else text. It replaces ingest.
func readCSV(t testing.TB, path string) arrow.Table {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	must(t, err)
	var cols []col
	for j, name := range records[0] {
		var texts []string
		var missing []int
		numbers := make([]float64, 0, len(records)-1)
		isNumber, isBool := true, true
		var bools []bool
		for i, record := range records[1:] {
			cell := record[j]
			texts = append(texts, cell)
			if cell == "NA" || cell == "" || cell == " " || cell == "null" {
				missing = append(missing, i)
				numbers, bools = append(numbers, 0), append(bools, false)
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			isNumber = isNumber && err == nil
			numbers = append(numbers, v)
			isBool = isBool && (cell == "TRUE" || cell == "FALSE")
			bools = append(bools, cell == "TRUE")
		}
		c := col{name: name, values: texts, missing: missing}
		if isNumber {
			c.values = numbers
		} else if isBool {
			c.values = bools
		}
		cols = append(cols, c)
	}
	return makeTable(t, 0, cols...)
}

func classic(t testing.TB, name string) arrow.Table {
	return readCSV(t, filepath.Join("..", "testdata", "classic", name+".csv"))
}

func mustParse(t testing.TB, formula string) *Formula {
	t.Helper()
	f, err := ParseFormula(formula)
	must(t, err)
	return f
}

func mustBuild(t testing.TB, table arrow.Table, formula string, spec Spec) *Design {
	t.Helper()
	spec.Formula = mustParse(t, formula)
	if spec.Family.Name == "" {
		spec.Family.Name = "gaussian"
	}
	d, err := Build(table, spec)
	must(t, err)
	return d
}

func familyNamed(name string) glm.Family { return glm.Family{Name: name} }

// tableSlice is one row of a table.
func tableSlice(table arrow.Table, columns []arrow.Column, row int) arrow.Table {
	var out []arrow.Column
	for i := range columns {
		data := array.NewChunkedSlice(columns[i].Data(), int64(row), int64(row+1))
		out = append(out, *arrow.NewColumn(table.Schema().Field(i), data))
	}
	return array.NewTable(table.Schema(), out, 1)
}
