package diag

import "math/bits"

// event is something that each draw does or does not, one bit a draw: lag
// products are counts, 64 at a time and exact. An event and its complement have
// the same autocovariances, so the rarer of the two is stored.
type event struct {
	shape
	words  []uint64 // bit p of the words is the draw at position p
	counts []int    // by half
	// first and last count the event among the first and the last k draws of a
	// half, k being the lag last asked for.
	first, last    []int
	total, squares int // Σ counts, Σ counts²
	pairs          int // of edges of a half, over the halves
	edges          edges
}

// directEventLags is the number of lags of an event that are counted before
// the transform takes over, unless the edges did.
const directEventLags = 512

func (e *event) reshape(s shape) {
	e.shape = s
	e.words = resize(e.words, s.halves*s.stride/64+s.chains/64+1)
	e.counts = resize(e.counts, s.halves)
	e.first = resize(e.first, s.halves)
	e.last = resize(e.last, s.halves)
	e.edges.reshape(s)
}

// set makes the event that of the first k sorted draws, or of the others.
func (e *event) set(sorted column, k int) {
	rare := sorted.positions[:k]
	if k > len(sorted.positions)/2 {
		rare = sorted.positions[k:]
	}
	clear(e.words)
	for _, p := range rare {
		e.words[p/64] |= 1 << (p % 64)
	}
	e.total, e.squares, e.pairs = 0, 0, 0
	for h := range e.halves {
		c, words := 0, e.half64(h)
		for _, word := range words {
			c += bits.OnesCount64(word)
		}
		edges := edgesOf(words)
		e.pairs += edges * edges / 2
		e.counts[h], e.first[h], e.last[h] = c, 0, 0
		e.total += c
		e.squares += c * c
	}
}

// half64 returns the words of half h; the bits behind its draws are zero.
func (e *event) half64(h int) []uint64 {
	return e.words[h*e.stride/64 : (h+1)*e.stride/64]
}

// varies reports whether the event is neither certain nor impossible in the halves.
func (e *event) varies() bool { return e.total > 0 && e.total < e.halves*e.half }

// between is the variance of the event's frequencies in the halves.
func (e *event) between() float64 {
	ss := float64(e.halves*e.squares-e.total*e.total) / float64(e.halves)
	return ss / float64(e.half*e.half) / float64(e.halves-1)
}

// lag returns the autocovariance at the given lag, which is one more than that
// of the call before, at O(draws/64).
//
// With c of n draws of a half, Σ (I_i − c/n)(I_(i+k) − c/n) =
// coincidences − (c/n)·(c without the last k + c without the first k) + (n − k)(c/n)².
func (e *event) lag(k int) float64 {
	n, sum := e.half, 0
	for h, c := range e.counts {
		words := e.half64(h)
		if k > 0 {
			e.first[h] += int(words[(k-1)/64] >> ((k - 1) % 64) & 1)
			e.last[h] += int(words[(n-k)/64] >> ((n - k) % 64) & 1)
		}
		sum += n*coincidences(words, k) - c*(2*c-e.first[h]-e.last[h])
	}
	return e.covariance(k, sum)
}

// covariance is the autocovariance at lag k, sum being the integers of lag's
// formula, halves·n times Σ coincidences − (c/n)·(…).
func (e *event) covariance(k, sum int) float64 {
	n := e.half
	nf := float64(n)
	return (float64(sum)/nf + float64(float64(n-k)*float64(e.squares))/nf/nf) / float64(e.halves*n)
}

// coincidences counts i with bits i and i + lag both set.
func coincidences(words []uint64, lag int) int {
	later, right := words[lag/64:], uint(lag)%64
	words = words[:len(later)]
	count, last := 0, len(later)-1
	for j, word := range words[:last] {
		// shifting left twice lets nothing through where right is 0
		count += bits.OnesCount64(word & (later[j]>>right | later[j+1]<<1<<(63-right)))
	}
	return count + bits.OnesCount64(words[last]&(later[last]>>right))
}

// spread writes the centred indicator of the event to y.
func (e *event) spread(y []float64) {
	for h, c := range e.counts {
		words, p := e.half64(h), float64(c)/float64(e.half)
		for i := range e.half {
			y[h*e.stride+i] = float64(words[i/64]>>(i%64)&1) - p
		}
	}
}

// eventLags is the lagSource of the event in w: one lag at a time; all of them
// from the event's edges as soon as that costs no more than what was counted; or,
// from directEventLags on, all of them at O(draws · log draws), which overwrites y.
func (w *Workspace) eventLags(from int) int {
	e := &w.event
	switch {
	case e.pairs <= from*len(e.words):
		e.edgeLags(w.acov, from)
		return w.half
	case from >= directEventLags:
		e.spread(w.y)
		return w.spectrumLags()
	}
	w.acov[from] = e.lag(from)
	return from + 1
}
