package transform

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// kind is how a column enters a model.
type kind string

const (
	numeric kind = "numeric"
	logical kind = "logical" // a factor with levels FALSE and TRUE
	text    kind = "text"    // a factor; dates too, which are labels
)

// column reads one column of a table without copying it.
type column struct {
	name   string
	kind   kind
	typ    arrow.DataType
	chunks []arrow.Array
	rows   int
	alike  string // two spellings of one number, from alikeKey
	stored int    // cells: rows, or runs of equal ones
}

// openColumn returns column i of the table, or why it cannot enter a model.
func openColumn(table arrow.Table, i int) (*column, error) {
	field := table.Schema().Field(i)
	if bad, found := field.Metadata.GetValue(badKey); found {
		return nil, errors.New(bad)
	}
	k, err := classify(field.Type)
	if err != nil {
		return nil, err
	}
	data := table.Column(i).Data()
	alike, _ := field.Metadata.GetValue(alikeKey)
	c := &column{name: field.Name, kind: k, typ: field.Type, chunks: data.Chunks(), rows: data.Len(), stored: data.Len(),
		alike: alike}
	if c.typ.ID() == arrow.RUN_END_ENCODED {
		c.stored = 0
		for _, chunk := range c.chunks {
			c.stored += chunk.(*array.RunEndEncoded).Values().Len()
		}
	}
	return c, nil
}

// classify says how columns of a type enter a model.
func classify(t arrow.DataType) (kind, error) {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.NULL: // every cell is missing; the scan for missing cells reports it
		return numeric, nil
	case arrow.BOOL:
		return logical, nil
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return text, nil
	case arrow.DICTIONARY:
		return classify(t.(*arrow.DictionaryType).ValueType)
	case arrow.RUN_END_ENCODED:
		if k, err := classify(t.(*arrow.RunEndEncodedType).Encoded()); k == numeric || err != nil {
			return k, err
		}
	case arrow.DATE32, arrow.TIMESTAMP:
		if isDate(t) {
			return text, nil
		}
		return "", fmt.Errorf("its type is %s, and %w", t, errDates)
	case arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.DURATION,
		arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		return "", fmt.Errorf("its type is %s, and %w", t, errDates)
	}
	return "", fmt.Errorf("columns of type %s cannot enter a model", t)
}

// number is the element type of Arrow's plain numeric arrays.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// floats writes the kept rows of a numeric or logical column to dst; keep nil
// means all rows, and then no cell may be missing.
func (c *column) floats(dst []float64, keep []bool) {
	row, k := 0, 0
	for _, chunk := range c.chunks {
		var part []bool
		if keep != nil {
			part = keep[row : row+chunk.Len()]
		}
		k += fill(dst[k:], chunk, part)
		row += chunk.Len()
	}
}

// fill writes the kept rows of one chunk to dst and returns how many they are.
func fill(dst []float64, chunk arrow.Array, keep []bool) int {
	switch a := chunk.(type) {
	case *array.Float64:
		return convert(dst, a.Float64Values(), keep)
	case *array.Float32:
		return convert(dst, a.Float32Values(), keep)
	case *array.Int8:
		return convert(dst, a.Int8Values(), keep)
	case *array.Int16:
		return convert(dst, a.Int16Values(), keep)
	case *array.Int32:
		return convert(dst, a.Int32Values(), keep)
	case *array.Int64:
		return convert(dst, a.Int64Values(), keep)
	case *array.Uint8:
		return convert(dst, a.Uint8Values(), keep)
	case *array.Uint16:
		return convert(dst, a.Uint16Values(), keep)
	case *array.Uint32:
		return convert(dst, a.Uint32Values(), keep)
	case *array.Uint64:
		return convert(dst, a.Uint64Values(), keep)
	case *array.Date32:
		return convert(dst, a.Date32Values(), keep)
	case *array.Timestamp:
		return convert(dst, a.TimestampValues(), keep)
	case *array.RunEndEncoded:
		return fillRuns(dst, a, keep)
	case *array.Dictionary:
		entries := dictionary(a)
		defer entries.Release()
		values := make([]float64, entries.Len())
		fill(values, entries, nil)
		return each(dst, a.Len(), keep, func(i int) float64 { return values[a.GetValueIndex(i)] })
	}
	return each(dst, chunk.Len(), keep, cell(chunk))
}

// dictionary returns the values of a dictionary array, to be released. Its own
// method keeps them in the array, unguarded against concurrent use.
func dictionary(a *array.Dictionary) arrow.Array { return array.MakeFromData(a.Data().Dictionary()) }

func convert[T number](dst []float64, src []T, keep []bool) int {
	if keep == nil {
		for i, v := range src {
			dst[i] = float64(v)
		}
		return len(src)
	}
	k := 0
	for i, v := range src {
		if keep[i] {
			dst[k] = float64(v)
			k++
		}
	}
	return k
}

func each(dst []float64, n int, keep []bool, value func(int) float64) int {
	k := 0
	for i := range n {
		if keep == nil || keep[i] {
			dst[k] = value(i)
			k++
		}
	}
	return k
}

// cell reads the rarer numeric arrays one value at a time.
func cell(chunk arrow.Array) func(int) float64 {
	switch a := chunk.(type) {
	case *array.Boolean:
		return func(i int) float64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}
	case *array.Float16:
		return func(i int) float64 { return float64(a.Value(i).Float32()) }
	case *array.Decimal32:
		return decimals(a)
	case *array.Decimal64:
		return decimals(a)
	case *array.Decimal128:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) float64 {
			v := a.Value(i)
			if v.HighBits() == int64(v.LowBits())>>63 { // it fits 64 bits
				return fromDecimal(int64(v.LowBits()), scale, v.ToString)
			}
			return parse(v.ToString(scale))
		}
	case *array.Decimal256:
		scale := a.DataType().(arrow.DecimalType).GetScale()
		return func(i int) float64 { return parse(a.Value(i).ToString(scale)) }
	}
	panic(fmt.Sprintf("transform: %T is no numeric array", chunk)) // classify let it pass
}

// decimals reads decimals of 32 and 64 bits. Their own ToString is wrong for
// scales above 18 (it overflows); that of 128 bits is not.
func decimals[T ~int32 | ~int64](a interface {
	arrow.Array
	Value(int) T
}) func(int) float64 {
	scale := a.DataType().(arrow.DecimalType).GetScale()
	return func(i int) float64 {
		v := int64(a.Value(i))
		return fromDecimal(v, scale, decimal128.FromI64(v).ToString)
	}
}

// powers of ten that float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// fromDecimal returns the float64 nearest to unscaled·10^−scale, the same that the
// number's text in a CSV file gives. Below 2^53 one division of exact numbers
// rounds once (Clinger 1990); beyond, the text is parsed.
func fromDecimal(unscaled int64, scale int32, text func(int32) string) float64 {
	const exact = 1 << 53
	if scale >= 0 && int(scale) < len(powers) && -exact <= unscaled && unscaled <= exact {
		return float64(unscaled) / powers[scale]
	}
	return parse(text(scale))
}

// parse returns the float64 nearest to a decimal number, infinite beyond the range.
func parse(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN()
	}
	return v
}
