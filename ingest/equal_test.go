package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
)

// equalLines are rows of every kind of cell, many of them equal, over more than two batches; some are new in each batch.
func equalLines() (header string, lines []string) {
	for i := range 2*chunkRows + 1000 {
		number, flag := fmt.Sprint(float64(i%3)/2), "true"
		if i%5 == 0 {
			number = ""
		}
		if i%7 == 3 {
			flag = "false"
		}
		text := "t" + fmt.Sprint(i%4+i/chunkRows)
		if i%11 == 4 {
			text = ""
		}
		lines = append(lines, fmt.Sprintf("%d,%s,%s,%s,2026-01-%02d,", i%2-i/(2*chunkRows), number, flag, text, i%3+1))
	}
	return "whole,number,flag,text,day,none", lines
}

// counted is the expected grouped table, made row by row from a table of all rows: its distinct rows in the order
// of their first appearance, with counts and positions.
func counted(t *testing.T, all *Table, columns []string) (rows []string, counts []float64, places []string) {
	t.Helper()
	each := make([]string, all.Data.NumRows())
	for _, name := range columns {
		for i, cell := range cells(t, all, name) {
			each[i] += cell + "|"
		}
	}
	at := map[string]int{}
	for i, row := range each {
		k, known := at[row]
		if !known {
			k = len(rows)
			at[row] = k
			rows, counts, places = append(rows, row), append(counts, 0), append(places, all.Locate(int64(i)))
		}
		counts[k]++
	}
	return rows, counts, places
}

// sameGroups holds a grouped table to one of all rows.
func sameGroups(t *testing.T, got, all *Table, columns []string) {
	t.Helper()
	want, counts, places := counted(t, all, columns)
	rows, _, _ := counted(t, got, columns)
	if !slices.Equal(rows, want) || !slices.Equal(got.Counts(), counts) {
		t.Errorf("%d rows, counts %v\nwant %d, %v", len(rows), got.Counts()[:min(9, len(rows))], len(want), counts[:min(9, len(want))])
	}
	for i, place := range places {
		if got.Locate(int64(i)) != place {
			t.Fatalf("row %d is %s, want %s", i, got.Locate(int64(i)), place)
		}
	}
	for _, name := range columns {
		if g, w := columnOf(t, got, name).DataType(), columnOf(t, all, name).DataType(); !arrow.TypeEqual(g, w) {
			t.Errorf("column %s has type %s, want %s", name, g, w)
		}
	}
}

// Grouped tables of all formats are those of all rows with equal ones counted, and so are their divisions and their tables
// of fewer columns.
func TestEqualRowsAreGrouped(t *testing.T) {
	header, lines := equalLines()
	path := writeTemp(t, "a.csv", header+"\n"+strings.Join(lines, "\n")+"\n")
	all := mustRead(t, Source{Path: path})
	columns := all.names()
	dir := filepath.Dir(path)
	sources := map[string]Source{"csv": {Path: path}}
	for name, opts := range map[string][]parquet.WriterProperty{
		"one group":  {parquet.WithDictionaryDefault(false)},
		"groups":     {parquet.WithMaxRowGroupLength(30_000)},
		"dictionary": {parquet.WithDictionaryDefault(true), parquet.WithMaxRowGroupLength(100_000)},
	} {
		sources["parquet, "+name] = Source{Path: writeParquet(t, wholeBatch(t, all), opts...)}
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			src.Grouped = true
			got := mustRead(t, src)
			if !strings.HasSuffix(name, "csv") {
				all := mustRead(t, Source{Path: src.Path})
				sameGroups(t, got, all, columns)
				return
			}
			sameGroups(t, got, all, columns)
			few := got.Over([]string{"text", "whole"})
			defer few.Release()
			sameGroups(t, few, all, []string{"whole", "text"})
			if few.Data.NumCols() != 2 {
				t.Errorf("%d columns, want 2", few.Data.NumCols())
			}
		})
	}
	t.Run("files", func(t *testing.T) { // their kinds are numbers together, and rows of both are equal
		for i, text := range []string{"x,y\n1,a\n2,b\n1,a\n", "x,y\n1.0,a\n2.5,a\n2.5,a\n"} {
			must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.csv", i)), []byte(text), 0o600))
		}
		src := Source{Path: filepath.Join(dir, "part*.csv")}
		all := mustRead(t, src)
		src.Grouped = true
		got := mustRead(t, src)
		sameGroups(t, got, all, all.names())
		if got.Locate(2) != "row 2 (line 3 of part1.csv)" {
			t.Error(got.Locate(2))
		}
	})
	t.Run("query", func(t *testing.T) {
		src := Source{SQL: "SELECT i % 3 AS x, 'l' || (i % 2) AS y FROM range(200000) t(i)"}
		all := mustRead(t, src)
		src.Grouped = true
		sameGroups(t, mustRead(t, src), all, all.names())
	})
}

// A file whose rows take more than there is may be read where few of them differ.
func TestGroupedMemory(t *testing.T) {
	csv := Source{Path: writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n2\n", 5*chunkRows))}
	file := Source{Path: writeParquet(t, wholeBatch(t, mustRead(t, csv)))}
	for _, src := range []Source{csv, file} {
		src.MaxBytes = 4 << 20
		if _, err := readTest(t, src); err == nil {
			t.Errorf("%s: the table fits", src.Path)
		}
		src.Grouped = true
		if got := mustRead(t, src); !slices.Equal(got.Counts(), []float64{5 * chunkRows, 5 * chunkRows}) {
			t.Errorf("%s: %v", src.Path, got.Counts())
		}
	}
}

// Files of other writers, with every codec, type and encoding, give the distinct rows of what they give without grouping.
func TestGroupedOtherWriters(t *testing.T) {
	compared := 0
	for _, glob := range []string{"writers/*.parquet", "others/*.parquet"} {
		paths, err := filepath.Glob(filepath.Join(fixtures, glob))
		must(t, err)
		for _, path := range paths {
			all, want := Read(t.Context(), Source{Path: path}) // not counted: see TestEncodings
			got, err := Read(t.Context(), Source{Path: path, Grouped: true})
			if fmt.Sprint(want) != fmt.Sprint(err) {
				t.Errorf("%s: %v\nwant %v", path, err, want)
			}
			if err != nil || want != nil {
				continue
			}
			sameGroups(t, got, all, all.names())
			if !slices.Equal(got.Warnings, all.Warnings) {
				t.Errorf("%s: warnings %q, want %q", path, got.Warnings, all.Warnings)
			}
			compared++
			all.Release()
			got.Release()
		}
	}
	if compared < 50 {
		t.Errorf("%d files compared", compared)
	}
}

// wholeBatch is a table as one batch.
func wholeBatch(t *testing.T, table *Table) arrow.RecordBatch {
	t.Helper()
	arrays := make([]arrow.Array, table.Data.NumCols())
	for j := range arrays {
		a, err := array.Concatenate(table.Data.Column(j).Data().Chunks(), memory.NewGoAllocator())
		must(t, err)
		arrays[j] = a
	}
	return array.NewRecordBatch(table.Data.Schema(), arrays, table.Data.NumRows())
}

// Groups that by: makes have the counts of their rows, and hashes distinguish counts.
func TestGroupedTablesDivide(t *testing.T) {
	src := Source{Path: writeTemp(t, "a.csv", "g,x\nb,1\na,1\nb,1\na,2\nb,3\na,1\n"), By: []string{"g"}, Grouped: true}
	parts, err := mustRead(t, src).Split(src.By)
	must(t, err)
	for i, want := range []struct {
		counts []float64
		place  string
	}{{[]float64{2, 1}, "row 4 (line 5 of a.csv)"}, {[]float64{2, 1}, "row 5 (line 6 of a.csv)"}} {
		p := parts[i]
		defer p.Release()
		if !slices.Equal(p.Counts(), want.counts) || p.Locate(1) != want.place {
			t.Errorf("%s: %v, %s", p.Key, p.Counts(), p.Locate(1))
		}
	}
	hashes := map[string]bool{}
	for _, text := range []string{"x\n1\n2\n", "x\n1\n2\n1\n", "x\n1\n2\n2\n"} {
		hashes[hashOf(t, mustRead(t, Source{Path: writeTemp(t, "a.csv", text), Grouped: true}))] = true
	}
	if len(hashes) != 3 {
		t.Errorf("%d hashes of 3 tables", len(hashes))
	}
}

// Integers beyond int64 make numbers of a whole column, those of batches before them too; texts that are forced to be
// numbers become equal; −0 is 0.
func TestGroupedTypes(t *testing.T) {
	b := array.NewUint64Builder(memory.NewGoAllocator())
	batch := oneColumn(b, func() {
		for i := range chunkRows {
			b.Append(uint64(i % 2))
		}
		b.AppendValues([]uint64{1 << 63, 1, 0, 1 << 63}, nil)
	})
	path := writeParquet(t, batch)
	all := mustRead(t, Source{Path: path})
	sameGroups(t, mustRead(t, Source{Path: path, Grouped: true}), all, all.names())

	s := array.NewStringBuilder(memory.NewGoAllocator())
	forced := Source{Path: writeParquet(t, oneColumn(s, func() { s.AppendValues([]string{"1", "2", "1.0", "2"}, nil) }))}
	forced.Types = map[string]string{mustRead(t, forced).names()[0]: "number"}
	all = mustRead(t, forced)
	forced.Grouped = true
	sameGroups(t, mustRead(t, forced), all, all.names())

	zero := mustRead(t, Source{Path: writeTemp(t, "a.csv", "x\n0.0\n-0.0\n0\n"), Grouped: true})
	if !slices.Equal(zero.Counts(), []float64{3}) {
		t.Error(zero.Counts())
	}
}

// Faults are reported as for all rows, with the row of the file; rows that hardly repeat are an error with their
// number.
func TestGroupedFaults(t *testing.T) {
	var far strings.Builder
	far.WriteString("x\n")
	for range chunkRows {
		far.WriteString("1\n")
	}
	far.WriteString("oops\n")
	f := array.NewFloat64Builder(memory.NewGoAllocator())
	infinite := writeParquet(t, oneColumn(f, func() {
		f.AppendValues(make([]float64, chunkRows+7), nil)
		f.Append(1 / f.Value(0))
	}))
	s := array.NewStringBuilder(memory.NewGoAllocator())
	text := Source{Path: writeParquet(t, oneColumn(s, func() { s.AppendValues([]string{"1", "1", "1", "z"}, nil) }))}
	text.Types = map[string]string{mustRead(t, text).names()[0]: "number"}
	for name, src := range map[string]Source{"csv": {Path: writeTemp(t, "a.csv", far.String())}, "parquet": {Path: infinite}, "forced": text} {
		_, want := readTest(t, src)
		src.Grouped = true
		_, err := readTest(t, src)
		if want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v\nwant %v", name, err, want)
		}
	}
	var many strings.Builder
	many.WriteString("x,y\n")
	for i := range 200_000 {
		fmt.Fprintf(&many, "%d.5,u\n", i)
	}
	csv := writeTemp(t, "many.csv", many.String())
	for name, path := range map[string]string{"csv": csv, "parquet": writeParquet(t, wholeBatch(t, mustRead(t, Source{Path: csv})))} {
		_, err := readTest(t, Source{Path: path, Grouped: true, MaxBytes: 12 << 20})
		var over *budgetError
		var distinct, read int
		if errors.As(err, &over) {
			_, told, _ := strings.Cut(err.Error(), filepath.Base(path)+": ")
			_, _ = fmt.Sscanf(told, "%d distinct rows among the first %d:", &distinct, &read)
		}
		if distinct < 1000 || distinct != read {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := readTest(t, Source{Path: csv, Grouped: true, Triplets: &Triplets{Path: csv}}); err == nil ||
		!strings.Contains(err.Error(), "rows of triplets are not grouped") {
		t.Error(err)
	}
}
