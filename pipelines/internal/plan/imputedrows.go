package plan

import (
	"slices"

	"glmbatch/transform"
)

// Observed are the rows with a response. Where their cells are missing, the design has the start values; Cells tells
// what stands there at a draw.
func (p *Imputed) Observed() Observed {
	return Observed{p.fit.Model.Family.Family, p.design.Data, p.beside, p.unread, p.keepsCells() && p.keepsEffects()}
}

// CodedColumns are the columns of the design.
func (p *Imputed) CodedColumns() []transform.Column { return p.design.Record.Columns }

// readBeside reads the columns that predictive checks are made by and over, on the rows with a response. Where such a
// column misses a cell, the row is in none of its levels or classes.
func (p *Imputed) readBeside(table transform.Table) {
	var d design
	d.besideOf(table, p.fit.Unit.checks)
	for _, s := range d.beside {
		p.beside = append(p.beside, s.Kept(p.design.Kept))
	}
	p.unread = d.unread
}

// Cells are missing cells of the rows with a response that stand in their linear predictors.
type Cells struct {
	Rows    []int   // of the design, in increasing order
	Params  [][]int // of each row, the numbers of its cells in a position
	Columns [][]int // of each row, the columns of the design that these move
	// Entries returns what writes the entries of Columns[i] given the draws of Params[i] in the units of the data. It
	// may be called from several goroutines; what it returns may not.
	Entries func(i int) func(cells, entries []float64)
}

// missingCell is a cell of a row: its incomplete column, and how many numbers it has in a position.
type missingCell struct{ column, numbers int }

// Cells returns those cells; params is the number of parameters of a position.
func (p *Imputed) Cells(params int) *Cells {
	out, of := &Cells{}, p.problem.Of
	cells := make([][]missingCell, len(of))
	numbers, columns := make([][]int, len(of)), make([][]int, len(of))
	at := params - p.effects() - p.cells
	for k, c := range p.columns {
		moved, each := p.problem.Coder.Moved(k), c.numbers()/max(1, len(c.gap.Rows))
		for _, row := range c.gap.Rows {
			i, there := slices.BinarySearch(of, row)
			if there && moved != nil {
				cells[i] = append(cells[i], missingCell{k, each})
				for m := range each {
					numbers[i] = append(numbers[i], at+m)
				}
				columns[i] = append(columns[i], moved...)
			}
			at += each
		}
	}
	var kept [][]missingCell
	for i, c := range cells {
		if c == nil {
			continue
		}
		slices.Sort(columns[i])
		out.Rows, out.Params = append(out.Rows, i), append(out.Params, numbers[i])
		out.Columns, kept = append(out.Columns, slices.Compact(columns[i])), append(kept, c)
	}
	out.Entries = func(i int) func(cells, entries []float64) {
		row, states := of[out.Rows[i]], make([]float64, len(p.columns))
		for k := range p.problem.Columns {
			states[k] = p.problem.Columns[k].Data.Y[row]
		}
		return func(cells, entries []float64) {
			for _, c := range kept[i] {
				states[c.column] = p.columns[c.column].gap.StateOf(cells[:c.numbers])
				cells = cells[c.numbers:]
			}
			p.problem.Coder.Code(row, states, out.Columns[i], entries)
		}
	}
	return out
}
