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
	if e.responses != nil {
		var each []func(theta []float64) *Block
		for _, own := range e.responses {
			each = append(each, own.At(i))
		}
		b.rescor = e.rescor.single()
		return func(theta []float64) *Block {
			b.rescor.set(theta)
			for k, at := range each {
				one := b.responses[k].one
				b.responses[k] = at(theta)
				b.responses[k].one = one
			}
			return b
		}
	}
	parts := b.parts()
	of := make([][]func(theta []float64) float64, len(parts))
	for k, p := range parts {
		for q := range p.of.predictors {
			of[k] = append(of[k], e.etaOf(i, &p.of.predictors[q]))
		}
		if e.Items != nil {
			of[k] = append(of[k], e.densityOf(i, p.of.scalars[0].Parameter-1))
		}
	}
	return func(theta []float64) *Block {
		for k, p := range parts {
			for q, at := range of[k] {
				p.Eta[q][0] = at(theta)
			}
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
func (e *Evaluator) densityOf(i, first int) func(theta []float64) float64 {
	like, own := e.Items.Part(i, 1), make([]float64, e.itemParams())
	var log, scratch [1]float64
	return func(theta []float64) float64 {
		copy(own, theta[first:])
		like(own, log[:], scratch[:])
		return log[0]
	}
}

// etaOf returns a predictor of row i.
func (e *Evaluator) etaOf(i int, l *linear) func(theta []float64) float64 {
	x := make([]float64, l.Cols())
	for j := range x {
		l.X.Read(j, i, x[j:j+1])
	}
	offset := 0.0
	if l.Offset != nil {
		offset = l.Offset[i]
	}
	rewrite := e.rewritten(i, x)
	return func(theta []float64) float64 {
		rewrite(theta)
		eta := offset
		for j, v := range x {
			eta = math.FMA(v, theta[l.first+j], eta)
		}
		for _, of := range l.effects {
			at, levels := of.first+int(of.Grouping.Of()[i]), of.fitted
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
