package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Population is the record of the same design without group-level effects, which are 0 then, and, unless they are
// requested, without offsets: it is for one unit of exposure in the whole population.
func (r *Record) Population(offsets bool) *Record {
	return r.each(func(one *Record) *Record {
		out := one.among(func(string) bool { return false })
		if !offsets && len(one.Columns) > 0 { // else it is a column that the family reads
			out.Offsets = nil
		}
		return out
	})
}

// Levels are those of a column that terms read as a factor, the reference first; nil of one that none does. Those of
// numbers are spelled as the factor spells them.
func (r *Record) Levels(column string) []string {
	for _, p := range r.Predicted {
		if levels := p.Record.Levels(column); levels != nil {
			return levels
		}
	}
	for i := range r.Variables {
		v, err := readExpression(r.Variables[i].Expression, r.Variables[i].Label)
		if err == nil && r.Variables[i].Levels != nil && v.columns[0] == column && (v.plain() || v.node.ofColumn()) {
			return r.Variables[i].Levels
		}
	}
	return nil
}

// Contents describes the cells of a column of a table in the rows that count.
type Contents struct {
	Kind               string // numeric, logical, text
	Mean, SD, Min, Max float64
	column             *column
	keep               []bool
	rows               int
}

// ContentsOf reads a column of a table over the rows whose weight is above 0; of numbers, Mean and SD are weighted, the
// divisor of the variance being the sum of the weights less 1. Errors are *ColumnError.
func ContentsOf(table arrow.Table, name, dataset string, weights []float64) (*Contents, error) {
	at := slices.Index(schemaNames(table.Schema()), name)
	if at < 0 {
		return nil, &ColumnError{Dataset: dataset, Column: name, Err: fmt.Errorf("these data do not have it")}
	}
	c, err := openColumn(table, at)
	if err != nil {
		return nil, &ColumnError{Dataset: dataset, Column: name, Err: err}
	}
	t := &Contents{Kind: string(c.kind), column: c, keep: make([]bool, len(weights)), Min: math.Inf(1), Max: math.Inf(-1)}
	total := 0.0
	for i, w := range weights {
		if w > 0 {
			t.keep[i], total = true, total+w
			t.rows++
		}
	}
	if c.kind != numeric {
		return t, nil
	}
	values := make([]float64, t.rows)
	kept := slices.DeleteFunc(slices.Clone(weights), func(w float64) bool { return !(w > 0) })
	c.floats(values, t.keep)
	for i, v := range values {
		t.Min, t.Max = math.Min(t.Min, v), math.Max(t.Max, v)
		t.Mean = math.FMA(kept[i]/total, v, t.Mean)
	}
	for i, v := range values {
		t.SD = math.FMA(kept[i]*(v-t.Mean), v-t.Mean, t.SD)
	}
	t.SD = math.Sqrt(t.SD / (total - 1))
	return t, nil
}

// Groups are the distinct values of the column, at most most of them, and for each row of the table the place of its
// own, −1 for rows of weight 0. Values are in the order of levels. A nil result: there are more.
func (t *Contents) Groups(most int) (values []any, of []int32) {
	f := t.column.factor(t.keep, t.rows, most)
	if f == nil || len(f.levels) > most {
		return nil, nil
	}
	of = slices.Repeat([]int32{-1}, len(t.keep))
	k := 0
	for i, kept := range t.keep {
		if kept {
			of[i] = f.codes[k]
			k++
		}
	}
	for _, level := range f.levels {
		v, _ := t.Value(level)
		values = append(values, v)
	}
	return values, of
}

// Value reads a value of the column as it is written: a float64, a string or a bool.
func (t *Contents) Value(text string) (any, bool) {
	switch kind(t.Kind) {
	case numeric:
		v := parse(text)
		return v, finite(v)
	case logical:
		return text == "TRUE" || text == "true", slices.Contains([]string{"TRUE", "true", "FALSE", "false"}, text)
	}
	return text, true
}

// Shift is a distance by which the numbers of a column are moved, where Replace takes a value.
type Shift float64

// Replace returns the table with columns in which every row has the value that is given, a float64, a string, a
// bool or a Shift of the present value. The other columns are shared. The new table is to be released.
func Replace(table arrow.Table, names []string, values []any) arrow.Table {
	rows := int(table.NumRows())
	schema := table.Schema()
	fields := slices.Clone(schema.Fields())
	columns := make([]arrow.Column, len(fields))
	for i := range fields {
		columns[i] = *table.Column(i)
		at := slices.Index(names, fields[i].Name)
		if at < 0 {
			continue
		}
		value := func(int) any { return values[at] }
		if by, moved := values[at].(Shift); moved {
			c, _ := openColumn(table, i) // ContentsOf has read it
			cells := make([]float64, rows)
			c.floats(cells, nil)
			c.faults(func(row int, _ fault) { cells[row] = math.NaN() })
			value = func(row int) any { return cells[row] + float64(by) }
		}
		columns[i] = columnOf(fields[i].Name, rows, value)
		fields[i] = columns[i].Field()
	}
	return array.NewTable(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// TableOf is a table of some rows, whose cells are float64, string or bool, all of a column of one type.
func TableOf(names []string, rows int, cell func(column, row int) any) arrow.Table {
	var fields []arrow.Field
	var columns []arrow.Column
	for j, name := range names {
		columns = append(columns, columnOf(name, rows, func(row int) any { return cell(j, row) }))
		fields = append(fields, columns[j].Field())
	}
	return array.NewTable(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// columnOf makes a column of at least one cell.
func columnOf(name string, rows int, cell func(row int) any) arrow.Column {
	var data arrow.Array
	switch cell(0).(type) {
	case float64:
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(cell(i).(float64))
		}
		data = b.NewArray()
	case string:
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(cell(i).(string))
		}
		data = b.NewArray()
	case bool:
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(cell(i).(bool))
		}
		data = b.NewArray()
	}
	field := arrow.Field{Name: name, Type: data.DataType()}
	return *arrow.NewColumn(field, arrow.NewChunked(data.DataType(), []arrow.Array{data}))
}
