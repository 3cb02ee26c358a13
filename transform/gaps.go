package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Table is a table of the data.
type Table = arrow.Table

// maxStates bounds the levels of an incomplete column: its model has a set of coefficients for each but one.
const maxStates = 50

// Gap is a column with missing cells.
type Gap struct {
	Column string
	Rows   []int // of its missing cells, in increasing order
	// Binary reports whether it has two states: text of two values, true and false, or two numbers next to each other,
	// such as 0 and 1. Levels are the names of the states of text, of state 0 first; nil of numbers.
	Binary bool
	Levels []string
	// Low is the number of state 0 of a column of two numbers: a state is the value less that. 0 of other columns.
	Low float64
	// Log reports whether its state is the logarithm of its value, Above whether its model has none but positive values.
	Log, Above bool
	// Noise has the standard deviations of the measurements of all rows, whose cells are all drawn; nil of other columns.
	Noise []float64

	values []float64 // of all rows; of text the states
}

// Several reports whether it has levels, and more than two.
func (g *Gap) Several() bool { return len(g.Levels) > 2 }

// States returns the states of all rows, with start values instead of missing cells.
func (g *Gap) States() []float64 {
	out := slices.Clone(g.values)
	for i := range out {
		if out[i] -= g.Low; g.Log {
			out[i] = vec.Log(out[i])
		}
	}
	return out
}

// StateOf returns the state of a missing cell for the numbers of a draw. A column of more than two levels has one
// number a level, 1 for the cell's and 0 for the others; a column of two has its state; any other has the value.
func (g *Gap) StateOf(draw []float64) float64 {
	switch {
	case g.Several():
		return float64(max(0, slices.Index(draw, 1)))
	case g.Log:
		return vec.Log(draw[0])
	}
	return draw[0]
}

// Numbers is how many numbers a draw has of a cell.
func (g *Gap) Numbers() int {
	if g.Several() {
		return len(g.Levels)
	}
	return 1
}

// Shifted is the column of numbers with by added to each value, the missing ones too: it has the same states in a
// draw.
func (g Gap) Shifted(by float64) Gap {
	g.Above, g.Log = g.Above || g.Log, false // states of numbers are their values
	g.Low += by
	g.values = slices.Clone(g.values)
	for i := range g.values {
		g.values[i] += by
	}
	return g
}

// Seen returns the values of the rows where it is not missing, or all measurements.
func (g *Gap) Seen() []float64 {
	if g.Noise != nil {
		return slices.Clone(g.values)
	}
	var out []float64
	missing := g.Rows
	for i, x := range g.values {
		if len(missing) > 0 && missing[0] == i {
			missing = missing[1:]
			continue
		}
		out = append(out, x)
	}
	return out
}

// Positive reports whether all values that are there are above 0.
func (g *Gap) Positive() bool {
	return !slices.ContainsFunc(g.values, func(x float64) bool { return !(x > 0) })
}

// Reads returns the columns that terms read, those of the response, and all others, such as those of offsets.
func (f *Formula) Reads(schema *arrow.Schema) (terms, response, others []string, err error) {
	var all []string
	for _, g := range f.all() {
		s, err := g.selectFrom(schema, usedName)
		if err != nil {
			return nil, nil, nil, err
		}
		for v, used := range s.used() {
			if used {
				terms = append(terms, s.variables[v].columns...)
			}
		}
		response, all = s.explained(), append(all, s.columns()...)
	}
	terms = unique(terms)
	for _, name := range unique(all) {
		if !slices.Contains(terms, name) && !slices.Contains(response, name) {
			others = append(others, name)
		}
	}
	return terms, response, others, nil
}

// ResponseIs reports whether the response is a column as it is, or its natural logarithm.
func (f *Formula) ResponseIs(schema *arrow.Schema, column string) (plain, log bool) {
	s, err := f.selectFrom(schema, usedName)
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
		if err == nil && c.dated() {
			err = fmt.Errorf("its type is %s, and %w", c.typ, errDates)
		}
		if err != nil {
			return nil, &ColumnError{Dataset: dataset, Column: name, Err: err}
		}
		g := Gap{Column: name}
		keep := allTrue(c.rows)
		if g.Rows = c.missing(); len(g.Rows) == 0 {
			continue
		}
		for _, row := range g.Rows {
			keep[row] = false
		}
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

// NoisyGap returns the column of m, of which no value is known without an error. Errors are *ColumnError.
func NoisyGap(table arrow.Table, m Measured, dataset string) (Gap, error) {
	g := Gap{Column: m.Column}
	for _, to := range []struct {
		column string
		values *[]float64
	}{{m.Column, &g.values}, {m.SD, &g.Noise}} {
		c, err := openColumn(table, slices.Index(schemaNames(table.Schema()), to.column))
		if err == nil && (c.kind != numeric || c.dated()) {
			err = words.Hint(fmt.Errorf("its type is %s, and me() takes numbers", c.typ), "leave it out of me()")
		}
		fault := &ColumnError{Dataset: dataset, Column: to.column, Err: err}
		if err != nil {
			return g, fault
		}
		if missing := c.missing(); len(missing) > 0 {
			fault.Row = int64(missing[0]) + 1
			fault.Err = words.Hint(errors.New("the value is missing, and me() needs a measurement and its standard deviation"),
				"leave such rows out where the data are made")
			return g, fault
		}
		*to.values = make([]float64, c.rows)
		c.floats(*to.values, allTrue(c.rows))
	}
	for i, sd := range g.Noise {
		if g.Rows = append(g.Rows, i); !(sd > 0) || sd-sd != 0 || g.values[i]-g.values[i] != 0 {
			return g, &ColumnError{Dataset: dataset, Column: m.SD, Row: int64(i) + 1,
				Err: words.Hint(fmt.Errorf("a measurement of %v has the standard deviation %v, which must be above 0",
					g.values[i], sd), "a column that is known exactly is a term without me()")}
		}
	}
	return g, nil
}

// missing returns the rows without a value, in increasing order.
func (c *column) missing() (rows []int) {
	c.faults(func(row int, f fault) {
		if f != faultInfinite {
			rows = append(rows, row)
		}
	})
	slices.Sort(rows)
	return slices.Compact(rows)
}

// FirstGap finds the first missing cell of the first of some columns of a table that has one.
func FirstGap(table arrow.Table, names []string) (column string, row int, found bool, err error) {
	for _, name := range names {
		c, err := openColumn(table, slices.Index(schemaNames(table.Schema()), name))
		if err != nil {
			return name, 0, false, err
		}
		if rows := c.missing(); len(rows) > 0 {
			return name, rows[0], true, nil
		}
	}
	return "", 0, false, nil
}

// read reads the observed values, and fills the others with some of these, at even steps of their order.
func (g *Gap) read(c *column, keep []bool, levels []string) error {
	there := c.rows - len(g.Rows)
	values := make([]float64, there)
	if c.kind == text {
		f := c.factor(keep, there, maxStates)
		switch {
		case f == nil:
			return fmt.Errorf("it is text of more than %d values, and its missing cells can be drawn where it has fewer",
				maxStates)
		case len(f.levels) < 2:
			return errors.New("it is text of one value, and a model of it needs two")
		}
		order := slices.DeleteFunc(slices.Clone(levels), func(l string) bool { return !slices.Contains(f.levels, l) })
		for _, l := range f.levels {
			if !slices.Contains(order, l) {
				order = append(order, l)
			}
		}
		f.reorder(order)
		for i, code := range f.codes {
			values[i] = float64(code)
		}
		g.Levels, g.Binary = f.levels, len(f.levels) == 2
	} else {
		c.floats(values, keep)
		low := slices.Min(values)
		g.Binary = !slices.ContainsFunc(values, func(x float64) bool { return x != low && x != low+1 })
		if g.Binary && slices.Max(values) == low && low != 0 && low != 1 {
			g.Binary = false
		}
		if g.Binary && low != 0 && slices.Max(values) != low {
			g.Low = low
		}
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

// OfStates returns the table with the states of a column in its place. The new table is to be released.
func (g *Gap) OfStates(table arrow.Table) arrow.Table {
	fields := slices.Clone(table.Schema().Fields())
	columns := make([]arrow.Column, len(fields))
	states := g.States()
	for i := range fields {
		columns[i] = *table.Column(i)
		if fields[i].Name == g.Column {
			columns[i] = columnOf(g.Column, len(states), func(row int) any { return states[row] })
			fields[i] = columns[i].Field()
		}
	}
	return array.NewTable(arrow.NewSchema(fields, nil), columns, table.NumRows())
}

// Filled returns the table with missing cells filled by values of their columns, at even steps of their order, so
// that centres, scales and knots are about those of the observed values. The new table is to be released.
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
