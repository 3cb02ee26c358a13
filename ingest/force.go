package ingest

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// force makes values missing that the source declares so, and converts the columns that Source.Types names to their
// type. A value that cannot be converted is a bad cell.
func force(src *Source, p *part, mem memory.Allocator) {
	src.hide(p, mem)
	if len(src.Types) == 0 {
		return
	}
	g := newGrammar(src.NullValues, src.Decimal)
	for _, c := range p.cols {
		want, forced := src.Types[c.name]
		if !forced || c.allNull || has(c.typ, want) {
			continue
		}
		c.cast(mem, g, want, p.row)
	}
}

// has reports whether a column of type dt already is what a spec calls want.
func has(dt arrow.DataType, want string) bool {
	switch dt.ID() {
	case arrow.INT64, arrow.FLOAT64:
		return want == typeNumber
	case arrow.BOOL:
		return want == typeBool
	case arrow.DATE32:
		return want == typeDate
	}
	return want == typeText && dt.ID() == arrow.STRING
}

// cast replaces the column's chunks by their values read as want; rowOf gives the row of the file of a row of the part.
func (c *column) cast(mem memory.Allocator, g *grammar, want string, rowOf func(row int64) int64) {
	kindOf := map[string]kind{typeNumber: kindFloat, typeText: kindText, typeBool: kindBool, typeDate: kindDate}
	typ := arrowType(kindOf[want])
	row := int64(0)
	for k, a := range c.chunks {
		b := array.NewBuilder(mem, typ)
		for i := range a.Len() {
			if a.IsNull(i) {
				b.AppendNull()
			} else if text := render(a, i); !appendAs(b, g, text) {
				b.AppendNull()
				c.setBad(mem, rowOf(row+int64(i)), words.Hint(fmt.Errorf("%s is not a %s", quoteCell(text), want),
					fmt.Sprintf("types: {%s: %s} requires it; fix the value or change the type", c.name, want)))
			}
		}
		row += int64(a.Len())
		c.chunks[k] = b.NewArray()
		b.Release()
		a.Release()
	}
	c.typ, c.beyond, c.alike = typ, "", ""
}

// render spells a value as a CSV file would.
func render(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Float64:
		return strconv.FormatFloat(a.Value(i), 'g', -1, 64)
	case *array.Boolean:
		return strconv.FormatBool(a.Value(i))
	case *array.String:
		return a.Value(i)
	case *array.Date32:
		return time.Unix(int64(a.Value(i))*86400, 0).UTC().Format(time.DateOnly)
	case *array.Timestamp:
		return time.UnixMicro(int64(a.Value(i))).UTC().Format("2006-01-02 15:04:05.999999")
	}
	panic(fmt.Sprintf("ingest: no table has columns of type %s", a.DataType()))
}

var errNoSuchBuilder = errors.New("ingest: no column is forced to this type")

// appendAs reads text as the builder's type and reports whether that is possible.
func appendAs(b array.Builder, g *grammar, text string) bool {
	if s, ok := b.(*array.StringBuilder); ok {
		s.Append(text)
		return true
	}
	v := g.parse(text)
	if v.kind == kindNull {
		b.AppendNull()
		return true
	}
	switch b := b.(type) {
	case *array.Float64Builder:
		switch v.kind {
		case kindInt, kindFloat:
			b.Append(v.f)
		case kindBool:
			b.Append(float64(v.i))
		default:
			return false
		}
	case *array.BooleanBuilder:
		if v.kind != kindBool && (v.kind != kindInt || v.i&^1 != 0) {
			return false
		}
		b.Append(v.i == 1)
	case *array.Date32Builder:
		if v.kind == kindText && len(text) > len(time.DateOnly) { // a point in time
			v = g.parse(text[:len(time.DateOnly)])
		}
		if v.kind != kindDate {
			return false
		}
		b.Append(arrow.Date32(v.i))
	default:
		panic(errNoSuchBuilder)
	}
	return true
}
