package glm

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
)

// cells are the entries and responses of a chain's own Rewritable target that are unseen numbers, and what follows from
// them.
type cells struct {
	x         *design.Dense
	columns   []int // with entries that are cells
	responses bool  // some are cells
	dirty     bool  // the sums of columns are those of earlier entries or responses
}

// Rewritable returns the posterior with its own copy of a dense design and of the responses, which the predictor of one
// chain writes. All else is shared, the penalised point too: it stays that of the first design. Cost: O(n·d).
func (t *Target) Rewritable() *Target {
	out, data := *t, *t.data
	x := t.data.X.(*design.Dense)
	data.X = &design.Dense{Rows: x.Rows, Cols: x.Cols, Values: slices.Clone(x.Values)}
	data.Y = slices.Clone(t.data.Y)
	out.data = &data
	out.rows.Y, out.rows.LogY, out.rows.Log1Y = data.Y, slices.Clone(t.rows.LogY), slices.Clone(t.rows.Log1Y)
	out.xty, out.counted = slices.Clone(t.xty), product(data.Frequency, data.Y)
	return &out
}

// SetResponse rewrites a response, of a Rewritable target or of RowsOf. The constants of the log likelihood stay those
// of the first responses.
func (t *Target) SetResponse(row int, y float64) { t.rows.SetResponse(row, y) }

// HasCells prepares a point of a Rewritable target for changes of entries of these columns, and of responses.
func (p *Point) HasCells(columns []int, responses bool) {
	p.cells = &cells{x: p.t.data.X.(*design.Dense), columns: columns, responses: responses}
}

// Enter writes an entry of the design. Eta follows by Push or Refresh.
func (p *Point) Enter(column, row int, v float64) {
	c := p.cells
	c.x.Values[column*c.x.Rows+row], c.dirty = v, true
}

// Answer writes a response, which leaves the log likelihood behind.
func (p *Point) Answer(row int, y float64) {
	p.t.SetResponse(row, y)
	p.cells.dirty, p.stale = true, true
	p.moved()
}

// Push adds b·step to eta of a row, which leaves the log likelihood behind.
func (p *Point) Push(row int, b, step float64) {
	p.eta[row] = math.FMA(b, step, p.eta[row])
	p.stale = true
	p.moved()
}

// Begin computes the sums of columns again whose entries or responses were written, before coefficients move.
// Cost: O(n) for each.
func (p *Point) Begin() {
	c := p.cells
	switch {
	case c == nil || !c.dirty:
		return
	case c.responses:
		p.t.data.X.TransposedProduct(p.t.kernels, p.t.counted, p.t.xty)
	default:
		for _, j := range c.columns {
			p.t.xty[j] = p.t.data.X.Column(j).DotBy(p.t.kernels, p.t.counted)
		}
	}
	c.dirty = false
}

// RowsOf returns the likelihood of some rows with their responses copied, for RowCurves and SetResponse alone: row i of
// it is row at[i].
func (t *Target) RowsOf(at []int) *Target {
	out, r := *t, t.rows
	out.data, out.pilot = nil, nil
	out.rows = family.Rows{Y: design.Take(r.Y, at), Trials: design.Take(r.Trials, at), LogY: design.Take(r.LogY, at),
		Log1Y: design.Take(r.Log1Y, at), Disp: r.Disp, Kernels: r.Kernels, Total: r.Total,
		Frequency: design.Take(r.Frequency, at), Precision: design.Take(r.Precision, at), Roots: design.Take(r.Roots, at),
		Censoring: r.Censoring.Taken(at)}
	return &out
}
