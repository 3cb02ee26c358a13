package ingest

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// supported reports whether normalise can turn a column of type dt into one of
// the six types of a table.
func supported(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.NULL, arrow.BOOL, arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP,
		arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return true
	case arrow.DICTIONARY:
		return supported(dt.(*arrow.DictionaryType).ValueType)
	}
	return false
}

// badCell takes a 0-based row of an array whose value is not one of the column's type, and why.
type badCell func(row int, err error)

// normalise converts an array of a supported type to one of the six. It
// returns a itself, retained, where nothing has to change. A value that cannot
// be converted is null in the result, and bad is called.
func normalise(mem memory.Allocator, a arrow.Array, bad badCell) (arrow.Array, error) {
	switch a := a.(type) {
	case *array.Int64, *array.Float64, *array.Boolean, *array.Date32:
		a.Retain()
		return a, nil
	case *array.Int8:
		return integers(mem, a, a.Int8Values()), nil
	case *array.Int16:
		return integers(mem, a, a.Int16Values()), nil
	case *array.Int32:
		return integers(mem, a, a.Int32Values()), nil
	case *array.Uint8:
		return integers(mem, a, a.Uint8Values()), nil
	case *array.Uint16:
		return integers(mem, a, a.Uint16Values()), nil
	case *array.Uint32:
		return integers(mem, a, a.Uint32Values()), nil
	case *array.Uint64:
		return unsigned(mem, a), nil
	case *array.Float32:
		return floats(mem, a, func(i int) (float64, error) { return float64(a.Value(i)), nil }, bad), nil
	case *array.Float16:
		return floats(mem, a, func(i int) (float64, error) { return float64(a.Value(i).Float32()), nil }, bad), nil
	case *array.Date64:
		return days(mem, a), nil
	case *array.Timestamp:
		return microseconds(mem, a, bad), nil
	case *array.Null:
		return array.MakeArrayOfNull(mem, arrowType(kindNull), a.Len()), nil
	case *array.Dictionary:
		return decoded(mem, a, bad)
	case *array.FixedSizeBinary:
		if a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth == 16 { // no other column of this type is read
			return uuids(mem, a), nil
		}
	case array.ExtensionArray:
		return normalise(mem, a.Storage(), bad)
	}
	if f, ok := decimals(a); ok {
		return floats(mem, a, f, bad), nil
	}
	if f, ok := texts(a); ok {
		return textArray(mem, a, f, bad), nil
	}
	return nil, fmt.Errorf("columns of type %s cannot be used", a.DataType())
}

func integers[T int8 | int16 | int32 | uint8 | uint16 | uint32](
	mem memory.Allocator, a arrow.Array, values []T) arrow.Array {
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.Reserve(len(values))
	for i, v := range values {
		if a.IsNull(i) {
			b.UnsafeAppendBoolToBitmap(false)
		} else {
			b.UnsafeAppend(int64(v))
		}
	}
	return b.NewArray()
}

// unsigned gives integers, or numbers if a value is beyond int64.
func unsigned(mem memory.Allocator, a *array.Uint64) arrow.Array {
	for i, v := range a.Uint64Values() {
		if v > math.MaxInt64 && a.IsValid(i) {
			return floats(mem, a, func(i int) (float64, error) { return float64(a.Value(i)), nil }, nil)
		}
	}
	b := array.NewInt64Builder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i, v := range a.Uint64Values() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(int64(v))
		}
	}
	return b.NewArray()
}

func floats(mem memory.Allocator, a arrow.Array, value func(int) (float64, error), bad badCell) arrow.Array {
	b := array.NewFloat64Builder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		v, err := value(i)
		if err != nil {
			bad(i, err)
			b.AppendNull()
			continue
		}
		b.Append(v)
	}
	return b.NewArray()
}

// decimals gives the values of a decimal array, each rounded once to float64:
// 0.1 as a decimal and 0.1 in a CSV file are the same number.
func decimals(a arrow.Array) (func(int) (float64, error), bool) {
	switch a := a.(type) {
	case *array.Decimal32:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) (float64, error) { return scaled(int64(a.Value(i)), scale) }, true
	case *array.Decimal64:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) (float64, error) { return scaled(int64(a.Value(i)), scale) }, true
	case *array.Decimal128:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) (float64, error) {
			v := a.Value(i)
			if lo := int64(v.LowBits()); v.HighBits() == lo>>63 {
				return scaled(lo, scale)
			}
			return scaledText(v.BigInt().String(), scale)
		}, true
	case *array.Decimal256:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) (float64, error) { return scaledText(a.Value(i).BigInt().String(), scale) }, true
	}
	return nil, false
}

// scaled returns v·10^−scale, correctly rounded: by one exact division where
// both fit float64 (see grammar.number), else through text.
func scaled(v int64, scale int32) (float64, error) {
	const exact = 1 << 53
	if v >= -exact && v <= exact && scale >= 0 && int(scale) < len(pow10) {
		return float64(v) / pow10[scale], nil
	}
	return scaledText(strconv.FormatInt(v, 10), scale)
}

func scaledText(digits string, scale int32) (float64, error) {
	return strconv.ParseFloat(fmt.Sprintf("%se%d", digits, -int64(scale)), 64)
}

// days converts milliseconds since 1970 to days, rounding down.
func days(mem memory.Allocator, a *array.Date64) arrow.Array {
	const day = 86_400_000
	b := array.NewDate32Builder(mem)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(arrow.Date32(floorDiv(int64(a.Value(i)), day)))
		}
	}
	return b.NewArray()
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// microseconds converts points in time of any unit; nanoseconds are rounded down.
func microseconds(mem memory.Allocator, a *array.Timestamp, bad badCell) arrow.Array {
	b := array.NewTimestampBuilder(mem, timestampType)
	defer b.Release()
	unit := a.DataType().(*arrow.TimestampType).Unit
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		v := int64(a.Value(i))
		factor := int64(1)
		switch unit {
		case arrow.Second:
			factor = 1_000_000
		case arrow.Millisecond:
			factor = 1000
		case arrow.Nanosecond:
			v = floorDiv(v, 1000)
		}
		if v > math.MaxInt64/factor || v < math.MinInt64/factor {
			bad(i, fmt.Errorf("the time %d %s after 1970 is out of range", v, unit))
			b.AppendNull()
			continue
		}
		b.Append(arrow.Timestamp(v * factor))
	}
	return b.NewArray()
}

// texts gives the values of an array of text or bytes.
func texts(a arrow.Array) (func(int) string, bool) {
	switch a := a.(type) {
	case *array.String:
		return a.Value, true
	case *array.LargeString:
		return a.Value, true
	case *array.StringView:
		return a.Value, true
	case *array.Binary:
		return func(i int) string { return string(a.Value(i)) }, true
	case *array.LargeBinary:
		return func(i int) string { return string(a.Value(i)) }, true
	case *array.BinaryView:
		return func(i int) string { return string(a.Value(i)) }, true
	}
	return nil, false
}

var errUTF8 = errors.New("the text is not valid UTF-8")

var notText = words.Hint(errUTF8, "bytes that are not text cannot be used: leave the column out")

// textArray gives the values as String; those that are not UTF-8 are bad.
func textArray(mem memory.Allocator, a arrow.Array, value func(int) string, bad badCell) arrow.Array {
	if s, ok := a.(*array.String); ok && allUTF8(s) {
		s.Retain()
		return s
	}
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		if v := value(i); utf8.ValidString(v) {
			b.Append(v)
		} else {
			bad(i, notText)
			b.AppendNull()
		}
	}
	return b.NewArray()
}

func allUTF8(a *array.String) bool {
	for i := range a.Len() {
		if a.IsValid(i) && !utf8.ValidString(a.Value(i)) {
			return false
		}
	}
	return true
}

// decoded normalises the dictionary once and spreads its values over the rows.
func decoded(mem memory.Allocator, a *array.Dictionary, bad badCell) (arrow.Array, error) {
	faults := map[int]error{} // by index
	values, err := normalise(mem, a.Dictionary(), func(k int, err error) { faults[k] = err })
	if err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	defer values.Release()
	rows := make([]int64, a.Len())
	for i := range rows {
		rows[i] = -1
		if a.IsValid(i) {
			k := a.GetValueIndex(i)
			if k < 0 || k >= values.Len() {
				return nil, errDictionary(int64(i), k, values.Len())
			}
			rows[i] = int64(k)
			if fault := faults[k]; fault != nil {
				bad(i, fault)
			}
		}
	}
	return gather(mem, values, rows), nil
}

// errDictionary is the error of a row of damaged data.
func errDictionary(row int64, index, values int) error {
	return fmt.Errorf("row %d: dictionary index %d is not below %d", row+1, index, values)
}

// allFinite reports whether no value is NaN or an infinity.
func allFinite(a *array.Float64) bool {
	for i, v := range a.Float64Values() {
		if v-v != 0 && a.IsValid(i) {
			return false
		}
	}
	return true
}

// finite copies a with nulls for NaN and infinities, which are bad; with nanIsNull NaN is missing, and not bad.
func finite(mem memory.Allocator, a *array.Float64, nanIsNull bool, bad badCell) arrow.Array {
	b := array.NewFloat64Builder(mem)
	defer b.Release()
	b.Reserve(a.Len())
	for i, v := range a.Float64Values() {
		switch {
		case a.IsNull(i):
			b.AppendNull()
		case v-v == 0:
			b.Append(v)
		default:
			if !nanIsNull || !math.IsNaN(v) {
				bad(i, notFinite(spellFloat(v)))
			}
			b.AppendNull()
		}
	}
	return b.NewArray()
}

// notFinite is the fault of NaN or an infinity in a file of typed columns.
func notFinite(value string) error {
	return words.Hint(fmt.Errorf("%s is not a finite number", value),
		"if NaN means missing, list it under null_values; else fix the data")
}

// spellFloat writes NaN and infinities as messages show them.
func spellFloat(v float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+")
}
