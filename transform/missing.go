package transform

import (
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// fault is a fault of a cell that shows without its value.
type fault int

const (
	faultNull     fault = iota // no value
	faultNaN                   // counts as missing
	faultInfinite              // always an error
)

// faults calls visit for every null, NaN and infinite cell; within a chunk the
// nulls come first. Cost: O(rows) for floats, O(1) for a chunk of another type
// without nulls.
func (c *column) faults(visit func(row int, f fault)) {
	row := 0
	for _, chunk := range c.chunks {
		first := row
		row += chunk.Len()
		if d, ok := chunk.(*array.Dictionary); ok {
			dictionaryFaults(d, first, visit)
			continue
		}
		if a, ok := chunk.(*array.RunEndEncoded); ok {
			runFaults(a, first, visit)
			continue
		}
		if hasNulls(chunk) {
			for i := range chunk.Len() {
				if chunk.IsNull(i) || chunk.DataType().ID() == arrow.NULL {
					visit(first+i, faultNull)
				}
			}
		}
		switch a := chunk.(type) {
		case *array.Float64:
			floatFaults(a, a.Float64Values(), first, visit)
		case *array.Float32:
			floatFaults(a, a.Float32Values(), first, visit)
		case *array.Float16, *array.Decimal256:
			value := cell(chunk)
			for i := range chunk.Len() {
				floatFault(a, value(i), i, first, visit)
			}
		}
	}
}

// hasNulls is chunk.NullN() > 0, but does not use that method's cache, which is written unguarded: several designs
// may be made of one table at once.
func hasNulls(chunk arrow.Array) bool {
	if chunk.DataType().ID() == arrow.NULL {
		return chunk.Len() > 0
	}
	valid := chunk.NullBitmapBytes()
	return len(valid) > 0 && bitutil.CountSetBits(valid, chunk.Data().Offset(), chunk.Len()) < chunk.Len()
}

func floatFaults[T float32 | float64](chunk arrow.Array, values []T, first int, visit func(int, fault)) {
	for i, v := range values {
		if v-v != 0 { // true for NaN and ±Inf alone
			floatFault(chunk, float64(v), i, first, visit)
		}
	}
}

func floatFault(chunk arrow.Array, v float64, i, first int, visit func(int, fault)) {
	switch {
	case chunk.IsNull(i): // the value is rubbish, and was visited
	case math.IsNaN(v):
		visit(first+i, faultNaN)
	case math.IsInf(v, 0):
		visit(first+i, faultInfinite)
	}
}

// dictionaryFaults looks at the dictionary once and at its indices after.
func dictionaryFaults(d *array.Dictionary, first int, visit func(int, fault)) {
	bad := make(map[int]fault)
	values := dictionary(d)
	defer values.Release()
	whole := column{chunks: []arrow.Array{values}}
	whole.faults(func(row int, f fault) { bad[row] = f })
	if !hasNulls(d) && len(bad) == 0 {
		return
	}
	for i := range d.Len() {
		if d.IsNull(i) {
			visit(first+i, faultNull)
		} else if f, found := bad[d.GetValueIndex(i)]; found {
			visit(first+i, f)
		}
	}
}

// rowMask applies the rule for missing cells to the used columns, given in the
// table's order. It returns which rows stay (nil for all) and how many go.
// Cost: O(rows) per column of floats.
func (b *builder) rowMask(columns []*column) (keep []bool, dropped int, err error) {
	drop := b.spec.Missing == "drop"
	worst, worstCount := (*column)(nil), 0
	var first *cellFault
	for _, c := range columns {
		count := 0
		c.faults(func(row int, f fault) {
			if f != faultInfinite {
				count++
			}
			if drop && f != faultInfinite {
				if keep == nil {
					keep = allTrue(b.rows)
				}
				if keep[row] {
					keep[row] = false
					dropped++
				}
			} else if first == nil || row < first.row {
				first = &cellFault{column: c, row: row, fault: f}
			}
		})
		if count == b.rows && !(b.piece && drop) {
			return nil, 0, b.columnError(c.name, errors.New("every value is missing"),
				"leave the column out; dropping incomplete rows would leave no row")
		}
		if count > worstCount {
			worst, worstCount = c, count
		}
	}
	if first != nil {
		return nil, 0, b.faultError(first)
	}
	if dropped == b.rows && !b.piece {
		return nil, 0, b.columnError(worst.name,
			fmt.Errorf("%d of %d values are missing, and no row is complete in all used columns", worstCount, b.rows),
			"leave the column out")
	}
	return keep, dropped, nil
}

func allTrue(n int) []bool {
	keep := make([]bool, n)
	for i := range keep {
		keep[i] = true
	}
	return keep
}

// cellFault is a fault with its place.
type cellFault struct {
	column *column
	row    int // 0-based row of the table
	fault  fault
}

func (b *builder) faultError(f *cellFault) error {
	switch f.fault {
	case faultNull:
		return b.cellError(f.column.name, f.row, errors.New("the value is missing"),
			`drop incomplete rows with "missing: drop", or leave the column out`)
	case faultNaN:
		return b.cellError(f.column.name, f.row, errors.New("the value is NaN, which counts as missing"),
			`drop incomplete rows with "missing: drop", or leave the column out`)
	}
	return b.cellError(f.column.name, f.row, errors.New("the value is infinite"),
		"correct it, or make it missing, where the data are made")
}
