package glm

import (
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
)

// Entries and responses that are latent are rewritten between the steps of a chain, in a copy of its own.

// Rewritable returns the posterior with its own copy of a dense design and of the responses. After a change of entries
// Rewritten is to be called, after one of responses Responded, and then Predictor.Revalue or Refresh. All else is
// shared, the penalised point too: it stays that of the first design. Cost: O(n·d).
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

// Rewritten tells that columns of the design were rewritten. Cost: O(n) each.
func (t *Target) Rewritten(columns []int) {
	for _, j := range columns {
		t.xty[j] = t.data.X.Column(j).DotBy(t.kernels, t.counted)
	}
}

// SetResponse rewrites a response, of a Rewritable target or a Part. The constants of the log likelihood stay those of
// the first responses.
func (t *Target) SetResponse(row int, y float64) { t.rows.SetResponse(row, y) }

// SetResponse rewrites a response, which must be one of the family's; it is not to be called while others read.
func (p *Pointwise) SetResponse(row int, y float64) {
	p.rows.SetResponse(row, y)
	p.constant[row] = p.constantOf(row)
}

// Responded makes anew what rewritten responses and the dispersions decide of the log likelihood whatever eta is,
// before Revalue. Cost: O(n), of families whose responses have such a part.
func (p *Predictor) Responded() { p.t.normalise(&p.disp) }

// Responded tells that responses were rewritten. Cost: O(n·d).
func (t *Target) Responded() { t.data.X.TransposedProduct(t.kernels, t.counted, t.xty) }

// Part returns the likelihood of some rows with their responses copied, for RowCurves and SetResponse alone: row i of
// it is row at[i].
func (t *Target) Part(at []int) *Target {
	out, r := *t, t.rows
	out.data, out.pilot = nil, nil
	out.rows = family.Rows{Y: design.Take(r.Y, at), Trials: design.Take(r.Trials, at), LogY: design.Take(r.LogY, at),
		Log1Y: design.Take(r.Log1Y, at), Disp: r.Disp, Kernels: r.Kernels, Total: r.Total,
		Frequency: design.Take(r.Frequency, at), Precision: design.Take(r.Precision, at), Roots: design.Take(r.Roots, at)}
	return &out
}
