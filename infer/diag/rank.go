package diag

import (
	"math"
	"sort"

	"glmbatch/internal/variate"
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
	positions, scores := c.positions[:n], w.scores[:n]
	for r := 0; r < n; {
		v, last := c.values[r], r+1
		if last == n || c.values[last] != v {
			w.y[positions[r]] = scores[r]
			r++
			continue
		}
		for last < n && c.values[last] == v {
			last++
		}
		z := scores[(r+last-1)/2]
		if (last-r)%2 == 0 {
			z = normalScore(float64(r+1+last)/2, n)
		}
		for ; r < last; r++ {
			w.y[positions[r]] = z
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
	above := sort.SearchFloat64s(w.ranked.values, median)
	w.folded.mergeFolded(w.ranked, above, median)
	return true
}

// distance is high − low, which is not negative, as an integer of the same order: branches on which of two distances
// is less would be guessed wrong half of the time.
func distance(high, low float64) uint64 { return math.Float64bits(high - low + 0) }

// mergeFolded fills c with the distances from the median of the draws in from, of
// which those from above on are at least the median. It merges from both ends at a
// time, so that neither waits for the other. Of equal distances that below comes
// first.
func (c column) mergeFolded(from column, above int, median float64) {
	n := len(from.values)
	x, p := from.values, from.positions[:n]
	near, far := above-1, 0 // next below the median, from the middle and from the end
	up, top := above, n-1   // next above it
	first, last := 0, n-1   // places to be filled
	for near-far >= 0 && top-up >= 0 && last-first >= 1 {
		b, a := distance(median, x[near]), distance(x[up], median)
		below := (a-b)>>63 - 1 // all ones where the one below is as near
		c.values[first], c.positions[first] = math.Float64frombits(a^(a^b)&below), p[up^(up^near)&int(below)]
		near += int(below)
		up += 1 + int(below)
		first++
		if near < far || top < up {
			break
		}
		b, a = distance(median, x[far]), distance(x[top], median)
		above := (a-b)>>63 - 1 // all ones where the one above is as far
		c.values[last], c.positions[last] = math.Float64frombits(b^(b^a)&above), p[far^(far^top)&int(above)]
		far += 1 + int(above)
		top += int(above)
		last--
	}
	for near >= far && up <= top {
		b, a := median-x[near], x[up]-median
		if b <= a {
			c.values[first], c.positions[first] = b, p[near]
			near--
		} else {
			c.values[first], c.positions[first] = a, p[up]
			up++
		}
		first++
	}
	for ; near >= far; first++ {
		c.values[first], c.positions[first] = median-x[near], p[near]
		near--
	}
	for ; up <= top; first++ {
		c.values[first], c.positions[first] = x[up]-median, p[up]
		up++
	}
}
