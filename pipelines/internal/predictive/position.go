package predictive

import (
	"math"
	"slices"
)

// At returns what evaluates row i, one of its equal observations, at a position of the sampler: a block of that row at
// one draw, which the next call rewrites.
func (e *Evaluator) At(i int) func(theta []float64) *Block {
	b := e.newBlock(1, 1)
	b.hold(i, 1)
	of := e.etaOf
	if e.Items != nil {
		of = e.densityOf
	}
	at, parts := of(i), b.parts()
	return func(theta []float64) *Block {
		for _, p := range parts {
			p.Eta[0] = at(theta, p.at.First)
			p.set(0, func(param int) float64 { return theta[param] })
		}
		return b
	}
}

// density returns the log density of row i as a function of a position of the sampler.
func (e *Evaluator) density(i int) func(theta []float64) float64 {
	at, log := e.At(i), make([]float64, 1)
	return func(theta []float64) float64 {
		at(theta).logLik(0, 0, 1, log)
		return log[0]
	}
}

// densityOf returns the log density of row i of Items in the component whose parameters begin at first.
func (e *Evaluator) densityOf(i int) func(theta []float64, first int) float64 {
	like, own := e.Items.Part(i, 1), make([]float64, e.Items.Params)
	var log, scratch [1]float64
	return func(theta []float64, first int) float64 {
		copy(own, theta[first:])
		like(own, log[:], scratch[:])
		return log[0]
	}
}

// etaOf returns the linear predictor of row i of the design whose coefficients begin at first.
func (e *Evaluator) etaOf(i int) func(theta []float64, first int) float64 {
	x := make([]float64, e.data.Cols())
	for j := range x {
		e.data.X.Read(j, i, x[j:j+1])
	}
	offset := 0.0
	if e.data.Offset != nil {
		offset = e.data.Offset[i]
	}
	rewrite := e.rewritten(i, x)
	return func(theta []float64, first int) float64 {
		rewrite(theta)
		eta := offset
		for j, v := range x {
			eta = math.FMA(v, theta[first+j], eta)
		}
		for k, of := range e.data.Effects {
			at, levels := e.Effects[k].First+int(of.Grouping.Of()[i]), of.Grouping.Levels()
			for t, column := range of.Columns {
				z := 1.0
				if column != nil {
					z = column[i]
				}
				eta = math.FMA(z, theta[at+t*levels], eta)
			}
		}
		return eta
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
