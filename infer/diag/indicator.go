package diag

import "math/bits"

// indicator gives the autocovariances of an event, one bit a draw: lag products
// are counts, 64 at a time and exact. An event and its complement have the same
// autocovariances, so the rarer of the two is stored.
type indicator struct {
	shape
	words  []uint64 // bit p of the words is the draw at position p
	counts []int    // of the event, by half
	// first and last count the event among the first and the last k draws of a
	// half, k being the lag.
	first, last []int
	squares     int // Σ counts²
}

func (d *indicator) reshape(s shape) {
	d.shape = s
	d.words = resize(d.words, s.halves*s.stride/64+s.chains/64+2)
	d.counts = resize(d.counts, s.halves)
	d.first = resize(d.first, s.halves)
	d.last = resize(d.last, s.halves)
}

// below sets the event to the first k of the sorted draws.
func (d *indicator) below(sorted column, k int) *indicator {
	rare := sorted.positions[:k]
	if k > len(sorted.positions)/2 {
		rare = sorted.positions[k:]
	}
	clear(d.words)
	for _, p := range rare {
		d.words[p/64] |= 1 << (p % 64)
	}
	d.squares = 0
	for h := range d.halves {
		c := 0
		for _, word := range d.half64(h) {
			c += bits.OnesCount64(word)
		}
		d.counts[h], d.first[h], d.last[h] = c, 0, 0
		d.squares += c * c
	}
	return d
}

// half64 returns the words of half h; the last bits are zero.
func (d *indicator) half64(h int) []uint64 {
	return d.words[h*d.stride/64 : (h+1)*d.stride/64]
}

// varies tells whether the event is neither certain nor impossible in the halves.
func (d *indicator) varies() bool {
	total := 0
	for _, c := range d.counts {
		total += c
	}
	return total > 0 && total < d.halves*d.half
}

// between is the variance of the event's frequencies in the halves.
func (d *indicator) between() float64 {
	total := 0
	for _, c := range d.counts {
		total += c
	}
	ss := float64(d.halves*d.squares-total*total) / float64(d.halves)
	return ss / float64(d.half) / float64(d.half) / float64(d.halves-1)
}

// extend implements lagSource, one lag at a time, at O(draws/64) each.
func (d *indicator) extend(acov []float64, from int) int {
	n, sum := d.half, 0
	for h := range d.halves {
		words := d.half64(h)
		if from > 0 {
			d.first[h] += int(words[(from-1)/64] >> ((from - 1) % 64) & 1)
			d.last[h] += int(words[(n-from)/64] >> ((n - from) % 64) & 1)
		}
		c := d.counts[h]
		sum += n*coincidences(words, from) - c*(2*c-d.first[h]-d.last[h])
	}
	// Σ (I_i − c/n)(I_(i+k) − c/n) = coincidences − (c/n)(head + tail) + (n − k)(c/n)²
	nf := float64(n)
	acov[from] = (float64(sum) + float64(float64(n-from)*float64(d.squares))/nf) / nf / nf / float64(d.halves)
	return from + 1
}

// coincidences counts i with bits i and i + lag both set.
func coincidences(words []uint64, lag int) int {
	skip, shift := lag/64, uint(lag%64)
	count := 0
	later := words[skip:]
	for j := range len(later) - 1 {
		count += bits.OnesCount64(words[j] & (later[j]>>shift | later[j+1]<<(64-shift)))
	}
	j := len(later) - 1
	return count + bits.OnesCount64(words[j]&(later[j]>>shift))
}
