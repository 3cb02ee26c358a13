package predictive

import (
	"context"
	"math"

	"glmbatch/infer/glm"
)

// Allocations are computed at all draws, or at those that are evenly spaced over them where all would be more than
// allocationValues densities, but never at fewer than fewestAllocation, or than there are draws.
const (
	allocationValues = 200_000_000
	fewestAllocation = 250
)

// Allocations returns for each row of the data that a mixture was fitted to, and each component in the order of
// Components, the posterior probability that the row is of it: the mean over the draws of
//
//	w_k·f(y_i | component k) / Σ_j w_j·f(y_i | component j)
//
// which has less Monte Carlo error than the share of draws in which its label was k. A row that stands for several
// observations has the probability of each of them. It is NaN where a draw has no density.
//
// Cost: K densities for each row and draw.
func (f *Fit) Allocations(ctx context.Context, family glm.Family, data *glm.Data) ([][]float64, error) {
	outcomes, err := f.outcomes(family, data)
	if err != nil {
		return nil, err
	}
	k := len(f.Components)
	most := max(fewestAllocation, allocationValues/max(1, f.rows(data)*k))
	every := (f.Size() + most - 1) / most
	used := float64((f.Size() + every - 1) / every)
	out := make([][]float64, f.rows(data))
	for b, err := range f.Blocks(ctx, data) {
		if err != nil {
			return nil, err
		}
		err := f.each(b.Rows, func(_, i int) {
			sums, terms := make([]float64, k), make([]float64, k)
			for s := 0; s < f.Size(); s += every {
				b.terms(outcomes, s, i, terms)
				total := math.Inf(-1)
				for _, l := range terms {
					total = logAdd(total, l)
				}
				for c, l := range terms {
					sums[c] += math.Exp(l - total)
				}
			}
			for c := range sums {
				sums[c] /= used
			}
			out[b.First+i] = sums
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// terms writes the log of weight times density of the block's row i at draw s, component by component.
func (b *Block) terms(outcomes *glm.Pointwise, s, i int, dst []float64) {
	for c, of := range b.Of {
		of.logLik(outcomes, s, i, i+1, dst[c:c+1])
		dst[c] += of.LogW[s]
	}
}
