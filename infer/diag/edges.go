package diag

import "math/bits"

// edges of an event: where a half goes from draws that do not to draws that do, or back. A chain that mixes slowly
// has few of them, and their distances determine all lags at once. With I the indicator, zero outside the half, d_i
// = I_i − I_(i−1), and C(k) = Σ I_i·I_(i+k), the counts follow from C(k+1) = 2·C(k) − C(k−1) − Σ d_i·d_(i+k), where
// d is ±1 at an edge.
type edges struct {
	at    []int32 // of one half, ascending: onset, end, onset, …
	bends []int   // Σ d_i·d_(i+k) over the halves, by lag k
	ends  []int   // second differences of Σ counts·(first + last), by lag
}

func (d *edges) reshape(s shape) {
	d.at = resize(d.at, s.half+1)
	d.bends = resize(d.bends, s.half+2)
	d.ends = resize(d.ends, s.half+2)
}

// edgesOf returns the edges among the words of a half, whose last bit is 0.
func edgesOf(words []uint64) (count int) {
	before := uint64(0)
	for _, word := range words {
		count += bits.OnesCount64(word ^ (word<<1 | before))
		before = word >> 63
	}
	return count
}

// load finds the edges of a half.
func (d *edges) load(words []uint64) []int32 {
	at, before := d.at[:0], uint64(0)
	for j, word := range words {
		for change := word ^ (word<<1 | before); change != 0; change &= change - 1 {
			at = append(at, int32(64*j+bits.TrailingZeros64(change)))
		}
		before = word >> 63
	}
	return at
}

// add adds a half of n draws with these edges, whose event counts count.
func (d *edges) add(at []int32, n, count int) {
	d.bends[0] += len(at)
	for j, edge := range at {
		// edges of the same kind, then of the other
		for i := j - 2; i >= 0; i -= 2 {
			d.bends[edge-at[i]]++
		}
		for i := j - 1; i >= 0; i -= 2 {
			d.bends[edge-at[i]]--
		}
	}
	for ; len(at) >= 2; at = at[2:] {
		onset, end := int(at[0]), int(at[1])
		d.ends[onset+1] += count
		d.ends[end+1] -= count
		d.ends[n-end+1] += count
		d.ends[n-onset+1] -= count
	}
}

// edgeLags writes the autocovariances from lag `from` on to acov, with the bits
// of lag, at O(pairs of edges + draws).
func (e *event) edgeLags(acov []float64, from int) {
	d := &e.edges
	clear(d.bends)
	clear(d.ends)
	for h, c := range e.counts {
		d.add(d.load(e.half64(h)), e.half, c)
	}
	before, now := e.total-d.bends[0]/2, e.total // C(−1) and C(0)
	step, atEnds := 0, 0                         // Σ counts·(first + last) and its last difference
	for k := range acov {
		step += d.ends[k]
		atEnds += step
		if k >= from {
			acov[k] = e.covariance(k, e.half*now-2*e.squares+atEnds)
		}
		before, now = now, 2*now-before-d.bends[k]
	}
}
