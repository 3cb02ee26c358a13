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

// Table holds the validated columns of a source, of the six types that the package documentation lists, and the
// origin of their rows. It is read-only; Release gives its memory back.
type Table struct {
	Name string // the data set
	Key  string // which of the tables of one data set: a file or a group; else empty
	// Files are the paths that were read, in order; empty for a query.
	Files []string
	Data  arrow.Table
	// Warnings are for the reader of a report: columns left out, blank lines skipped, files without rows.
	Warnings []string
	// Doubts are warnings of the columns that Split divided the table by.
	Doubts []string

	parts  []origin
	rows   []int64          // row i is, or first was, row rows[i] of the parts; nil: the same row
	counts []float64        // see Counts
	mem    memory.Allocator // of the tables that Split makes; no budget, since they add up to this one
}

// From names the files of the table as text: the first and the number of others; it is empty for a query.
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
	bad   map[string]*badCells // by column; rows count as in the file
}

// beyondKey, among the metadata of a field of numbers, has the first integer beyond 2^53 and its row; transform
// reports it if the column is used as numbers.
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
	rows, repeats := t.place(filled)
	fields, columns := t.columns(filled, rows, mem)
	t.Data = array.NewTable(arrow.NewSchema(fields, nil), columns, rows)
	for i := range columns {
		columns[i].Release()
	}
	if src.Grouped && (repeats || len(filled) > 1 || len(src.Types) > 0) {
		each := t
		defer each.Release()
		t = each.over(each.names(), mem)
	}
	if src.CheckLater {
		return t, nil
	}
	if err := t.Check(nil); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// columns puts the columns of the parts one after the other, in the order of the first part.
func (t *Table) columns(parts []*part, rows int64, mem memory.Allocator) ([]arrow.Field, []arrow.Column) {
	byName := make([]map[string]*column, len(parts))
	for i, p := range parts {
		byName[i] = make(map[string]*column, len(p.cols))
		for _, c := range p.cols {
			byName[i][c.name] = c
		}
	}
	fields := make([]arrow.Field, len(parts[0].cols))
	columns := make([]arrow.Column, len(fields))
	for j, c := range parts[0].cols {
		all := make([]*column, len(parts))
		for i, p := range parts {
			if all[i] = byName[i][c.name]; all[i] == nil {
				all[i] = p.lacks(c.name, parts[0].file, mem)
			}
		}
		agree(parts, all, mem)
		t.keepBad(all)
		f := arrow.Field{Name: c.name, Type: all[0].typ, Nullable: true, Metadata: remarks(all)}
		if c.unreadable != "" {
			f.Metadata = unreadableAs(c.unreadable)
		}
		fields[j] = t.marked(f, rows)
		var chunks []arrow.Array
		for _, x := range all {
			chunks = append(chunks, x.chunks...)
		}
		chunked := arrow.NewChunked(f.Type, chunks)
		columns[j] = *arrow.NewColumn(fields[j], chunked)
		chunked.Release()
	}
	return fields, columns
}

// keepBad notes the bad cells of a column in its parts.
func (t *Table) keepBad(all []*column) {
	for i, c := range all {
		if c.bad == nil {
			continue
		}
		if t.parts[i].bad == nil {
			t.parts[i].bad = map[string]*badCells{}
		}
		t.parts[i].bad[c.name] = c.bad
	}
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

// agree gives one column the same type in all files. If a file has another type than the first, the whole column is
// at fault, and null.
func agree(parts []*part, cols []*column, mem memory.Allocator) {
	first := slices.IndexFunc(cols, func(c *column) bool { return !c.allNull })
	if first < 0 {
		return // numbers without any value, in all files
	}
	typ := cols[first].typ
	for i, c := range cols {
		if c.allNull || c.typ.ID() == typ.ID() {
			continue
		}
		if !isNumber(c.typ) || !isNumber(typ) {
			c.setWhole(otherType(c, typ, parts[first].file, parts[i].file))
			c.allNull = true
			continue
		}
		typ = arrow.PrimitiveTypes.Float64
	}
	for _, c := range cols {
		switch {
		case c.allNull && c.typ.ID() != typ.ID():
			c.toNulls(mem, typ)
		case c.typ.ID() != typ.ID():
			c.toFloats(mem)
		}
	}
}

// otherType is the fault of a column that has the type typ in the file first and its own type in another.
func otherType(c *column, typ arrow.DataType, first, other string) *ColumnError {
	first, other = filepath.Base(first), filepath.Base(other)
	return &ColumnError{
		Column: c.name, At: other,
		Err: words.Hint(fmt.Errorf("it is %s in %s and %s in %s", describe(typ), first, describe(c.typ), other),
			fmt.Sprintf("fix the file, or set types: {%s: text}", c.name)),
	}
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

// Locate returns the position of a 0-based row of the table in its file: "row 9 (line 10 of claims.csv)", "row 18
// of nulls.parquet", "row 3 of the query".
func (t *Table) Locate(row int64) string {
	p, fileRow := t.origin(row)
	return locate(p.file, p.lines, fileRow)
}

// origin returns the part that a row of the table is from, and its 0-based row of the file.
func (t *Table) origin(row int64) (p *origin, fileRow int64) {
	if t.rows != nil {
		row = t.rows[row]
	}
	i := sort.Search(len(t.parts), func(i int) bool { return t.parts[i].first > row }) - 1
	return &t.parts[i], row - t.parts[i].first
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
