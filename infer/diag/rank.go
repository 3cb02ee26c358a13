package diag

import (
	"math"

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
	above := 0
	for step := nextPowerOfTwo(n + 1); step > 0; step /= 2 {
		if above+step <= n && from.values[above+step-1] < median {
			above += step
		}
	}
	below := above - 1
	for r := range n {
		down, up := math.Inf(1), math.Inf(1)
		if below >= 0 {
			down = median - from.values[below]
		}
		if above < n {
			up = from.values[above] - median
		}
		if below >= 0 && (down <= up || above == n) {
			to.values[r], to.positions[r] = down, from.positions[below]
			below--
		} else {
			to.values[r], to.positions[r] = up, from.positions[above]
			above++
		}
	}
	return true
}
