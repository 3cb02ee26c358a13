package ingest

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// gather copies the given rows of an array of one of the six types; a
// negative row gives a null.
func gather(mem memory.Allocator, a arrow.Array, rows []int64) arrow.Array {
	b := array.NewBuilder(mem, a.DataType())
	defer b.Release()
	b.Reserve(len(rows))
	add := appender(b, a)
	for _, r := range rows {
		if r < 0 || a.IsNull(int(r)) {
			b.AppendNull()
		} else {
			add(int(r))
		}
	}
	return b.NewArray()
}

// appender returns the function that copies the non-null row i of a to b. It
// panics for a type that no table has.
func appender(b array.Builder, a arrow.Array) func(i int) {
	switch a := a.(type) {
	case *array.Int64:
		return appendOf(b.(*array.Int64Builder).Append, a.Value)
	case *array.Float64:
		return appendOf(b.(*array.Float64Builder).Append, a.Value)
	case *array.Boolean:
		return appendOf(b.(*array.BooleanBuilder).Append, a.Value)
	case *array.String:
		return appendOf(b.(*array.StringBuilder).Append, a.Value)
	case *array.Date32:
		return appendOf(b.(*array.Date32Builder).Append, a.Value)
	case *array.Timestamp:
		return appendOf(b.(*array.TimestampBuilder).Append, a.Value)
	}
	panic(fmt.Sprintf("ingest: no table has columns of type %s", a.DataType()))
}

func appendOf[T any](add func(T), value func(int) T) func(i int) {
	return func(i int) { add(value(i)) }
}
