package plan

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/impute"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Observed returns the rows with a response. For their missing cells the design has the start values; Cells locates the
// cells of a draw.
func (p *Imputed) Observed() Observed {
	rows := &cellRows{coder: p.problem.Coder, of: p.problem.Of, gaps: p.gaps()}
	for k := range p.problem.Columns {
		rows.states = append(rows.states, p.problem.Columns[k].Data.Y)
	}
	out := p.observed()
	out.Drawn, out.Cells = p.keepsCells() && p.keepsEffects(), rows.cells
	return out
}

// Description describes the rows with a response.
func (p *Imputed) Description(params []infer.Parameter) (*record.Description, error) {
	out, err := describe(p.Record, p.fit.Model.Family.Link, params, fixedBy(&p.fit.Model.Prior))
	if err == nil {
		out.Imputed = true
	}
	return out, err
}

// Bind looks up what a derived quantity names among parameters, and the rows that it averages over.
func (p *Imputed) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	rows, err := p.Description(params)
	if err != nil {
		return nil, err
	}
	average := func(a *transform.Average) (*transform.Averaged, error) {
		at := p.averages[a.Text]
		return at.rows, at.err
	}
	return d.Expression.Bind(fitted(p.fit, rows, p.Record, params, average))
}

// readAux reads the columns that predictive checks are made by and over, on the rows with a response. Where such a
// column misses a cell, the row is in none of its levels or classes.
func (p *Imputed) readAux(table transform.Table) {
	var d design
	d.besideOf(table, p.fit.Unit.checks)
	for _, s := range d.beside {
		p.beside = append(p.beside, s.Kept(p.Kept))
	}
	p.unread = d.unread
}

// readFolds deals the rows with a response to folds.
func (p *Imputed) readFolds(table transform.Table) (err error) {
	u, d := p.fit.Unit, p.Design
	p.folds, err = u.foldsOf(u.readFolds(table), d.Data.Effects, d.TableRows())
	return err
}

// cellRows are rows of a design of which some entries are cells of incomplete columns.
type cellRows struct {
	gaps   []transform.Gap
	states [][]float64 // of each gap, of all rows of the table
	coder  impute.Coder
	of     []int // rows of the table that the rows of the design are
}

// missingCell is a cell of a row: its incomplete column, and how many numbers it has in a position.
type missingCell struct{ column, numbers int }

// gaps are the incomplete columns in the order of their models.
func (p *Imputed) gaps() (out []transform.Gap) {
	for _, c := range p.columns {
		out = append(out, c.gap)
	}
	return out
}

// cellFinder returns the missing cells of rows by the description of their fit. The error is of cells without draws.
type cellFinder func(d *record.Description) (*predictive.Cells, error)

// firstCell is where draws have the first missing cell of a column, with those of the same rows after it.
func firstCell(d *record.Description, g *transform.Gap) (int, error) {
	for i := range d.Cells {
		c := &d.Cells[i]
		if c.Column == g.Column && c.Each == g.Numbers() &&
			slices.EqualFunc(c.Rows, g.Rows, func(stored, row int) bool { return stored == row+1 }) {
			return c.First - 1, nil
		}
	}
	return 0, words.Hint(fmt.Errorf("the missing cells of column %q are not those whose draws the ledger has", g.Column),
		fmt.Sprintf("run the pipeline again; of more than %d cells no draws are stored", maxEffects))
}

// cells is a cellFinder.
func (r *cellRows) cells(d *record.Description) (*predictive.Cells, error) {
	out, of := &predictive.Cells{}, r.of
	cells := make([][]missingCell, len(of))
	numbers, columns := make([][]int, len(of)), make([][]int, len(of))
	for k := range r.gaps {
		g := &r.gaps[k]
		moved, each := r.coder.Moved(k), g.Numbers()
		at, err := firstCell(d, g)
		if err != nil {
			return nil, err
		}
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
	return out, nil
}
