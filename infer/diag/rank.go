package diag

import (
	"math"
	"sort"

	"glmbatch/infer/internal/variate"
)

// fillScores writes the normal scores of ranks 1 … n, the quantiles at Blom's
// plotting positions (r − 3/8)/(n + 1/4). They are antisymmetric.
func fillScores(scores []float64) {
	n := len(scores)
	for i := range (n + 1) / 2 {
		z := normalScore(float64(i+1), n)
		scores[i], scores[n-1-i] = z, -z
	}
}

// normalScore is the normal score of a rank, an average of ranks included.
func normalScore(rank float64, n int) float64 {
	return variate.Quantile((rank - 0.375) / (float64(n) + 0.25))
}

// rankNormalize writes the normal scores of c, which is in ascending order, to
// y at c's positions; equal values share the score of their average rank.
func (w *Workspace) rankNormalize(c column) {
	n := len(c.values)
	for r := 0; r < n; {
		v, last := c.values[r], r+1
		for last < n && c.values[last] == v {
			last++
		}
		z := w.scores[(r+last-1)/2]
		if (last-r)%2 == 0 {
			z = normalScore(float64(r+1+last)/2, n)
		}
		for ; r < last; r++ {
			w.y[c.positions[r]] = z
		}
	}
}

// fold fills w.folded with the distances from the median, in ascending order:
// the draws below it backwards, merged with those above it. It returns false if
// the median is not finite.
func (w *Workspace) fold() bool {
	median := w.median()
	if math.IsNaN(median) || math.IsInf(median, 0) {
		return false
	}
	from, to := w.ranked, w.folded
	n := len(from.values)
	above := sort.SearchFloat64s(from.values, median)
	below, r := above-1, 0
	for ; below >= 0 && above < n; r++ {
		next, step := above, 1 // without a branch: either side comes next at random
		if median-from.values[below] <= from.values[above]-median {
			next, step = below, 0
		}
		to.values[r] = math.Abs(from.values[next] - median)
		to.positions[r] = from.positions[next]
		above += step
		below += step - 1
	}
	for ; below >= 0; r++ {
		to.values[r], to.positions[r] = median-from.values[below], from.positions[below]
		below--
	}
	for ; above < n; r++ {
		to.values[r], to.positions[r] = from.values[above]-median, from.positions[above]
		above++
	}
	return true
}
