package diag

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
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

// radix sorts a column on the leading 32 bits of the draws' order-preserving
// integers, after the smallest is taken off and leading zeros are shifted out.
// An insertion sort on the draws themselves repairs what these bits leave.
type radix struct {
	items, spare []uint64 // key in the high half, position in the low half
	counts       [3][1 << 11]uint32
}

func (s *radix) resize(n int) {
	s.items = resize(s.items, n)
	s.spare = resize(s.spare, n)
}

// orderedBits maps floats, NaN excepted, to integers in the same order; −0 + 0
// is 0, so that both zeros are one.
func orderedBits(v float64) uint64 {
	b := math.Float64bits(v + 0)
	return b ^ (uint64(int64(b)>>63) | 1<<63)
}

// sort fills w.sorted. It costs O(n) unless the draws cluster so narrowly, with far outliers, that 32 bits do not
// distinguish them; then O(n log n).
func (w *Workspace) sort() {
	s := &w.radix
	clear(s.counts[0][:])
	clear(s.counts[1][:])
	clear(s.counts[2][:])
	base := orderedBits(w.lo)
	shift := bits.LeadingZeros64(orderedBits(w.hi) - base)
	items := s.items[:0]
	w.parts(func(first int, x []float64) {
		for i, v := range x {
			key := (orderedBits(v) - base) << shift >> 32
			s.counts[0][key&2047]++
			s.counts[1][key>>11&2047]++
			s.counts[2][key>>22]++
			items = append(items, key<<32|uint64(first+i))
		}
	})
	for pass := range s.counts {
		s.pass(pass)
	}
	w.gather()
}

// pass is one stable counting sort on 11 bits of the keys; it does nothing when
// they are all alike.
func (s *radix) pass(pass int) {
	counts, shift := &s.counts[pass], 32+11*pass
	if int(counts[s.items[0]>>shift&2047]) == len(s.items) {
		return
	}
	sum := uint32(0)
	for d, c := range counts {
		counts[d] = sum
		sum += c
	}
	for _, item := range s.items {
		d := item >> shift & 2047
		s.spare[counts[d]] = item
		counts[d]++
	}
	s.items, s.spare = s.spare, s.items
}

// gather writes the draws in the order of the sorted items and repairs that
// order where keys are equal.
func (w *Workspace) gather() {
	values, positions := w.sorted.values, w.sorted.positions
	moves, budget := 0, 4*len(values)+64
	for r, item := range w.radix.items {
		pos := uint32(item)
		v := w.x[pos]
		j := r
		for ; j > 0 && values[j-1] > v; j-- {
			values[j], positions[j] = values[j-1], positions[j-1]
		}
		values[j], positions[j] = v, pos
		if moves += r - j; moves > budget {
			w.sortFully()
			return
		}
	}
}

// sortFully sorts by comparison.
func (w *Workspace) sortFully() {
	for r, item := range w.radix.items {
		w.sorted.positions[r] = uint32(item)
	}
	slices.SortFunc(w.sorted.positions, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(w.x[a], w.x[b]), cmp.Compare(a, b))
	})
	for r, pos := range w.sorted.positions {
		w.sorted.values[r] = w.x[pos]
	}
}

// quantile returns the p-quantile of the draws, type 7 of Hyndman and Fan
// (1996): R's default, in R's own order of operations.
func (w *Workspace) quantile(p float64) float64 {
	x := w.sorted.values
	index := float64(float64(len(x)-1) * p)
	lo := math.Floor(index)
	q := x[int(lo)]
	if next := x[int(math.Ceil(index))]; next != q {
		h := index - lo
		q = float64((1-h)*q) + float64(h*next)
	}
	return q
}

// median returns the middle draw, or the mean of the two middle ones.
func (w *Workspace) median() float64 {
	x := w.sorted.values
	k := len(x) / 2
	if len(x)%2 == 1 || x[k-1] == x[k] {
		return x[k]
	}
	m := (x[k-1] + x[k]) / 2
	if math.IsInf(m, 0) {
		m = x[k-1]/2 + x[k]/2
	}
	return m
}

// countBelow returns the number of draws that are at most the p-quantile.
func (w *Workspace) countBelow(p float64) int {
	x, q := w.sorted.values, w.quantile(p)
	k := int(float64(float64(len(x)-1) * p))
	for k < len(x) && x[k] <= q {
		k++
	}
	for k > 0 && x[k-1] > q {
		k--
	}
	return k
}

// essQuantile returns the ESS of the event that a draw is at most the p-quantile.
func (w *Workspace) essQuantile(p float64) float64 {
	if !w.finite() || w.half < 3 {
		return math.NaN()
	}
	if p == 1 {
		p = (float64(w.size()) - 0.5) / float64(w.size())
	}
	w.event.set(w.sorted, w.countBelow(p))
	if !w.event.varies() {
		return math.NaN()
	}
	return w.ess((*Workspace).eventLags, w.event.between())
}

// mcseQuantile returns the Monte Carlo standard error of the p-quantile, whose
// effective sample size is ess: half the distance between the draws at the
// 16 % and the 84 % quantile of the Beta distribution of its probability.
//
// Source: Vehtari et al. (2021), §4.4, with posterior's rounding outwards.
func (w *Workspace) mcseQuantile(p, ess float64) float64 {
	if math.IsNaN(ess) {
		return ess
	}
	x := w.sorted.values
	n := float64(len(x))
	a, b := float64(ess*p)+1, float64(ess*(1-p))+1
	lo := max(int(math.Floor(float64(betaQuantile(0.1586553, a, b)*n))), 1)
	hi := min(int(math.Ceil(float64(betaQuantile(0.8413447, a, b)*n))), len(x))
	return (x[hi-1] - x[lo-1]) / 2
}
