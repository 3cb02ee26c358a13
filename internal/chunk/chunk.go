package chunk

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Rows is the number of rows that a chunk has room for.
func Rows() int { return duckdb.GetDataChunkCapacity() }

// A Number is what a column may hold: BIGINT, INTEGER, SMALLINT, DOUBLE and BOOLEAN in this order.
type Number interface {
	int64 | int32 | int16 | float64 | bool
}

// typeOf is the engine's name of T.
func typeOf[T Number]() mapping.Type {
	switch any(*new(T)).(type) {
	case int64:
		return mapping.TypeBigInt
	case int32:
		return mapping.TypeInteger
	case int16:
		return mapping.TypeSmallInt
	case bool:
		return mapping.TypeBoolean
	}
	return mapping.TypeDouble
}

// Chunk is a writable chunk of the engine.
type Chunk struct {
	chunk   mapping.DataChunk
	columns int
}

// Of is the chunk that the driver hands to a table function. It has the columns that the query asks for, in its order:
// writers by number need a query of all columns.
//
// The driver keeps the engine's own handle in a field that it does not export; it is read by reflection, and an error
// says where another driver has none of that name. TestOf holds the driver to it.
func Of(c duckdb.DataChunk) (Chunk, error) {
	field := reflect.ValueOf(c).FieldByName("chunk")
	if field.Kind() != reflect.Struct {
		return Chunk{}, errors.New("the engine's driver has no data chunk where it had one")
	}
	if field = field.FieldByName("Ptr"); field.Kind() != reflect.UnsafePointer {
		return Chunk{}, errors.New("the engine's driver has no handle of a data chunk where it had one")
	}
	out := Chunk{chunk: mapping.DataChunk{Ptr: field.UnsafePointer()}}
	out.columns = int(mapping.DataChunkGetColumnCount(out.chunk))
	return out, nil
}

// vector is a column, which must be of a type.
func (c Chunk) vector(column int, of mapping.Type) (mapping.Vector, mapping.LogicalType, error) {
	if column < 0 || column >= c.columns {
		return mapping.Vector{}, mapping.LogicalType{}, fmt.Errorf("column %d of a chunk of %d", column, c.columns)
	}
	v := mapping.DataChunkGetVector(c.chunk, mapping.IdxT(column))
	logical := mapping.VectorGetColumnType(v)
	if is := mapping.GetTypeId(logical); is != of {
		mapping.DestroyLogicalType(&logical)
		return mapping.Vector{}, mapping.LogicalType{}, fmt.Errorf("column %d is of the engine's type %d, not %d", column, is,
			of)
	}
	return v, logical, nil
}

// data is the memory of n numbers of a vector.
func data[T Number](v mapping.Vector, n int) []T {
	return unsafe.Slice((*T)(mapping.VectorGetData(v)), n)
}

// Column is the memory of a column of numbers, an entry a row.
func Column[T Number](c Chunk, column int) ([]T, error) {
	v, logical, err := c.vector(column, typeOf[T]())
	if err != nil {
		return nil, err
	}
	mapping.DestroyLogicalType(&logical)
	return data[T](v, Rows()), nil
}

// Arrays is the memory of a column of arrays of n numbers: row after row.
func Arrays[T Number](c Chunk, column, n int) ([]T, error) {
	v, logical, err := c.vector(column, mapping.TypeArray)
	if err != nil {
		return nil, err
	}
	defer mapping.DestroyLogicalType(&logical)
	of := mapping.ArrayTypeChildType(logical)
	defer mapping.DestroyLogicalType(&of)
	if size := int(mapping.ArrayTypeArraySize(logical)); size != n || mapping.GetTypeId(of) != typeOf[T]() {
		return nil, fmt.Errorf("column %d has arrays of %d of the engine's type %d", column, size, mapping.GetTypeId(of))
	}
	return data[T](mapping.ArrayVectorGetChild(v), Rows()*n), nil
}

// Lists is a column of lists of numbers, to which lists are added row by row.
type Lists[T Number] struct {
	vector, child mapping.Vector
	entries       [][2]uint64 // where the list of each row begins, and its length
	values        []T         // of all rows
	size          int         // of values that are in use
	null          []uint64    // a bit for each of values, 0 for NULL; nil while none is NULL
}

// ListsOf is a column that takes lists of numbers.
func ListsOf[T Number](c Chunk, column int) (*Lists[T], error) {
	v, logical, err := c.vector(column, mapping.TypeList)
	if err != nil {
		return nil, err
	}
	defer mapping.DestroyLogicalType(&logical)
	of := mapping.ListTypeChildType(logical)
	defer mapping.DestroyLogicalType(&of)
	if mapping.GetTypeId(of) != typeOf[T]() {
		return nil, fmt.Errorf("column %d has lists of the engine's type %d", column, mapping.GetTypeId(of))
	}
	return &Lists[T]{vector: v, child: mapping.ListVectorGetChild(v),
		entries: unsafe.Slice((*[2]uint64)(mapping.VectorGetData(v)), Rows())}, nil
}

// Add makes the list of a row of n numbers, and returns its memory, which is valid until the next list is made.
func (l *Lists[T]) Add(row, n int) ([]T, error) {
	begin := l.size
	if end := begin + n; end > len(l.values) {
		room := max(end, 2*len(l.values), Rows())
		if mapping.ListVectorReserve(l.vector, mapping.IdxT(room)) == mapping.StateError {
			return nil, errors.New("the engine has no room for a list")
		}
		l.values = data[T](l.child, room)
		if l.null != nil {
			l.nullable()
		}
	}
	l.size += n
	if mapping.ListVectorSetSize(l.vector, mapping.IdxT(l.size)) == mapping.StateError {
		return nil, errors.New("the engine has no room for a list")
	}
	l.entries[row] = [2]uint64{uint64(begin), uint64(n)}
	return l.values[begin:l.size:l.size], nil
}

// nullable has the engine keep bits of what is NULL.
func (l *Lists[T]) nullable() {
	mapping.VectorEnsureValidityWritable(l.child)
	l.null = unsafe.Slice((*uint64)(mapping.VectorGetValidity(l.child)), (len(l.values)+63)/64)
}

// Null makes entry i of the list that was added last NULL.
func (l *Lists[T]) Null(row, i int) {
	if l.null == nil {
		l.nullable()
	}
	at := l.entries[row][0] + uint64(i)
	l.null[at/64] &^= 1 << (at % 64)
}
