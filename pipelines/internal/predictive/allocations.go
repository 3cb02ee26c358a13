package predictive

import "context"

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
// observations has the probability of each of them. It is NaN if a draw has no density.
//
// Cost: K densities for each row and draw.
func (e *Evaluator) Allocations(ctx context.Context) ([][]float64, error) {
	k := len(e.parts)
	most := max(fewestAllocation, allocationValues/max(1, e.rows()*k))
	every := (e.Size() + most - 1) / most
	used := float64((e.Size() + every - 1) / every)
	out := make([][]float64, e.rows())
	err := e.Blocks(ctx, func(b *Block) error {
		return e.each(b.Rows, func(_, i int) {
			sums, shares := make([]float64, k), make([]float64, k)
			for s := 0; s < e.Size(); s += every {
				b.shares(s, i, shares)
				for c, p := range shares {
					sums[c] += p
				}
			}
			for c := range sums {
				sums[c] /= used
			}
			out[b.First+i] = sums
		})
	})
	return out, err
}
