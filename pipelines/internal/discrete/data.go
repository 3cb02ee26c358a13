package discrete

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/ingest"
	"glmbatch/internal/words"
)

// Data are the variables of one fit, with columns by name, and their edges.
type Data struct {
	system.Variables
	Warnings []string

	columns []column
	where   func(row int) string // place of a variable in its file; nil: it has none
	edges   []edge               // nil of a grid, whose edges are made when they are asked for
	weights bool                 // edges have weights of their own
	terms   []mrf.Term           // of three or more variables, by rows of edges
	tables  []table
}

// column has numbers or texts, one for each variable: NaN and "" where there is none.
type column struct {
	name    string
	numbers []float64
	texts   []string // of a column that does not hold numbers
	file    string   // the grid that it is the values of; empty: it is a column of the data set
	bad     error    // of a cell that is not of the column's type, for models that read the column; otherwise nil
}

// edge joins two variables. table is its number among the tables, or 0.
type edge struct {
	i, j   int32
	table  int32
	weight float64
}

// table has log potentials of pairs of states, as they are written.
type table struct {
	name    string
	entries []entry
}

type entry struct {
	a, b  string
	value float64
	at    string
}

// rectangle has the variables of an image or grid.
func rectangle(name string, rows, columns int) system.Variables {
	return system.Variables{Name: name, N: rows * columns, Rows: rows, Columns: columns}
}

// grid reports whether edges are those of a rectangle.
func (d *Data) grid() bool { return d.Rows > 0 && d.edges == nil }

// Edges is their number.
func (d *Data) Edges() int {
	if d.grid() {
		return d.Rows*(d.Columns-1) + (d.Rows-1)*d.Columns
	}
	return len(d.edges)
}

// Bytes is about the memory of the data.
func (d *Data) Bytes() int64 {
	bytes := 24*int64(len(d.edges)) + 64*int64(len(d.terms))
	for _, c := range d.columns {
		bytes += 8*int64(len(c.numbers)) + 24*int64(len(c.texts))
	}
	return bytes + 64*int64(len(d.IDs))
}

// column finds one by name; nil if there is none.
func (d *Data) column(name string) *column {
	for k := range d.columns {
		if d.columns[k].name == name {
			return &d.columns[k]
		}
	}
	return nil
}

// needed returns a column. It is an error if a cell of it is bad, or if there is no such column.
func (d *Data) needed(name string) (*column, error) {
	if c := d.column(name); c != nil {
		return c, c.bad
	}
	names := make([]string, len(d.columns))
	for k := range names {
		names[k] = d.columns[k].name
	}
	return nil, &ingest.ColumnError{
		Dataset: d.Name, Column: name,
		Err: words.Hint(errors.New("there is no such column"), words.DidYouMean(name, "columns", names)),
	}
}

// numbers are those of a column. Where missing is not allowed each row must have one.
func (d *Data) numbers(name string, missing bool) ([]float64, error) {
	c, err := d.needed(name)
	if err != nil {
		return nil, err
	}
	if c.numbers == nil {
		for i, text := range c.texts {
			if text != "" {
				return nil, d.fault(name, i, fmt.Errorf("%q is not a number", text), "name a column of numbers")
			}
		}
		return nil, d.fault(name, -1, errors.New("it holds no numbers"), "name a column of numbers")
	}
	for i, v := range c.numbers {
		if math.IsNaN(v) && !missing {
			return nil, d.fault(name, i, errors.New("there is no number"),
				"each variable needs one; write 0 where nothing is known")
		}
	}
	return c.numbers, nil
}

// fault is an error of a column at a variable, or of the whole column (-1).
func (d *Data) fault(name string, i int, err error, hint string) error {
	e := &ingest.ColumnError{Dataset: d.Name, Column: name, Err: words.Hint(err, hint)}
	switch c := d.column(name); {
	case i >= 0 && c != nil && c.file != "":
		e.Column, e.At = valueColumn, fmt.Sprintf("row %d, col %d of %s", i/d.Columns+1, i%d.Columns+1, c.file)
	case i >= 0 && d.where != nil:
		e.At = d.where(i)
	case i >= 0:
		e.At = "variable " + d.ID(i)
	}
	return e
}

// joined returns the edges of a binary model, each with the coupling times its
// weight.
func (d *Data) joined(coupling float64) []mrf.Edge {
	if d.grid() {
		return mrf.Grid(d.Rows, d.Columns, coupling)
	}
	out := make([]mrf.Edge, len(d.edges))
	for k, e := range d.edges {
		out[k] = mrf.Edge{I: e.i, J: e.j, Weight: float64(coupling * e.weight)}
	}
	return out
}

// products returns the edges and the terms of several variables, each with the coupling times its weight.
func (d *Data) products(coupling float64) []mrf.Term {
	var out []mrf.Term
	for _, e := range d.joined(coupling) {
		out = append(out, mrf.Term{Weight: e.Weight, Members: []int32{e.I, e.J}})
	}
	for _, t := range d.terms {
		out = append(out, mrf.Term{Weight: float64(coupling * t.Weight), Members: t.Members})
	}
	return out
}

// Source names the tables of constants; nil if there are none.
type Source struct {
	Edges, Tables *ingest.Source
}

// tableNumbers returns the index of each table by its name.
func (d *Data) tableNumbers() map[string]int32 {
	out := map[string]int32{}
	for k, t := range d.tables {
		out[t.name] = int32(k)
	}
	return out
}

// steps joins rows that are so many apart, in the order of the rows. tables have the
// names of steps.
func (d *Data) steps(steps []int) error {
	numbers := d.tableNumbers()
	for _, s := range steps {
		number, ok := numbers[strconv.Itoa(s)]
		if len(d.tables) > 1 && !ok {
			return words.Hint(fmt.Errorf("dataset %q: no table of log potentials is called %d, as the step is", d.Name, s),
				"give each step a table, or leave tables out")
		}
		for i := 0; i+s < d.N; i++ {
			d.edges = append(d.edges, edge{int32(i), int32(i + s), number, 1})
		}
	}
	if d.edges == nil {
		d.edges = []edge{}
	}
	return nil
}

// maxVariables is the most variables of a model.
const maxVariables = math.MaxInt32

// checkSize refuses data with more variables than a model can hold.
func (d *Data) checkSize(ctx context.Context) error {
	if d.N > maxVariables {
		return words.Hint(fmt.Errorf("dataset %q: %d variables are more than %d", d.Name, d.N, maxVariables),
			"divide the rows with by")
	}
	return ctx.Err()
}
