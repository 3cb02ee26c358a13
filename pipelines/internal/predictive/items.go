package predictive

import (
	"context"
	"fmt"

	"glmbatch/infer"
)

// Items are rows that have several responses each, independent given the component of a mixture. The component's
// parameters are the numbers of all responses, one after the other.
type Items struct {
	Rows int
	// Responses are those of each item, with their trials, for comparisons of fits.
	Responses [][]float64
	// Part returns what evaluates rows first … first+n−1: it writes their log densities in a component to dst. theta is
	// used up, scratch as long as dst. It is called from several goroutines.
	Part func(first, n int) func(theta, dst, scratch []float64)
}

// fillItems computes the log density of a block's rows in each component. The draws pass once, a component at a time.
func (e *Evaluator) fillItems(b *Block) error {
	like, single := e.Items.Part(b.First, b.Rows), e.singles(b)
	params := e.itemParams()
	own := make([]float64, params*e.Size())
	done := 0
	for c, err := range e.columns() {
		if err != nil {
			return err
		}
		single.take(c)
		for done < len(b.Of) && copyColumns(own, c, b.Of[done].of.scalars[0].Parameter-1, params, e.Size()) {
			if err := e.evaluate(b.Of[done], like, own); err != nil {
				return err
			}
			done++
		}
	}
	if done < len(b.Of) {
		return fmt.Errorf("the draws have the parameters of %d components, not of %d", done, len(b.Of))
	}
	return single.settle(b)
}

// itemParams counts the parameters of a component of Items.
func (e *Evaluator) itemParams() (n int) {
	for i := range e.Description.Responses {
		n += len(e.Description.Responses[i].Components[0].Scalars)
	}
	return n
}

// copyColumns copies those of the columns at … at+params−1 that a block has to their places in dst, and reports
// whether it has the last of them.
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
			*mine = work{make([]float64, len(draws)/f.Size()), make([]float64, b.Rows)}
		}
		for j := range mine.theta {
			mine.theta[j] = draws[j*f.Size()+s]
		}
		like(mine.theta, b.at(0, s), mine.scratch)
	})
}

// Members gives every row to yield, in order, with the probability of each component at every draw, as Predict does.
func (e *Evaluator) Members(ctx context.Context, yield func(*Prediction) error) error {
	return e.predict(ctx, len(e.parts), yield, func(b *Block, i int, of [][]float64) {
		shares := make([]float64, len(of))
		for s := range e.Size() {
			b.shares(s, i, shares)
			for k, p := range shares {
				of[k][s] = p
			}
		}
	})
}
