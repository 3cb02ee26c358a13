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
}

// directEventLags is the number of lags of an event that are counted before
// the transform takes over; counting one costs a thirtieth of summing one.
const directEventLags = 512

func (e *event) reshape(s shape) {
	e.shape = s
	e.words = resize(e.words, s.halves*s.stride/64+s.chains/64+1)
	e.counts = resize(e.counts, s.halves)
	e.first = resize(e.first, s.halves)
	e.last = resize(e.last, s.halves)
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
	e.total, e.squares = 0, 0
	for h := range e.halves {
		c := 0
		for _, word := range e.half64(h) {
			c += bits.OnesCount64(word)
		}
		e.counts[h], e.first[h], e.last[h] = c, 0, 0
		e.total += c
		e.squares += c * c
	}
}

// half64 returns the words of half h; the bits behind its draws are zero.
func (e *event) half64(h int) []uint64 {
	return e.words[h*e.stride/64 : (h+1)*e.stride/64]
}

// varies tells whether the event is neither certain nor impossible in the halves.
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
	nf := float64(n)
	return (float64(sum)/nf + float64(float64(n-k)*float64(e.squares))/nf/nf) / float64(e.halves*n)
}

// coincidences counts i with bits i and i + lag both set.
func coincidences(words []uint64, lag int) int {
	later, shift := words[lag/64:], lag%64
	count := bits.OnesCount64(words[len(later)-1] & (later[len(later)-1] >> shift))
	for j, next := range later[1:] {
		count += bits.OnesCount64(words[j] & (later[j]>>shift | next<<(64-shift)))
	}
	return count
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

// eventLags is the lagSource of the event in w: one lag at a time, or, from
// directEventLags on, all of them at O(draws · log draws), which overwrites y.
func (w *Workspace) eventLags(from int) int {
	if from >= directEventLags {
		w.event.spread(w.y)
		return w.spectrumLags()
	}
	w.acov[from] = w.event.lag(from)
	return from + 1
}
