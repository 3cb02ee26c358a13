package plan

import (
	"slices"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// DrawnRows are all rows of incomplete data, those without a response too, of which the missing cells were drawn with
// the coefficients of a stored fit.
type DrawnRows struct {
	Hash  DataHash
	gaps  []transform.Gap
	table transform.Table
}

// NewDrawnRows finds the missing cells of a table, which a fit of a model has drawn. The table must outlive it.
func NewDrawnRows(d *spec.Dataset, key string, m *spec.Model, table *ingest.Table,
	fit *record.Description) (*DrawnRows, error) {
	formula, err := formulaOf(m)
	if err != nil {
		return nil, err
	}
	u, schema := &Unit{Dataset: d, Key: key}, table.Data.Schema()
	terms, response, others, err := formula.Reads(schema)
	if err != nil {
		return nil, err
	}
	gaps, _, err := gapsOf(u, m, table.Data, terms, response, others)
	if err != nil {
		return nil, err
	}
	columns, err := modelsOf(m, schema, terms, gaps)
	if err != nil {
		return nil, err
	}
	out := &DrawnRows{table: table.Data}
	if out.Hash, err = imputedHash(table, m, slices.Concat(terms, response, others)); err != nil {
		return nil, err
	}
	for _, c := range columns {
		if _, err := firstCell(fit, &c.gap); err != nil {
			return nil, err
		}
		out.gaps = append(out.gaps, c.gap)
	}
	return out, nil
}

// Incomplete are the rows in which a column is missing; nil of complete ones, and of those with measurements.
func (d *DrawnRows) Incomplete(column string) []int {
	if d == nil {
		return nil
	}
	for i := range d.gaps {
		if d.gaps[i].Column == column && d.gaps[i].Noise == nil {
			return d.gaps[i].Rows
		}
	}
	return nil
}

// Code codes the rows with columns set to values, or moved by a transform.Shift, and returns which of their entries
// are missing cells of the fit. A column that is set has no missing cells.
func (d *DrawnRows) Code(r *transform.Record, fit *record.Description, names []string, values []any,
	c transform.Coding) (*transform.Design, *predictive.Cells, error) {
	design, rows, err := codeDrawn(r, d.table, d.gaps, names, values, c)
	if err != nil {
		return nil, nil, err
	}
	cells, err := rows.cells(fit)
	return design, cells, err
}

// codeDrawn is Code without the fit.
func codeDrawn(r *transform.Record, table transform.Table, gaps []transform.Gap, names []string, values []any,
	c transform.Coding) (*transform.Design, *cellRows, error) {
	filled := transform.Filled(table, gaps)
	defer filled.Release()
	set := transform.Replace(filled, names, values)
	defer set.Release()
	rows := &cellRows{}
	for _, g := range gaps {
		if i := slices.Index(names, g.Column); i >= 0 {
			by, moved := values[i].(transform.Shift)
			if !moved {
				continue
			}
			g = g.Shifted(float64(by))
		}
		rows.gaps = append(rows.gaps, g)
		rows.states = append(rows.states, g.States())
	}
	design, err := r.Code(set, c)
	if err != nil {
		return nil, nil, err
	}
	coder, err := r.NewEntries(rows.gaps, set)
	rows.of, rows.coder = design.TableRows(), coder
	return design, rows, err
}

// drawnAverage holds the rows of a call of average(), or the reason why there are none.
type drawnAverage struct {
	rows *transform.Averaged
	of   *cellRows
	err  error
}

// average codes the rows that derived quantities average over.
func (p *Imputed) average(table transform.Table) {
	p.averages = map[string]drawnAverage{}
	coding := transform.Coding{Dataset: p.fit.Unit.Name(), Locate: p.fit.Unit.table.Locate}
	for _, a := range averagesOf(p.fit.Model) {
		var at drawnAverage
		var among *transform.Record
		var design *transform.Design
		if among, at.err = p.Record.AveragedBy(a); at.err == nil {
			design, at.of, at.err = codeDrawn(among, table, p.gaps(), a.Names, a.Values, coding)
		}
		if at.err == nil {
			at.rows = &transform.Averaged{Data: design.Data, Columns: among.Columns, Cells: make([]int32, design.Rows),
				Weights: slices.Repeat([]float64{1}, design.Rows)}
		}
		p.averages[a.Text] = at
	}
}

// CellsOf returns the missing cells of the rows that a derived quantity averages over.
func (p *Imputed) CellsOf(rows *transform.Averaged, fit *record.Description) (*predictive.Cells, error) {
	for _, at := range p.averages {
		if at.rows == rows {
			return at.of.cells(fit)
		}
	}
	return nil, nil
}
