package ingest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// later reads a source whose bad cells wait for Check.
func later(t *testing.T, src Source) *Table {
	t.Helper()
	src.CheckLater = true
	return mustRead(t, src)
}

// A bad cell is an error of the columns and of the groups that have it, and of no other.
func TestBadCellOfOneGroup(t *testing.T) {
	text := "g,x,z\na,1,1\na,2,2\nb,3,3\nb,%s,4\nc,5,5\nc,6,6\n"
	for cell, want := range map[string]string{
		"NaN":        `"NaN" is not a finite number`,
		"-inf":       `"-inf" is not a finite number`,
		"1e999":      `"1e999" is not a finite number`,
		"oops":       `"oops" is not a number, but 5 of 6 cells are`,
		"TRUE":       `"TRUE" is not a number, but 5 of 6 cells are`,
		"2024-01-31": `"2024-01-31" is not a number, but 5 of 6 cells are`,
		"\xff":       `"\xff" is not a number, but 5 of 6 cells are`,
	} {
		t.Run(cell, func(t *testing.T) {
			path := writeTemp(t, "a.csv", fmt.Sprintf(text, cell))
			for _, grouped := range []bool{false, true} {
				table := later(t, Source{Path: path, Grouped: grouped})
				sameBad(t, table, []string{"g", "z"}, "")
				sameBad(t, table, nil, `dataset "data", column "x", row 4 (line 5 of a.csv): `+want)
				groups, err := table.Split([]string{"g"})
				must(t, err)
				for _, g := range groups {
					if g.Key == "b" {
						sameBad(t, g, []string{"x"}, `dataset "data/b", column "x", row 4 (line 5 of a.csv): `+want)
					} else {
						sameBad(t, g, nil, "")
					}
					g.Release()
				}
			}
		})
	}
}

// A row with a bad cell is equal to no other, and not to one in which the cell is missing.
func TestBadCellsAreKeptApart(t *testing.T) {
	path := writeTemp(t, "a.csv", "g,x\na,\na,oops\na,\na,oops\na,1\na,1\nb,2\nb,3\nb,4\n")
	table := later(t, Source{Path: path, Grouped: true})
	if got := fmt.Sprint(cells(t, table, "x"), table.Counts()); got != "[. . . 1 2 3 4] [2 1 1 2 1 1 1]" {
		t.Errorf("got %s", got)
	}
	sameBad(t, table, nil, `dataset "data", column "x", row 2 (line 3 of a.csv): "oops" is not a number, but 5 of 7`)
}

// sameBad compares what Check, Hash and the fields' metadata state of columns.
func sameBad(t *testing.T, table *Table, columns []string, want string) {
	t.Helper()
	err := table.Check(columns)
	_, herr := table.Hash(columns)
	if columns == nil {
		columns = table.names()
	}
	marked := false
	for _, name := range columns {
		f := table.Data.Schema().Field(table.Data.Schema().FieldIndices(name)[0])
		_, bad := f.Metadata.GetValue(badKey)
		marked = marked || bad
	}
	if want == "" {
		if err != nil || herr != nil || marked {
			t.Errorf("%s, %q: Check %v, Hash %v, marked %v; want no error", table.Key, columns, err, herr, marked)
		}
		return
	}
	for _, e := range []error{err, herr} {
		var column *ColumnError
		if !errors.As(e, &column) || !strings.HasPrefix(column.Error(), want) {
			t.Errorf("got %v\nwant %s", e, want)
		}
	}
	if !marked {
		t.Errorf("no field of %q has the bad cell", columns)
	}
}

// Each group with a bad cell has an error, however many bad cells there are; beyond maxReasons without the cell's text.
func TestManyBadCells(t *testing.T) {
	const rows, size = 3 * chunkRows, 64
	var b strings.Builder
	b.WriteString("g,x\n")
	for i := range rows {
		if i%64 == 5 && i > 100 {
			fmt.Fprintf(&b, "%d,bad%d\n", i/size, i)
		} else {
			fmt.Fprintf(&b, "%d,%d.5\n", i/size, i)
		}
	}
	table := later(t, Source{Path: writeTemp(t, "a.csv", b.String())})
	groups, err := table.Split([]string{"g"})
	if err != nil || len(groups) != rows/size {
		t.Fatal(len(groups), err)
	}
	for i, g := range groups {
		row := i*size + 5
		want := fmt.Sprintf("row %d (line %d of a.csv)", row+1, row+2)
		err := g.Check(nil)
		switch {
		case i < 2:
			want = ""
		case i-2 < maxReasons:
			want += fmt.Sprintf(`: "bad%d" is not a number`, row)
		default:
			want += ": the cell is not of the column's type, as 3070 cells of this column are not"
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Fatalf("group %s: got %v, want %s", g.Key, err, want)
		}
		g.Release()
	}
	if n := len(table.parts[0].bad["x"].reasons); n != maxReasons {
		t.Errorf("%d reasons are kept, want %d", n, maxReasons)
	}
}

// NaN and infinities of Parquet files and queries are bad cells too, and so are times that are out of range.
func TestBadCellsOfParquet(t *testing.T) {
	x := array.NewFloat64Builder(memory.NewGoAllocator())
	x.AppendValues([]float64{1, math.NaN(), 3, 4, math.Inf(1), 6}, nil)
	z := array.NewTimestampBuilder(memory.NewGoAllocator(), &arrow.TimestampType{Unit: arrow.Millisecond})
	z.AppendValues([]arrow.Timestamp{1, 2, 3, math.MaxInt64 / 10, 5, 6}, nil)
	g := array.NewStringBuilder(memory.NewGoAllocator())
	g.AppendValues([]string{"a", "a", "b", "b", "c", "c"}, nil)
	fields := []arrow.Field{{Name: "x", Type: x.Type()}, {Name: "z", Type: z.Type()}, {Name: "g", Type: g.Type()}}
	path := writeParquet(t, array.NewRecordBatch(arrow.NewSchema(fields, nil),
		[]arrow.Array{x.NewArray(), z.NewArray(), g.NewArray()}, 6))
	base := filepath.Base(path)
	for name, src := range map[string]Source{"parquet": {Path: path}, "grouped": {Path: path, Grouped: true},
		"NaN is missing": {Path: path, NullValues: []string{"NaN"}}} {
		table := later(t, src)
		groups, err := table.Split([]string{"g"})
		must(t, err)
		if name == "NaN is missing" {
			sameBad(t, groups[0], nil, "")
		} else {
			sameBad(t, groups[0], nil, `dataset "data/a", column "x", row 2 of `+base+": NaN is not a finite number")
		}
		sameBad(t, groups[1], []string{"x"}, "")
		sameBad(t, groups[1], []string{"z"}, `dataset "data/b", column "z", row 4 of `+base+": the time ")
		sameBad(t, groups[2], []string{"x"}, `dataset "data/c", column "x", row 5 of `+base+": Inf is not a finite number")
		for _, g := range groups {
			g.Release()
		}
	}
	query := later(t, Source{SQL: "SELECT unnest([1.5, 'nan'::DOUBLE, 2.5]) AS x, unnest([1, 2, 3]) AS y"})
	sameBad(t, query, []string{"y"}, "")
	sameBad(t, query, []string{"x"}, `dataset "data", column "x", row 3 of the query: NaN is not a finite number`)
}

// A column that differs between files is at fault as a whole; the others are not.
func TestBadColumnOfFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv": "x,z,w\n1,2,1\n3,4,2\n", "b.csv": "x,z\n1,u\n3,v\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	src := Source{Path: filepath.Join(dir, "*.csv")}
	table := later(t, src)
	sameBad(t, table, []string{"x"}, "")
	sameBad(t, table, []string{"z"}, `dataset "data", column "z", b.csv: it is number in a.csv and text in b.csv`)
	sameBad(t, table, []string{"w"}, `dataset "data", column "w", b.csv: a.csv has this column and b.csv has not`)
	if _, err := table.Split([]string{"z"}); err == nil || !strings.Contains(err.Error(), "it is number in a.csv") {
		t.Error(err)
	}
	if _, err := readTest(t, src); err == nil || !strings.Contains(err.Error(), "it is number in a.csv and text in b.csv") {
		t.Error(err)
	}
}

// The pieces of a stream have the bad cells of their own rows.
func TestBadCellsOfStream(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,z\n")
	for i := range 2*chunkRows + 3 {
		if i == chunkRows+7 {
			b.WriteString("1,oops\n")
		} else {
			fmt.Fprintf(&b, "1,%d\n", i)
		}
	}
	s, err := Open(context.Background(), Source{Name: "data", CheckLater: true, Path: writeTemp(t, "a.csv", b.String())})
	must(t, err)
	defer s.Close()
	piece := 0
	err = s.Each(context.Background(), func(table *Table) error {
		want := ""
		if piece == 1 {
			want = fmt.Sprintf(`dataset "data", column "z", row %d (line %d of a.csv): "oops" is not`, chunkRows+8, chunkRows+9)
		}
		sameBad(t, table, nil, want)
		sameBad(t, table, []string{"x"}, "")
		piece++
		return nil
	})
	if err != nil || piece != 3 {
		t.Error(piece, err)
	}
}

// Rows without a group are one error; the groups come all the same.
func TestUngroupedRows(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		keys       []string
	}{
		"missing": {"g,x\na,1\n,2\nb,3\nNA,4\n",
			`dataset "data", column "g", row 2 (line 3 of a.csv): the group is missing; 2 rows have no group`, []string{"a", "b"}},
		"stray": {"g,x\n1,1\noops,2\n2,3\n2,4\n",
			`dataset "data", column "g", row 2 (line 3 of a.csv): the row has no group: "oops" is not a number, but 3 of 4 cells are`,
			[]string{"1", "2"}},
		"large integers": {"g,x\n20240101,1\nnan,2\n20240102,3\n",
			`dataset "data", column "g", row 2 (line 3 of a.csv): the row has no group: "nan" is not a finite number`,
			[]string{"20240101", "20240102"}},
		"all": {"g,x\n,1\n,2\n", `dataset "data", column "g", row 1 (line 2 of a.csv): the group is missing; 2 rows`, nil},
	} {
		groups, err := later(t, Source{Path: writeTemp(t, "a.csv", c.text)}).Split([]string{"g"})
		var lost *UngroupedError
		if !errors.As(err, &lost) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", name, err, c.want)
		}
		var keys []string
		for _, g := range groups {
			keys = append(keys, g.Key)
			g.Release()
		}
		if !slices.Equal(keys, c.keys) {
			t.Errorf("%s: groups %q, want %q", name, keys, c.keys)
		}
	}
}

// A stray cell among true and false is a bad cell, as one among numbers is.
func TestStrayAmongBooleans(t *testing.T) {
	for _, cell := range []string{"0", "1", "T", "yes", "missing", "2024-01-31"} {
		path := writeTemp(t, "a.csv", "b\nTRUE\nfalse\n"+cell+"\nTRUE\n")
		_, err := readTest(t, Source{Path: path})
		want := fmt.Sprintf(`row 3 (line 4 of a.csv): %q is not true or false, but 3 of 4 cells are`, cell)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got := cells(t, mustRead(t, Source{Path: writeTemp(t, "a.csv", "b\nTRUE\n0\n")}), "b"); got[1] != "0" {
		t.Errorf("half of the cells do not decide: %q", got)
	}
}

// A list of spellings with the empty text replaces the default ones; any other list adds to them.
func TestNullValues(t *testing.T) {
	text := "c,n,d,b,m\nNA,1,2024-01-31,TRUE,NA\nZA,NA,NA,NA,1\nnull,-999,null,N/A,x\n,3,2024-02-28,,2\n"
	path := writeTemp(t, "a.csv", text)
	for list, want := range map[string]string{
		"":       `. ZA . . | 1 . -999 3 | . 1 . 2 bad 3`,
		"-999":   `. ZA . . | 1 . . 3 | . 1 . 2 bad 3`,
		"|":      `NA ZA null . | 1 . -999 3 bad 2 | NA 1 x 2`,
		"|ZA":    `NA . null . | 1 . -999 3 bad 2 | NA 1 x 2`,
		"|NA":    `. ZA null . | 1 . -999 3 | . 1 . 2 bad 3`,
		"-999|x": `. ZA . . | 1 . . 3 | . 1 . 2`,
	} {
		src := Source{Path: path}
		if list != "" {
			src.NullValues = NullValues(strings.Split(list, "|"))
		}
		table := later(t, src)
		got := ""
		for _, name := range []string{"c", "n", "m"} {
			got += " | " + strings.Join(cells(t, table, name), " ")
			if fault := table.bad(name, 4); fault != nil {
				got += fmt.Sprintf(" bad %d", fault.Row)
			}
		}
		if got = strings.TrimPrefix(got, " | "); got != want {
			t.Errorf("%q: got %s, want %s", list, got, want)
		}
	}
	// A column of numbers, dates or truth values with a few words that are missing by default does not become text.
	table := later(t, Source{Path: path, NullValues: []string{""}})
	for name, want := range map[string]string{"n": `"NA" is not a number, but 3 of 4`, "d": `"NA" is not a date, but 2 of 4`,
		"b": `"NA" is not true or false, but 1 of 3`} {
		if err := table.Check([]string{name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
	}
	warned := `column "c" is text, and 2 of its cells are words such as "NA" that null_values does not list: they are values`
	if !strings.Contains(strings.Join(table.Warnings, "\n"), warned) {
		t.Errorf("warnings %q", table.Warnings)
	}
	forced := later(t, Source{Path: path, NullValues: []string{""}, Types: map[string]string{"c": "text", "m": "text"}})
	if len(forced.Warnings) > 0 {
		t.Errorf("warnings %q", forced.Warnings)
	}
}

// UUIDs are text. A column of a type that cannot be read is left out of the table if Columns need not ask for it,
// and is an error for a caller who does.
func TestUnreadableColumns(t *testing.T) {
	types := map[string]string{"TIME": "TIME '01:02:03'", "INTERVAL": "INTERVAL 3 DAY", "LIST": "[i, 2]",
		"STRUCT": "{'a': i}", "MAP": "MAP {'k': i}"}
	selected := "i % 2 AS y, printf('%08x-0000-4000-8000-00000000000a', i)::UUID AS customer"
	for name, value := range types {
		selected += fmt.Sprintf(", %s AS c%s", value, name)
	}
	query := "SELECT " + selected + " FROM range(20) t(i)"
	path := filepath.Join(t.TempDir(), "data.parquet")
	execute(t, "COPY ("+query+") TO '"+path+"' (FORMAT parquet)")
	for from, src := range map[string]Source{"data.parquet": {Path: path}, "": {SQL: query}} {
		table := later(t, src)
		if got := table.names(); !slices.Equal(got, []string{"y", "customer"}) || len(table.Warnings) != len(types) {
			t.Errorf("columns %q, warnings %q", got, table.Warnings)
		}
		if got := cells(t, table, "customer")[19]; got != "00000013-0000-4000-8000-00000000000a" {
			t.Errorf("a UUID became %s", got)
		}
		for name := range types {
			name, typ := "c"+name, name
			for _, grouped := range []bool{false, true} {
				asked := src
				asked.Columns, asked.Grouped = func(*Schema) ([]string, error) { return []string{"y", name}, nil }, grouped
				table := later(t, asked)
				at := ""
				if from != "" {
					at = ", " + from
				}
				sameBad(t, table, []string{name}, fmt.Sprintf("dataset \"data\", column %q%s: its type is %s, and", name, at, typ))
				sameBad(t, table, []string{"y"}, "")
				if f := table.Data.Schema().Field(table.Data.Schema().FieldIndices(name)[0]); !isUnreadable(f) {
					t.Errorf("%s is not marked", name)
				}
				if !strings.Contains(table.Check(nil).Error(), "hint: ") {
					t.Error("no hint")
				}
				if _, err := table.Split([]string{name}); err == nil {
					t.Errorf("%s divides the rows", name)
				}
			}
		}
	}
}

// execute runs a statement in an empty database.
func execute(t *testing.T, statement string) {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
