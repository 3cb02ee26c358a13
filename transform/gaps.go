package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Table is a table of the data.
type Table = arrow.Table

// Gap is a column with missing cells.
type Gap struct {
	Column string
	Rows   []int // of its missing cells, in increasing order
	// Binary reports whether it has two states: text of two values, true and false, or numbers 0 and 1. Levels are their
	// names, that of state 0 first; nil of numbers.
	Binary bool
	Levels []string
	// Log reports whether its state is the logarithm of its value.
	Log bool

	values []float64 // of all rows; of a column of two states 0 and 1
}

// Positive reports whether all values that are there are above 0.
func (g *Gap) Positive() bool {
	return !slices.ContainsFunc(g.values, func(x float64) bool { return !(x > 0) })
}

// Reads returns the columns that terms read, those of the response, and all others, such as those of offsets.
func (f *Formula) Reads(schema *arrow.Schema) (terms, response, others []string, err error) {
	s, err := f.selectFrom(schemaNames(schema), usedName)
	if err != nil {
		return nil, nil, nil, err
	}
	for v, used := range s.used() {
		if used {
			terms = append(terms, s.variables[v].columns...)
		}
	}
	response = unique(s.response.columns)
	terms = unique(terms)
	for _, name := range unique(s.columns()) {
		if !slices.Contains(terms, name) && !slices.Contains(response, name) {
			others = append(others, name)
		}
	}
	return terms, response, others, nil
}

// ResponseIs reports whether the response is a column as it is, or its natural logarithm.
func (f *Formula) ResponseIs(schema *arrow.Schema, column string) (plain, log bool) {
	s, err := f.selectFrom(schemaNames(schema), usedName)
	if err != nil || s.response.columns[0] != column {
		return false, false
	}
	n := s.response.node
	return s.response.plain(), n.kind == nodeCall && n.text == "log" && len(n.args) == 1 && n.args[0].kind == nodeName
}

// QuoteName writes a column's name as a formula does.
func QuoteName(name string) string { return quoteName(name) }

// Gaps finds the missing cells of columns of a table; columns without any are left out. Errors are *ColumnError.
func Gaps(table arrow.Table, names []string, dataset string, levels map[string][]string) ([]Gap, error) {
	var out []Gap
	for i, name := range schemaNames(table.Schema()) {
		if !slices.Contains(names, name) {
			continue
		}
		c, err := openColumn(table, i)
		if err != nil {
			return nil, &ColumnError{Dataset: dataset, Column: name, Err: err}
		}
		g := Gap{Column: name}
		keep := allTrue(c.rows)
		c.faults(func(row int, f fault) {
			if f != faultInfinite && keep[row] {
				keep[row] = false
				g.Rows = append(g.Rows, row)
			}
		})
		if len(g.Rows) == 0 {
			continue
		}
		slices.Sort(g.Rows)
		if len(g.Rows) > c.rows-2 {
			return nil, &ColumnError{Dataset: dataset, Column: name,
				Err: fmt.Errorf("%d of %d values are missing, and a model of it needs two", len(g.Rows), c.rows)}
		}
		if err := g.read(c, keep, levels[name]); err != nil {
			return nil, &ColumnError{Dataset: dataset, Column: name, Err: err}
		}
		out = append(out, g)
	}
	return out, nil
}

// read reads the values that are there, and fills the others with some of these, at even steps of their order.
func (g *Gap) read(c *column, keep []bool, levels []string) error {
	there := c.rows - len(g.Rows)
	values := make([]float64, there)
	if c.kind == text {
		f := c.factor(keep, there, 2)
		if f == nil || len(f.levels) != 2 {
			return errors.New("it is text, and its missing cells can be drawn where it has two values: a model of more is " +
				"not in this version")
		}
		if len(levels) > 0 && slices.Contains(f.levels, levels[0]) && f.levels[0] != levels[0] {
			f.reorder([]string{f.levels[1], f.levels[0]})
		}
		for i, code := range f.codes {
			values[i] = float64(code)
		}
		g.Levels, g.Binary = f.levels, true
	} else {
		c.floats(values, keep)
		g.Binary = !slices.ContainsFunc(values, func(x float64) bool { return x != 0 && x != 1 })
		if c.kind == logical {
			g.Levels = []string{"FALSE", "TRUE"}
		}
	}
	ordered := slices.Sorted(slices.Values(values))
	g.values = make([]float64, c.rows)
	next, filled := 0, 0
	for i, kept := range keep {
		if kept {
			g.values[i] = values[next]
			next++
			continue
		}
		g.values[i] = ordered[(2*filled+1)*there/(2*len(g.Rows))]
		filled++
	}
	return nil
}

// Filled returns the table with missing cells filled by values of their columns, at even steps of their order, so that
// centres, scales and knots are about those of the values that are there. The new table is to be released.
func Filled(table arrow.Table, gaps []Gap) arrow.Table {
	schema := table.Schema()
	fields := slices.Clone(schema.Fields())
	columns := make([]arrow.Column, len(fields))
	for i := range fields {
		columns[i] = *table.Column(i)
		at := slices.IndexFunc(gaps, func(g Gap) bool { return g.Column == fields[i].Name })
		if at < 0 {
			continue
		}
		g := &gaps[at]
		columns[i] = columnOf(g.Column, len(g.values), func(row int) any {
			switch {
			case g.Levels == nil:
				return g.values[row]
			case slices.Equal(g.Levels, []string{"FALSE", "TRUE"}) && schema.Field(i).Type.ID() == arrow.BOOL:
				return g.values[row] == 1
			}
			return g.Levels[int(g.values[row])]
		})
		fields[i] = columns[i].Field()
	}
	return array.NewTable(arrow.NewSchema(fields, nil), columns, table.NumRows())
}
