package ingest

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// column is one loaded column of one file, in chunks of one of the six types.
type column struct {
	name    string
	typ     arrow.DataType
	allNull bool // the type is provisional: that of another file replaces it
	chunks  []arrow.Array
	// beyond is the first integer that not all neighbours differ from as float64
	// numbers, with its place; empty if there is none.
	beyond string
	bad    *badCells // nil if all cells are of the type
	// unreadable is the name of the type of a column that cannot be read, and is null; otherwise empty.
	unreadable string
	// alike are two spellings of one number in a CSV file; empty if there are none.
	alike string
}

func (c *column) release() {
	for _, a := range c.chunks {
		a.Release()
	}
	c.chunks = nil
}

// tight returns an array as it is kept: numbers in memory of their own length, since the reader of Parquet reserves the
// next power of two, up to twice as much, and keeps a bit of validity for each. Others are retained.
func tight(mem memory.Allocator, a arrow.Array) arrow.Array {
	data := a.Data()
	fixed, ok := a.DataType().(arrow.FixedWidthDataType)
	if !ok || a.Len() == 0 || a.DataType().ID() == arrow.BOOL || a.NullN() > 0 || data.Offset() > 0 ||
		data.Buffers()[1] == nil {
		a.Retain()
		return a
	}
	values := memory.NewResizableBuffer(kept(mem))
	values.Resize(a.Len() * fixed.Bytes())
	copy(values.Bytes(), data.Buffers()[1].Bytes())
	own := array.NewData(a.DataType(), a.Len(), []*memory.Buffer{nil, values}, nil, 0, 0)
	values.Release()
	defer own.Release()
	return array.MakeFromData(own)
}

// exactIntegers is the largest magnitude up to which every integer is a float64.
const exactIntegers = 1 << 53

// beyondExact returns the first integer of an array beyond exactIntegers, or -1. The
// array is as a file has it: integers of all widths, and decimals without places.
func beyondExact(a arrow.Array) int {
	var beyond func(i int) bool
	switch a := a.(type) {
	case *array.Int64:
		beyond = func(i int) bool { return a.Value(i) > exactIntegers || a.Value(i) < -exactIntegers }
	case *array.Uint64:
		beyond = func(i int) bool { return a.Value(i) > exactIntegers }
	default:
		scale, isDecimal := a.DataType().(arrow.DecimalType)
		value, ok := decimals(a)
		if !isDecimal || !ok || scale.GetScale() > 0 {
			return -1
		}
		beyond = func(i int) bool { x, _ := value(i); return math.Abs(x) > exactIntegers }
	}
	for i := range a.Len() {
		if a.IsValid(i) && beyond(i) {
			return i
		}
	}
	return -1
}

// part holds the rows of one file (or query).
type part struct {
	file     string // empty for a query
	rows     int64
	lines    lineMap // nil if the file has no lines
	cols     []*column
	warnings []string

	// For distinct rows: the number of rows read, the count of each, the row where it first appears, and whether
	// some may be equal all the same. Counts are nil if each row counts once.
	read    int64
	counts  []float64
	first   []int64
	repeats bool

	start int64 // the row of the file that the first row is, of a piece of it
}

// row is the row of the file that a row of the part is, or first was.
func (p *part) row(row int64) int64 {
	if p.first != nil {
		return p.first[row]
	}
	return p.start + row
}

func (p *part) release() {
	for _, c := range p.cols {
		c.release()
	}
}

// timestampType is the one type of points in time: microseconds since 1970, no zone.
var timestampType = &arrow.TimestampType{Unit: arrow.Microsecond}

// arrowType is the type in which a column of the kind is kept. A column
// without any value is kept as numbers.
func arrowType(k kind) arrow.DataType {
	switch k {
	case kindInt:
		return arrow.PrimitiveTypes.Int64
	case kindBool:
		return arrow.FixedWidthTypes.Boolean
	case kindDate:
		return arrow.PrimitiveTypes.Date32
	case kindText:
		return arrow.BinaryTypes.String
	}
	return arrow.PrimitiveTypes.Float64
}

// nullColumn is a column of missing values.
func nullColumn(mem memory.Allocator, name string, rows int64) *column {
	out := &column{name: name, typ: arrowType(kindNull), allNull: true}
	for rows > 0 {
		n := min(rows, chunkRows)
		out.chunks = append(out.chunks, array.MakeArrayOfNull(mem, out.typ, int(n)))
		rows -= n
	}
	return out
}

// intsToFloats converts integers to the nearest float64.
func intsToFloats(mem memory.Allocator, a *array.Int64) arrow.Array {
	b := array.NewFloat64Builder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	appendIntsAsFloats(b, a)
	return b.NewArray()
}

func appendIntsAsFloats(b *array.Float64Builder, a *array.Int64) {
	for i, v := range a.Int64Values() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(float64(v))
		}
	}
}

// toNulls makes the column one of the type without any value.
func (c *column) toNulls(mem memory.Allocator, typ arrow.DataType) {
	for k, a := range c.chunks {
		c.chunks[k] = array.MakeArrayOfNull(mem, typ, a.Len())
		a.Release()
	}
	c.typ, c.beyond = typ, ""
}

// toFloats converts an integer column to numbers in place; others stay.
func (c *column) toFloats(mem memory.Allocator) {
	for i, a := range c.chunks {
		if ints, ok := a.(*array.Int64); ok {
			c.chunks[i] = intsToFloats(mem, ints)
			a.Release()
		}
	}
	c.typ = arrow.PrimitiveTypes.Float64
}
