package diag

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

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

// sort fills w.sorted. It costs O(n) unless the draws cluster so narrowly
// beside far outliers that 32 bits do not tell them apart; then O(n log n).
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
