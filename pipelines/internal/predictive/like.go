package predictive

import (
	"math"
	"slices"

	"glmbatch/infer/glm"
)

// like returns the log density of row i, one of its equal observations, as a function of a position of the sampler: in
// a mixture that of all components, by their weights.
func (f *Fit) like(outcomes *glm.Pointwise, data *glm.Data, i int) func(theta []float64) float64 {
	var of func(theta []float64, c *Component) float64
	if f.Items != nil {
		of = f.likeItems(i)
	} else {
		of = f.likeRow(outcomes, data, i)
	}
	if f.Components == nil {
		whole := &Component{Dispersions: f.Dispersions}
		return func(theta []float64) float64 { return of(theta, whole) }
	}
	return func(theta []float64) float64 {
		sum := math.Inf(-1)
		for k := range f.Components {
			c := &f.Components[k]
			if w := theta[c.Weight]; w > 0 {
				sum = logAdd(sum, math.Log(w)+of(theta, c))
			}
		}
		return sum
	}
}

// likeItems is that of a row with several responses, given its component.
func (f *Fit) likeItems(i int) func(theta []float64, c *Component) float64 {
	like, own := f.Items.Part(i, 1), make([]float64, f.Items.Params)
	var log, scratch [1]float64
	return func(theta []float64, c *Component) float64 {
		copy(own, theta[c.First:])
		like(own, log[:], scratch[:])
		return log[0]
	}
}

// likeRow is that of a row of a design, given its component.
func (f *Fit) likeRow(outcomes *glm.Pointwise, data *glm.Data, i int) func(theta []float64, c *Component) float64 {
	x, cell := make([]float64, data.Cols()), make([]float64, 1)
	for j := range x {
		clear(cell)
		data.X.Column(j).AddPart(cell, 1, i)
		x[j] = cell[0]
	}
	offset := 0.0
	if data.Offset != nil {
		offset = data.Offset[i]
	}
	rewrite := f.rewritten(i, x)
	return func(theta []float64, c *Component) float64 {
		rewrite(theta)
		eta := offset
		for j, v := range x {
			eta = math.FMA(v, theta[c.First+j], eta)
		}
		for k, e := range data.Effects {
			at, levels := f.Effects[k].First+int(e.Grouping.Of()[i]), e.Grouping.Levels()
			for t, column := range e.Columns {
				z := 1.0
				if column != nil {
					z = column[i]
				}
				eta = math.FMA(z, theta[at+t*levels], eta)
			}
		}
		var disp [2]float64
		for k, d := range c.Dispersions {
			if disp[k] = d.Fixed; d.Param >= 0 {
				disp[k] = theta[d.Param]
			}
		}
		cell[0] = eta
		outcomes.LogLik(i, cell, disp[:], cell)
		return cell[0]
	}
}

// rewritten returns what writes the entries of row i that its missing cells move to x.
func (f *Fit) rewritten(i int, x []float64) func(theta []float64) {
	k, there := 0, false
	if f.Cells != nil {
		k, there = slices.BinarySearch(f.Cells.Rows, i)
	}
	if !there {
		return func([]float64) {}
	}
	params, columns, write := f.Cells.Params[k], f.Cells.Columns[k], f.Cells.Entries(k)
	cells, entries := make([]float64, len(params)), make([]float64, len(columns))
	return func(theta []float64) {
		for m, p := range params {
			cells[m] = theta[p]
		}
		write(cells, entries)
		for m, j := range columns {
			x[j] = entries[m]
		}
	}
}
