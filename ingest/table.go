package ingest

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// Table is what a source held: validated columns of the six types that the
// package documentation lists, and where their rows came from. It is
// read-only; Release gives its memory back.
type Table struct {
	Name string // the data set
	Key  string // which of the tables of one data set: a file or a group; else empty
	// Files are the paths that were read, in order; empty for a query.
	Files []string
	Data  arrow.Table
	// Warnings are what the reader of a report should know: columns left out,
	// blank lines skipped, files without rows.
	Warnings []string
	// Doubts are warnings of the columns that Split divided the table by.
	Doubts []string

	parts  []origin
	rows   []int64          // row i is, or first was, row rows[i] of the parts; nil: the same row
	counts []float64        // see Counts
	mem    memory.Allocator // of the tables that Split makes; no budget, since they add up to this one
}

// From names the files of the table in words: the first and how many more; it is
// empty for a query.
func (t *Table) From() string {
	if len(t.Files) == 0 {
		return ""
	}
	where := filepath.Base(t.Files[0])
	if more := len(t.Files) - 1; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return where
}

// origin is the span of rows that one file gave.
type origin struct {
	file  string
	first int64
	lines lineMap
}

// beyondKey, among the metadata of a field of numbers, has the first integer beyond
// 2^53 and its place; transform tells it where the column is used as numbers.
const beyondKey = "beyond_2^53"

// alikeKey, among the metadata of a field of numbers, has two spellings of one of them; transform warns of it where the
// numbers are labels.
const alikeKey = "two_spellings"

// remarks are the metadata of the field that columns of several files are.
func remarks(all []*column) arrow.Metadata {
	said := map[string]string{}
	for _, c := range slices.Backward(all) {
		for key, text := range map[string]string{beyondKey: c.beyond, alikeKey: c.alike} {
			if text != "" && isNumber(all[0].typ) {
				said[key] = text
			}
		}
	}
	return arrow.MetadataFrom(said)
}

// newTable puts the parts one after the other. It takes over their chunks.
func newTable(src *Source, parts []*part, mem *budget) (*Table, error) {
	t := &Table{Name: src.Name, Key: src.Key, mem: mem.Allocator}
	var filled []*part
	for _, p := range parts {
		if p.file != "" {
			t.Files = append(t.Files, p.file)
		}
		t.Warnings = append(t.Warnings, p.warnings...)
		if p.rows > 0 {
			filled = append(filled, p)
		}
	}
	if len(filled) == 0 {
		return nil, &SourceError{Dataset: src.Name, File: src.Path, Err: ErrNoRows}
	}
	byName := make([]map[string]*column, len(filled))
	rows, repeats := t.place(filled)
	for i, p := range filled {
		byName[i] = make(map[string]*column, len(p.cols))
		for _, c := range p.cols {
			byName[i][c.name] = c
		}
	}
	fields := make([]arrow.Field, len(filled[0].cols))
	columns := make([]arrow.Column, len(fields))
	for j, c := range filled[0].cols {
		all := make([]*column, len(filled))
		for i := range filled {
			all[i] = byName[i][c.name]
		}
		if fault := agree(filled, all, mem); fault != nil {
			fault.Dataset = src.Name
			return nil, fault
		}
		fields[j] = arrow.Field{Name: c.name, Type: all[0].typ, Nullable: true}
		fields[j].Metadata = remarks(all)
		var chunks []arrow.Array
		for _, x := range all {
			chunks = append(chunks, x.chunks...)
		}
		chunked := arrow.NewChunked(all[0].typ, chunks)
		columns[j] = *arrow.NewColumn(fields[j], chunked)
		chunked.Release()
	}
	t.Data = array.NewTable(arrow.NewSchema(fields, nil), columns, rows)
	for i := range columns {
		columns[i].Release()
	}
	if src.Grouped && (repeats || len(filled) > 1 || len(src.Types) > 0) {
		each := t
		defer each.Release()
		t = each.over(each.names(), mem)
	}
	return t, nil
}

// place notes where the rows of the parts are from and how often they count, and returns how many there are, and
// whether some of a part may be equal.
func (t *Table) place(parts []*part) (rows int64, repeats bool) {
	read := int64(0)
	for _, p := range parts {
		t.parts = append(t.parts, origin{file: p.file, first: read - p.start, lines: p.lines})
		t.counts, repeats = append(t.counts, p.counts...), repeats || p.repeats
		for _, first := range p.first {
			t.rows = append(t.rows, read+first)
		}
		rows, read = rows+p.rows, read+max(p.rows, p.read)
	}
	return rows, repeats
}

// agree gives one column the same type in all files, or says which file
// stands against the first.
func agree(parts []*part, cols []*column, mem memory.Allocator) *ColumnError {
	first := slices.IndexFunc(cols, func(c *column) bool { return !c.allNull })
	if first < 0 {
		return nil // numbers without any value, in all files
	}
	typ := cols[first].typ
	for i, c := range cols {
		if c.allNull || c.typ.ID() == typ.ID() {
			continue
		}
		if !isNumber(c.typ) || !isNumber(typ) {
			return &ColumnError{
				Column: c.name, At: filepath.Base(parts[i].file),
				Err: words.Hint(fmt.Errorf("it is %s in %s and %s in %s", describe(typ),
					filepath.Base(parts[first].file),
					describe(c.typ), filepath.Base(parts[i].file)),
					fmt.Sprintf("mend the file, or set types: {%s: text}", c.name)),
			}
		}
		typ = arrow.PrimitiveTypes.Float64
	}
	for i, c := range cols {
		switch {
		case c.allNull && c.typ.ID() != typ.ID():
			for k, a := range c.chunks {
				c.chunks[k] = array.MakeArrayOfNull(mem, typ, a.Len())
				a.Release()
			}
			c.typ = typ
		case c.typ.ID() != typ.ID():
			cols[i].toFloats(mem)
		}
	}
	return nil
}

func isNumber(dt arrow.DataType) bool { return has(dt, typeNumber) }

// describe names a column's type in the words of a spec.
func describe(dt arrow.DataType) string {
	switch dt.ID() {
	case arrow.INT64, arrow.FLOAT64:
		return typeNumber
	case arrow.BOOL:
		return typeBool
	case arrow.DATE32:
		return typeDate
	case arrow.TIMESTAMP:
		return "time"
	}
	return typeText
}

// Locate says where a 0-based row of the table stands in its file: "row 9
// (line 10 of claims.csv)", "row 18 of nulls.parquet", "row 3 of the query".
func (t *Table) Locate(row int64) string {
	if t.rows != nil {
		row = t.rows[row]
	}
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].first > row }) - 1
	p := t.parts[i]
	return locate(p.file, p.lines, row-p.first)
}

// Bytes is about what the columns take as float64 numbers, those of triplets as
// their runs.
func (t *Table) Bytes() int64 {
	var cells int64
	for i := range int(t.Data.NumCols()) {
		for _, chunk := range t.Data.Column(i).Data().Chunks() {
			if runs, ok := chunk.(*array.RunEndEncoded); ok {
				cells += 2 * int64(runs.Values().Len())
			} else {
				cells += int64(chunk.Len())
			}
		}
	}
	return 8 * cells
}

// Drop gives the memory of columns back, which the table does not have any more; names that it lacks are passed over.
// A call costs a pass over the names of all columns. It is not for a table that others read at the same time.
func (t *Table) Drop(names ...string) {
	gone := map[string]bool{}
	for _, name := range names {
		gone[name] = true
	}
	var fields []arrow.Field
	var columns []arrow.Column
	for i, f := range t.Data.Schema().Fields() {
		if !gone[f.Name] {
			fields, columns = append(fields, f), append(columns, *t.Data.Column(i))
		}
	}
	if len(fields) == int(t.Data.NumCols()) {
		return
	}
	rest := array.NewTable(arrow.NewSchema(fields, nil), columns, t.Data.NumRows()) // it retains them
	t.Data.Release()
	t.Data = rest
}

// Release gives the memory of the columns back. The table must not be used afterwards.
func (t *Table) Release() { t.Data.Release() }
