package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// Triplets are the non-zeros of further columns of a source: one row of a file for each of them, with its row, its
// column and its value. Rows and columns count from 1. Where the source itself has a column called as Row, a
// triplet's row is the one with that value, and the column has served; otherwise it is the row's place. No cell may
// appear twice.
type Triplets struct {
	Path            string // as Source.Path; of the same dialect, if CSV
	Row, Col, Value string // names of the columns
	// Prefix and the number name a column: x makes x1, x2, …
	Prefix string
	// Columns is how many columns there are; zero means as many as the largest Col.
	Columns int64
}

// maxTripletColumns bounds the columns that triplets may make.
const maxTripletColumns = 1 << 24

// entry is a triplet; at is its row in the file of triplets.
type entry struct {
	row, col int64 // from 0
	value    float64
	at       int64
}

// sparse is a source with triplets on its way to a table.
type sparse struct {
	src     *Source
	table   *Table // of triplets
	entries []entry
	columns int64
}

// readSparse is Read of a source with triplets. Columns of triplets are run-end
// encoded: of len(rows) numbers, those between the non-zeros are runs of 0.
func readSparse(ctx context.Context, src Source) (*Table, error) {
	s := &sparse{src: &src}
	if err := s.readTriplets(ctx); err != nil {
		return nil, err
	}
	defer s.table.Release()
	base := src
	base.Triplets = nil
	var wanted map[string]bool // columns of triplets; nil for all
	if src.Columns != nil {
		base.Columns = func(schema *arrow.Schema) ([]string, error) {
			chosen, err := src.Columns(s.schema(schema))
			wanted = map[string]bool{}
			var out []string
			for _, name := range chosen {
				if schema.HasField(name) {
					out = append(out, name)
				} else {
					wanted[name] = true
				}
			}
			if row := src.Triplets.Row; schema.HasField(row) && !slices.Contains(out, row) {
				out = append(out, row)
			}
			return out, err
		}
	}
	table, err := Read(ctx, base)
	if err != nil {
		return nil, err
	}
	if err := s.join(table, wanted); err != nil {
		table.Release()
		return nil, err
	}
	return table, nil
}

// schema is the input of a choice of columns: those of the source except the rows' names, and those of the
// triplets.
func (s *sparse) schema(of *arrow.Schema) *arrow.Schema {
	fields := slices.DeleteFunc(slices.Clone(of.Fields()),
		func(f arrow.Field) bool { return f.Name == s.src.Triplets.Row })
	for j := range s.columns {
		fields = append(fields, arrow.Field{Name: s.name(j), Type: sparseType, Nullable: true})
	}
	return arrow.NewSchema(fields, nil)
}

// sparseType is the type of a column of triplets.
var sparseType = arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float64)

func (s *sparse) name(j int64) string { return s.src.Triplets.Prefix + strconv.FormatInt(j+1, 10) }

// readTriplets reads the entries and counts the columns.
func (s *sparse) readTriplets(ctx context.Context) (err error) {
	t := s.src.Triplets
	names := []string{t.Row, t.Col, t.Value}
	s.table, err = Read(ctx, Source{Name: s.src.Name, Path: t.Path, Separator: s.src.Separator, Decimal: s.src.Decimal,
		NullValues: s.src.NullValues, MaxBytes: s.src.MaxBytes, MaxText: s.src.MaxText, Claim: s.src.Claim,
		Within: s.src.Within, mem: s.src.mem,
		Columns: func(*arrow.Schema) ([]string, error) { return names, nil }})
	if err != nil {
		return err
	}
	if err := s.checkMemory(); err != nil {
		return err
	}
	s.entries = make([]entry, s.table.Data.NumRows())
	for i := range s.entries {
		s.entries[i].at = int64(i)
	}
	for _, part := range []struct {
		name string
		put  func(e *entry, v float64)
	}{
		{t.Row, func(e *entry, v float64) { e.row = int64(v) }},
		{t.Col, func(e *entry, v float64) { e.col = int64(v) - 1 }},
		{t.Value, func(e *entry, v float64) { e.value = v }},
	} {
		err := s.eachNumber(part.name, func(i int, v float64) error {
			if part.name != t.Value && (v != math.Floor(v) || math.Abs(v) > 1<<53) {
				return fmt.Errorf("%v is not a whole number", v)
			}
			part.put(&s.entries[i], v)
			return nil
		})
		if err != nil {
			s.table.Release()
			return err
		}
	}
	if s.columns = t.Columns; s.columns == 0 {
		for _, e := range s.entries { // place finds those that are out of range
			s.columns = max(s.columns, min(e.col+1, maxTripletColumns))
		}
	}
	return s.checkMemory()
}

// entryBytes and columnBytes are what an entry and a column take besides the entry's numbers.
const entryBytes, columnBytes = 32, 1000

// checkMemory returns an error if the entries and columns counted so far need more memory than there is. It then
// releases the triplets.
func (s *sparse) checkMemory() error {
	err := s.src.CheckMemory(entryBytes*s.table.Data.NumRows() + columnBytes*s.columns)
	if err == nil {
		return nil
	}
	s.table.Release()
	return &SourceError{Dataset: s.src.Name, File: s.src.Triplets.Path, Err: words.Hint(fmt.Errorf(
		"%d triplets in %d columns: %w", s.table.Data.NumRows(), s.columns, err), budgetHint)}
}

// eachNumber calls visit for the numbers of a column of triplets; an error gets the
// place of its row.
func (s *sparse) eachNumber(name string, visit func(i int, v float64) error) error {
	i := 0
	for _, chunk := range s.column(s.table, name).Chunks() {
		for k := range chunk.Len() {
			var err error
			switch a := chunk.(type) {
			case *array.Int64:
				err = visit(i, float64(a.Value(k)))
			case *array.Float64:
				err = visit(i, a.Value(k))
			default:
				return &ColumnError{
					Dataset: s.src.Name, Column: name, At: filepath.Base(s.src.Triplets.Path),
					Err: words.Hint(fmt.Errorf("it is %s, and triplets are numbers", describe(chunk.DataType())),
						"name the columns of numbers under triplets: row, col, value"),
				}
			}
			if chunk.IsNull(k) {
				err = errors.New("the cell is missing")
			}
			if err != nil {
				return s.fault(name, int64(i), err, "triplets are whole numbers of row and column, from 1, and a value")
			}
			i++
		}
	}
	return nil
}

func (s *sparse) column(t *Table, name string) *arrow.Chunked {
	return t.Data.Column(t.Data.Schema().FieldIndices(name)[0]).Data()
}

// fault is an error of a row of the triplets.
func (s *sparse) fault(column string, at int64, err error, hint string) error {
	return &ColumnError{
		Dataset: s.src.Name, Column: column, Row: at + 1, At: s.table.Locate(at),
		Err: words.Hint(err, hint),
	}
}

// join adds the columns of triplets to the table.
func (s *sparse) join(table *Table, wanted map[string]bool) error {
	if err := s.place(table); err != nil {
		return err
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.col, b.col), cmp.Compare(a.row, b.row), cmp.Compare(a.at, b.at))
	})
	if err := s.distinct(); err != nil {
		return err
	}
	n := table.Data.NumRows()
	if n > math.MaxInt32 {
		return &SourceError{Dataset: s.src.Name, File: s.src.Path,
			Err: errors.New("sparse columns have at most 2147483647 rows")}
	}
	fields, columns := s.kept(table)
	made := len(columns)
	rest := s.entries
	for j := range s.columns {
		last := 0
		for last < len(rest) && rest[last].col == j {
			last++
		}
		if name := s.name(j); wanted == nil || wanted[name] {
			field := arrow.Field{Name: name, Type: sparseType, Nullable: true}
			a := encode(table.mem, rest[:last], n)
			chunked := arrow.NewChunked(sparseType, []arrow.Array{a})
			a.Release()
			fields, columns = append(fields, field), append(columns, *arrow.NewColumn(field, chunked))
			chunked.Release()
		}
		rest = rest[last:]
	}
	old := table.Data
	table.Data = array.NewTable(arrow.NewSchema(fields, nil), columns, n)
	for i := range columns[made:] {
		columns[made+i].Release()
	}
	old.Release()
	table.Files = append(table.Files, s.table.Files...)
	table.Warnings = append(table.Warnings, s.table.Warnings...)
	return nil
}

// place finds the table's row of each entry, and refuses the first in the file that
// is out of range.
func (s *sparse) place(table *Table) error {
	n := table.Data.NumRows()
	name, hint := s.src.Triplets.Row, "rows of triplets count from 1; is the file of triplets that of these rows?"
	named, err := s.namedRows(table)
	if err != nil {
		return err
	}
	for i := range s.entries {
		e := &s.entries[i]
		row, found := e.row-1, e.row >= 1 && e.row <= n
		if named != nil {
			row, found = named[e.row]
		}
		switch {
		case !found && named != nil:
			return s.fault(name, e.at, fmt.Errorf("no row of the data has %s %d", name, e.row), hint)
		case !found:
			return s.fault(name, e.at, fmt.Errorf("row %d is not one of 1 to %d", e.row, n), hint)
		case e.col < 0 || e.col >= s.columns:
			return s.fault(s.src.Triplets.Col, e.at, fmt.Errorf("column %d is not one of 1 to %d", e.col+1, s.columns),
				"columns of triplets count from 1; triplets: {columns: …} gives their number")
		}
		e.row = row
	}
	return nil
}

// namedRows returns the table's row of each name, nil if rows have none.
func (s *sparse) namedRows(table *Table) (map[int64]int64, error) {
	name := s.src.Triplets.Row
	if !table.Data.Schema().HasField(name) {
		return nil, nil
	}
	named := make(map[int64]int64, table.Data.NumRows())
	row := int64(0)
	for _, chunk := range s.column(table, name).Chunks() {
		a, whole := chunk.(*array.Int64)
		if !whole {
			return nil, &ColumnError{
				Dataset: s.src.Name, Column: name,
				Err: words.Hint(errors.New("it names the rows of triplets, and holds other than whole numbers"),
					"rename it, if it does not; rows then count from 1"),
			}
		}
		for k := range a.Len() {
			at, twice := named[a.Value(k)]
			if a.IsNull(k) || twice {
				err := errors.New("the cell is missing")
				if twice {
					err = fmt.Errorf("%d names this row and %s", a.Value(k), table.Locate(at))
				}
				return nil, &ColumnError{
					Dataset: s.src.Name, Column: name, Row: row + 1, At: table.Locate(row),
					Err: words.Hint(err, "each row needs its own number"),
				}
			}
			named[a.Value(k)] = row
			row++
		}
	}
	return named, nil
}

// distinct refuses a cell that appears twice, naming both positions.
func (s *sparse) distinct() error {
	for i := 1; i < len(s.entries); i++ {
		a, b := &s.entries[i-1], &s.entries[i]
		if a.row == b.row && a.col == b.col {
			return s.fault(s.src.Triplets.Value, b.at,
				fmt.Errorf("row %d, column %d is here and in %s", b.row+1, b.col+1, s.table.Locate(a.at)),
				"leave one of them out, or add them up before")
		}
	}
	return nil
}

// kept are the table's own columns but the rows' names. A name that the triplets
// make too stays, and transform refuses the two.
func (s *sparse) kept(table *Table) (fields []arrow.Field, columns []arrow.Column) {
	for i, f := range table.Data.Schema().Fields() {
		if f.Name != s.src.Triplets.Row {
			fields, columns = append(fields, f), append(columns, *table.Data.Column(i))
		}
	}
	return fields, columns
}

// encode makes a column of n rows of its entries, in order of rows.
func encode(mem memory.Allocator, entries []entry, n int64) arrow.Array {
	ends, values := array.NewInt32Builder(mem), array.NewFloat64Builder(mem)
	defer ends.Release()
	defer values.Release()
	ends.Reserve(2*len(entries) + 1)
	values.Reserve(2*len(entries) + 1)
	add := func(end int64, v float64) {
		ends.Append(int32(end))
		values.Append(v)
	}
	done := int64(0)
	for _, e := range entries {
		if e.row > done {
			add(e.row, 0)
		}
		add(e.row+1, e.value)
		done = e.row + 1
	}
	if done < n {
		add(n, 0)
	}
	e, v := ends.NewArray(), values.NewArray()
	defer e.Release()
	defer v.Release()
	return array.NewRunEndEncodedArray(e, v, int(n), 0)
}
