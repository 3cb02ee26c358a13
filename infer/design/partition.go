package design

import "math"

// partition numbers rows by group: two have one number if all columns seen so far
// have equal bits there. It is refined column by column, so that it never compares
// whole rows, and a sparse column costs what it stores.
type partition struct {
	of    []int // group of each row
	next  int   // number of the next group
	limit int   // of groups
	slots []slot
	stamp int // of the column
}

// slot is an entry of a hash table with open addresses: the number of the rows that
// were in a group and have a value in the stamped column.
type slot struct {
	stamp, group, number int
	value                uint64
}

// newPartition returns one group of n rows. Memory: 32 to 64 bytes for each group
// up to the limit, besides the numbers.
func newPartition(n, limit int) *partition {
	size := 16
	for size < 2*(limit+1) {
		size *= 2
	}
	return &partition{of: make([]int, n), next: 1, limit: limit, slots: make([]slot, size)}
}

// refine parts the rows of each group by their values in a column, and reports
// whether it did: not where these rows alone make more groups than the limit, and
// then the partition is of no use any more. A column that stores all its rows numbers
// groups from 0 by first appearance; others keep the rows that they do not store
// where they are. Cost: O(what it stores).
func (p *partition) refine(c Column) bool {
	p.stamp++
	if c.Rows == nil {
		p.next = 0
	}
	begun := p.next
	for i, v := range c.Values {
		r := i
		if c.Rows != nil {
			r = int(c.Rows[i])
		}
		p.of[r] = p.number(p.of[r], math.Float64bits(v))
		if p.next-begun > p.limit {
			return false
		}
	}
	return true
}

// number returns the new number of rows of a group with a value.
func (p *partition) number(group int, value uint64) int {
	mask := uint64(len(p.slots) - 1)
	for at := scattered(uint64(group)*0x9e3779b97f4a7c15 + value); ; at++ {
		s := &p.slots[at&mask]
		if s.stamp != p.stamp {
			*s = slot{stamp: p.stamp, group: group, number: p.next, value: value}
			p.next++
			return s.number
		}
		if s.group == group && s.value == value {
			return s.number
		}
	}
}

// scattered is the finaliser of MurmurHash3, by which every bit changes half of all.
func scattered(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
