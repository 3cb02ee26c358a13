package predictive

import (
	"context"
	"fmt"
	"math"

	"glmbatch/infer"
)

// Items are rows that have several responses each, independent given the component of a mixture. The component's
// parameters are the Params columns of draws from Component.First on.
type Items struct {
	Rows, Params int
	// Responses are those of each item, with their trials, for comparisons of fits.
	Responses [][]float64
	// Part returns what evaluates rows first … first+n−1: it writes their log densities in a component to dst. theta is
	// used up, scratch as long as dst. It is called from several goroutines.
	Part func(first, n int) func(theta, dst, scratch []float64)
}

// fillItems computes the log density of a block's rows in each component. The draws pass once, a component at a time.
func (f *Fit) fillItems(b *Block) error {
	like := f.Items.Part(b.First, b.Rows)
	own := make([]float64, f.Items.Params*f.Size())
	done := 0
	for c, err := range f.columns() {
		if err != nil {
			return err
		}
		for k := range b.Of {
			p := part{Block: b.Of[k], at: f.Components[k]}
			p.take(c, f.Size())
		}
		for done < len(b.Of) {
			at := f.Components[done].First
			if copied := copyColumns(own, c, at, f.Items.Params, f.Size()); !copied {
				break
			}
			if err := f.evaluate(b.Of[done], like, own); err != nil {
				return err
			}
			done++
		}
	}
	if done < len(b.Of) {
		return fmt.Errorf("the draws have the parameters of %d components, not of %d", done, len(b.Of))
	}
	return nil
}

// copyColumns copies those of the columns at … at+params−1 that a block has to their places in dst, and reports whether
// the last of them is there.
func copyColumns(dst []float64, c *infer.Columns, at, params, size int) (last bool) {
	from, to := max(at, c.First), min(at+params, c.First+c.Params)
	if from < to {
		copy(dst[(from-at)*size:], c.Values[(from-c.First)*size:(to-c.First)*size])
	}
	return to == at+params && from < to
}

// evaluate writes the log densities of a component's rows at all draws of its parameters.
func (f *Fit) evaluate(b *Block, like func(theta, dst, scratch []float64), draws []float64) error {
	type work struct{ theta, scratch []float64 }
	works := make([]work, max(1, f.Workers))
	return f.each(f.Size(), func(w, s int) {
		mine := &works[w]
		if mine.theta == nil {
			*mine = work{make([]float64, f.Items.Params), make([]float64, b.Rows)}
		}
		for j := range mine.theta {
			mine.theta[j] = draws[j*f.Size()+s]
		}
		like(mine.theta, b.At(s), mine.scratch)
	})
}

// Members gives every row to yield, in order, with the probability of each component at every draw; yield must not keep
// it.
func (f *Fit) Members(ctx context.Context, yield func(row int, of [][]float64) error) error {
	of, terms := make([][]float64, len(f.Components)), make([]float64, len(f.Components))
	for k := range of {
		of[k] = make([]float64, f.Size())
	}
	for b, err := range f.Blocks(ctx, nil) {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			for s := range f.Size() {
				b.terms(nil, s, i, terms)
				total := math.Inf(-1)
				for _, l := range terms {
					total = logAdd(total, l)
				}
				for k, l := range terms {
					of[k][s] = math.Exp(l - total)
				}
			}
			if err := yield(b.First+i, of); err != nil {
				return err
			}
		}
	}
	return nil
}
