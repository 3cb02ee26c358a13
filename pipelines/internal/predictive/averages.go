package predictive

import (
	"context"
	"math"

	"glmbatch/infer/glm"
)

// Averages computes at every draw the weighted mean, over cells of rows, of the mean of the response (for binomial of
// the probability of one trial), or, with linear, of the linear predictor, which mixtures do not have. of has the cell
// of each row, −1 for none; cells is their number. A row outside the domain of the link makes its cell NaN at that
// draw, as does a cell without rows.
//
// The sums run over rows in their order: neither workers nor blocks of draws change a bit. Cost: that of Blocks, and an
// inverse link for each row and draw.
func (f *Fit) Averages(ctx context.Context, family glm.Family, data *glm.Data, of []int32, weights []float64, cells int,
	linear bool) ([][]float64, error) {
	totals, out := make([]float64, cells), make([][]float64, cells)
	for i, cell := range of {
		if cell >= 0 {
			totals[cell] += weights[i]
		}
	}
	for cell := range out {
		out[cell] = make([]float64, f.Size())
	}
	for b, err := range f.Blocks(ctx, data) {
		if err != nil {
			return nil, err
		}
		err := f.each(f.Size(), func(_, s int) {
			for i, v := range b.means(family, s, linear) {
				if cell := of[b.First+i]; cell >= 0 {
					out[cell][s] += float64(weights[b.First+i] * v)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for cell, sums := range out {
		for s := range sums {
			sums[s] /= totals[cell]
		}
	}
	return out, nil
}

// means are the means of the responses of the block's rows at draw s, or their linear predictors; of a mixture those of
// its components by their weights. They may take the place of what the block has.
func (b *Block) means(family glm.Family, s int, linear bool) []float64 {
	if b.Of == nil {
		mean := b.At(s)
		if !linear {
			family.Means(mean, b.Disp[s], mean)
		}
		return mean
	}
	out := make([]float64, b.Rows)
	for _, c := range b.Of {
		w := math.Exp(c.LogW[s])
		if !(w > 0) { // a component that weighs nothing is not asked
			continue
		}
		for i, v := range c.means(family, s, linear) {
			out[i] = math.FMA(w, v, out[i])
		}
	}
	return out
}
