package herded

import (
	"math"
	"slices"
)

// maxClasses bounds the table of classes of one kind of neighbourhood.
const maxClasses = 1 << 24

// distinct returns, for each class of a neighbourhood, the place of its sum of
// potentials among the distinct ones, and how many there are. Classes that no
// states have, whose digits count more inputs than there are, have −1.
//
// Sums are told apart at 2⁻³⁰ of the largest; only differences between a
// variable's states matter.
func distinct(groups []group, states int, limit int64) ([]int32, int, *MemoryError) {
	classes := 1.0
	for _, g := range groups {
		classes *= g.classes()
	}
	if most := min(float64(limit)/8, maxClasses); classes > most {
		return nil, 0, &MemoryError{Bytes: 8 * classes, Limit: limit}
	}
	slot := make([]int32, int(classes))
	c := &classing{groups: groups, slot: slot, sum: make([]float64, states)}
	for k := range slot {
		slot[k] = -1
	}
	for _, g := range groups {
		for _, v := range g.lw.Log {
			c.scale = math.FMA(float64(2*g.count), math.Abs(v), c.scale)
		}
	}
	c.group(0, 0)
	slices.SortFunc(c.found, func(a, b class) int {
		if d := slices.Compare(a.key, b.key); d != 0 {
			return d
		}
		return a.at - b.at
	})
	places := 0
	for k, f := range c.found {
		if k > 0 && slices.Compare(f.key, c.found[k-1].key) != 0 {
			places++
		}
		slot[f.at] = int32(places)
	}
	return slot, places + 1, nil
}

// class is a class that some states have, with its sum in units of 2⁻³⁰.
type class struct {
	at  int
	key []int64
}

// classing walks over the classes of a neighbourhood.
type classing struct {
	groups []group
	slot   []int32
	sum    []float64
	scale  float64
	found  []class
}

// group goes through the counts of groups g and later.
func (c *classing) group(g, at int) {
	if g == len(c.groups) {
		key := make([]int64, len(c.sum)-1)
		for a := range key {
			if c.scale > 0 {
				key[a] = int64(math.Round((c.sum[a+1] - c.sum[0]) / c.scale * (1 << 30)))
			}
		}
		c.found = append(c.found, class{at, key})
		return
	}
	c.value(g, 0, c.groups[g].count, at)
}

// value goes through how many of the left inputs of group g have value v.
func (c *classing) value(g, v, left, at int) {
	grp := &c.groups[g]
	unit := 0
	if v > 0 {
		unit = int(grp.stride)
		for range v - 1 {
			unit *= grp.count + 1
		}
	}
	least := 0
	if v == grp.values-1 {
		least = left
	}
	for n := least; n <= left; n++ {
		saved := slices.Clone(c.sum)
		for a := range c.sum {
			c.sum[a] = math.FMA(float64(n), grp.lw.Log[v*grp.lw.Cols+a], c.sum[a])
		}
		if v == grp.values-1 {
			c.group(g+1, at+n*unit)
		} else {
			c.value(g, v+1, left-n, at+n*unit)
		}
		copy(c.sum, saved)
	}
}
