package plan

import (
	"slices"

	"glmbatch/infer/impute"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/transform"
)

// Observed returns the rows with a response. For their missing cells the design has the start values; Cells locates the
// cells of a draw.
func (p *Imputed) Observed() Observed {
	return Observed{Family: p.fit.Model.Family.Family, Data: p.design.Data, Beside: p.beside, Unread: p.unread,
		Drawn: p.keepsCells() && p.keepsEffects(), Rows: p.design.Data.Rows(), Folds: p.folds,
		Fixed: fixed(p.fit.Model), Columns: p.design.Record.Columns, Cells: p.Cells}
}

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

// readFolds deals the rows with a response to folds.
func (p *Imputed) readFolds(table transform.Table) (err error) {
	u, d := p.fit.Unit, p.design
	p.folds, err = u.foldsOf(u.readFolds(table), d.Data.Effects, d.TableRows())
	return err
}

// cellRows are rows of a design of which some entries are cells of incomplete columns.
type cellRows struct {
	gaps   []transform.Gap
	first  []int       // of each gap, where its cells begin among all
	states [][]float64 // of each gap, of all rows of the table
	coder  impute.Coder
	of     []int // rows of the table that the rows of the design are
}

// missingCell is a cell of a row: its incomplete column, and how many numbers it has in a position.
type missingCell struct{ column, numbers int }

// Cells returns those cells; params is the number of parameters of a position.
func (p *Imputed) Cells(params int) *predictive.Cells {
	rows := &cellRows{coder: p.problem.Coder, of: p.problem.Of, gaps: p.gaps(), first: p.firstCells()}
	for k := range p.problem.Columns {
		rows.states = append(rows.states, p.problem.Columns[k].Data.Y)
	}
	return rows.cells(params - p.effects() - p.cells)
}

// gaps are the incomplete columns in the order of their models.
func (p *Imputed) gaps() (out []transform.Gap) {
	for _, c := range p.columns {
		out = append(out, c.gap)
	}
	return out
}

// firstCells is where the cells of each column begin among all.
func (p *Imputed) firstCells() (out []int) {
	at := 0
	for _, c := range p.columns {
		out = append(out, at)
		at += c.numbers()
	}
	return out
}

// cells are those of the rows; from is where a position has the first cell of all.
func (r *cellRows) cells(from int) *predictive.Cells {
	out, of := &predictive.Cells{}, r.of
	cells := make([][]missingCell, len(of))
	numbers, columns := make([][]int, len(of)), make([][]int, len(of))
	for k := range r.gaps {
		g := &r.gaps[k]
		moved, each, at := r.coder.Moved(k), g.Numbers(), from+r.first[k]
		for _, row := range g.Rows {
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
		row, states := of[out.Rows[i]], make([]float64, len(r.gaps))
		for k := range r.gaps {
			states[k] = r.states[k][row]
		}
		return func(cells, entries []float64) {
			for _, c := range kept[i] {
				states[c.column] = r.gaps[c.column].StateOf(cells[:c.numbers])
				cells = cells[c.numbers:]
			}
			r.coder.Code(row, states, out.Columns[i], entries)
		}
	}
	return out
}
