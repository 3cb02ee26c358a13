package predictive

import (
	"context"

	"glmbatch/infer/glm"
)

// Averages computes at every draw the weighted mean, over cells of rows, of the mean of the response (for binomial of
// the probability of one trial), or, with linear, of the linear predictor. of has the cell of each row, −1 for none;
// cells is their number. A row outside the domain of the link makes its cell NaN at that draw, as does a cell without
// rows.
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
			mean := b.At(s)
			if !linear {
				family.Means(mean, mean)
			}
			for i, v := range mean {
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
