package predictive

import (
	"context"
	"slices"

	"glmbatch/infer/glm"
)

// Averages computes at every draw the weighted mean, over cells of rows, of the mean of the response (for binomial of
// the probability of one trial), or on the scale link of the linear predictor, which mixtures do not have, or of one of
// the quantities of Ask. of has the cell
// of each row, −1 for none; cells is their number. A response in K classes has K means, one after the other of a
// cell; of several linear predictors likewise. A row outside the domain of the link makes its cell NaN at that
// draw, as does a cell without rows.
//
// The sums run over rows in their order: neither workers nor blocks of draws change a bit. Cost: that of Blocks, and an
// inverse link for each row and draw.
func (f *Fit) Averages(ctx context.Context, designs []Design, of []int32, weights []float64, cells int,
	scale string) ([][]float64, error) {
	e, err := f.On(&glm.Data{X: designs[0].X}, designs...) // one trial each
	if err != nil {
		return nil, err
	}
	each, linear := e.outcomes.means(), scale == "link"
	if asked(scale) {
		if err := e.Ask([]string{scale}); err != nil {
			return nil, err
		}
		each = 1
	}
	if linear {
		each = min(each, len(e.parts[0].predictors))
	}
	totals, out := make([]float64, cells), make([][]float64, cells*each)
	for i, cell := range of {
		if cell >= 0 {
			totals[cell] += weights[i]
		}
	}
	for k := range out {
		out[k] = make([]float64, f.Size())
	}
	works := make([][]float64, max(1, f.Workers))
	err = e.Blocks(ctx, func(b *Block) error {
		return f.each(f.Size(), func(w, s int) {
			works[w] = slices.Grow(works[w][:0], b.Rows)[:b.Rows]
			values := works[w]
			for k := range each {
				switch {
				case linear:
					values = b.at(k, s)
				case e.questions != nil:
					for i := range values {
						values[i] = e.questions[0].answer(b, s, i)
					}
				default:
					b.means(s, 0, b.Rows, k, values)
				}
				for i, v := range values {
					if cell := int(of[b.First+i]); cell >= 0 {
						out[cell*each+k][s] += float64(weights[b.First+i] * v)
					}
				}
			}
		})
	})
	for k, sums := range out {
		for s := range sums {
			sums[s] /= totals[k/each]
		}
	}
	return out, err
}
