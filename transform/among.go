package transform

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// Complete reports which rows of a table have values in all of some columns; nil if every row has.
func Complete(table Table, columns []string) (complete []bool, err error) {
	for i, name := range schemaNames(table.Schema()) {
		if !slices.Contains(columns, name) {
			continue
		}
		c, err := openColumn(table, i)
		if err != nil {
			return nil, &ColumnError{Column: name, Err: err}
		}
		c.faults(func(row int, f fault) {
			if complete == nil {
				complete = allTrue(c.rows)
			}
			complete[row] = complete[row] && f == faultInfinite
		})
	}
	return complete, nil
}

// GroupingColumns returns the columns of a schema that groupings of the formula are made of.
func (f *Formula) GroupingColumns(schema *arrow.Schema) (columns []string, err error) {
	for _, own := range f.all() {
		s, err := own.selectFrom(schema, everyName)
		if err != nil {
			return nil, err
		}
		for i := range s.groupers {
			columns = append(columns, s.groupers[i].columns...)
		}
	}
	return columns, nil
}

// Among returns the design with more rows of the table, those of rows: they count 0 times, and have the values of the
// first row of the design.
func (d *Design) Among(rows []bool) *Design {
	own := 0
	var from []int
	var counts []float64
	for row, used := range rows {
		has := d.Kept == nil || d.Kept[row]
		switch {
		case !used:
		case !has:
			from, counts = append(from, 0), append(counts, 0)
		default:
			from, counts = append(from, own), append(counts, 1)
			if d.Data.Frequency != nil {
				counts[len(counts)-1] = d.Data.Frequency[own]
			}
			own++
		}
	}
	if len(from) == own {
		return d
	}
	out := *d
	out.Data = d.Data.Taken(from)
	out.Data.Frequency = counts
	out.Rows, out.Kept, out.Counts = len(from), rows, counts
	return &out
}
