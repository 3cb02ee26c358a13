package herded

import (
	"encoding/binary"
	"math"
	"slices"

	"glmbatch/discrete/mrf"
	"glmbatch/internal/words"
)

// layout finds the weights of a variable for the current states of others.
//
// An input is a neighbour or, under Sums in a model of terms, a term. Each adds
// a number that depends on its value; the sum is the class of the blanket state.
// Without sharing inputs are the digits of a number in mixed radix. Under Sums
// inputs of the same potential count together, and slot maps what they count,
// the class, to one place for each distinct sum.
type layout struct {
	terms *mrf.Terms // under Sums in a model of terms
	add   []uint32   // rows of what an input adds, by its value
	start []uint32   // n + 1 offsets into row
	row   []uint32   // of each input, where its row in add begins
	kind  []int32    // of each variable under Sums, the entry of slot
	slot  [][]int32  // from classes to places
	base  []int      // n + 1 offsets into a chain's weights
	one   bool       // under All
}

// width is the number of weights of one place: one for two states.
func width(m mrf.Model, i int) int {
	if q := m.States(i); q > 2 {
		return q
	}
	return 1
}

// at returns where the weights of variable i for the others in x begin.
func (l *layout) at(m mrf.Model, i int, x []uint8) int {
	if l.one {
		return l.base[i]
	}
	class := uint32(0)
	rows := l.row[l.start[i]:l.start[i+1]]
	if l.terms != nil {
		for e, k := range l.terms.TermsOf(i) {
			class += l.add[rows[e]+uint32(product(l.terms.Members(int(k)), i, x))]
		}
	} else {
		for e, j := range m.Neighbours(i) {
			class += l.add[rows[e]+uint32(x[j])]
		}
	}
	if l.kind != nil {
		class = uint32(l.slot[l.kind[i]][class])
	}
	return l.base[i] + int(class)*width(m, i)
}

// product returns 1 when the signs of the members other than i multiply to +1.
func product(members []int32, i int, x []uint8) uint8 {
	v := uint8(1)
	for _, j := range members {
		if int(j) != i {
			v ^= x[j] ^ 1
		}
	}
	return v
}

// layOut numbers every state of the neighbours.
func (l *layout) layOut(m mrf.Model, limit int64) error {
	n := m.Variables()
	total, largest, who := 0.0, 0.0, 0
	for i := range n {
		weights := float64(width(m, i))
		for _, j := range m.Neighbours(i) {
			weights *= float64(m.States(int(j)))
		}
		total += float64(weights)
		if weights > largest {
			largest, who = weights, i
		}
	}
	if 8*total > float64(limit) || largest > math.MaxUint32 {
		return words.Clause(&MemoryError{who, len(m.Neighbours(who)), 8 * total, limit},
			"share weights by sums, or allow more")
	}
	l.start, l.base = make([]uint32, n+1), make([]int, n+1)
	rows := map[[2]uint32]uint32{}
	for i := range n {
		stride := uint32(1)
		for _, j := range m.Neighbours(i) {
			q := uint32(m.States(int(j)))
			at, ok := rows[[2]uint32{stride, q}]
			if !ok {
				at = uint32(len(l.add))
				rows[[2]uint32{stride, q}] = at
				for v := range q {
					l.add = append(l.add, v*stride)
				}
			}
			l.row = append(l.row, at)
			stride *= q
		}
		l.start[i+1] = uint32(len(l.row))
		l.base[i+1] = l.base[i] + int(stride)*width(m, i)
	}
	return nil
}

// layOutAll gives each variable one place.
func (l *layout) layOutAll(m mrf.Model) {
	l.one, l.base = true, make([]int, m.Variables()+1)
	for i := range m.Variables() {
		l.base[i+1] = l.base[i] + width(m, i)
	}
}

// input is one input of a variable under Sums: two inputs of equal keys count
// together, turned ones with their values exchanged.
type input struct {
	key    uint64
	turned bool
	values int
	lw     mrf.Table // what value v adds to state a: Log[v·Cols + a]
}

// inputs lists those of variable i.
func inputs(m mrf.Model, i int) []input {
	var out []input
	sign := func(w float64) input {
		return input{key: math.Float64bits(math.Abs(w)), turned: w < 0, values: 2, lw: signs(math.Abs(w))}
	}
	switch m := m.(type) {
	case *mrf.Binary:
		for _, w := range m.Weights(i) {
			out = append(out, sign(w))
		}
	case *mrf.Terms:
		for _, k := range m.TermsOf(i) {
			out = append(out, sign(m.Weight(int(k))))
		}
	case *mrf.Tables:
		for k := range m.Neighbours(i) {
			key, t := m.Pair(i, k)
			out = append(out, input{key: uint64(key), values: t.Rows, lw: t})
		}
	}
	return out
}

// signs is the table of a coupling w ≥ 0 between two signs.
func signs(w float64) mrf.Table {
	return mrf.Table{Rows: 2, Cols: 2, Log: []float64{w, -w, -w, w}}
}

// layOutSums numbers the distinct sums of the neighbours' potentials.
func (l *layout) layOutSums(m mrf.Model, limit int64) error {
	n := m.Variables()
	l.terms, _ = m.(*mrf.Terms)
	l.start, l.base, l.kind = make([]uint32, n+1), make([]int, n+1), make([]int32, n)
	kinds, rows := map[string]int32{}, map[[4]uint32]uint32{}
	var places []int
	for i := range n {
		in := inputs(m, i)
		groups := grouped(in)
		name := describe(groups, m.States(i))
		kind, ok := kinds[name]
		if !ok {
			kind = int32(len(l.slot))
			slot, count, err := distinct(groups, m.States(i), limit)
			if err != nil {
				err.Variable, err.Degree = i, len(m.Neighbours(i))
				return words.Clause(err, "its couplings differ, and so do their sums: use fewer neighbours")
			}
			kinds[name], l.slot, places = kind, append(l.slot, slot), append(places, count)
		}
		l.kind[i] = kind
		for _, v := range in {
			l.row = append(l.row, l.rowOf(v, groups, rows))
		}
		l.start[i+1] = uint32(len(l.row))
		l.base[i+1] = l.base[i] + places[kind]*width(m, i)
		if 8*int64(l.base[i+1]) > limit {
			return words.Clause(&MemoryError{i, len(m.Neighbours(i)), 8 * float64(l.base[i+1]), limit},
				"allow more; the couplings have too many different sums")
		}
	}
	return nil
}

// rowOf returns the row of what an input adds to the class.
func (l *layout) rowOf(v input, groups []group, rows map[[4]uint32]uint32) uint32 {
	g := groups[slices.IndexFunc(groups, func(g group) bool { return g.key == v.key })]
	turned := uint32(0)
	if v.turned {
		turned = 1
	}
	key := [4]uint32{g.stride, uint32(g.count), uint32(v.values), turned}
	at, ok := rows[key]
	if !ok {
		at = uint32(len(l.add))
		rows[key] = at
		unit := g.stride
		l.add = append(l.add, 0)
		for range v.values - 1 {
			l.add = append(l.add, unit)
			unit *= uint32(g.count + 1)
		}
		if v.turned {
			slices.Reverse(l.add[at:])
		}
	}
	return at
}

// group is the inputs of one potential: how many of them have value v is digit v
// of the class, for v ≥ 1, in radix count + 1.
type group struct {
	input
	count  int
	stride uint32
}

func grouped(in []input) []group {
	var groups []group
	for _, v := range in {
		at := slices.IndexFunc(groups, func(g group) bool { return g.key == v.key })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{input: v})
		}
		groups[at].count++
	}
	slices.SortFunc(groups, func(a, b group) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	stride := 1.0 // a float64: it may exceed what an integer holds, and then is refused
	for g := range groups {
		groups[g].stride = uint32(min(stride, math.MaxUint32))
		stride *= groups[g].classes()
	}
	return groups
}

// classes returns the radix of the group.
func (g group) classes() float64 {
	c := 1.0
	for range g.values - 1 {
		c *= float64(g.count + 1)
	}
	return c
}

// describe names neighbourhoods that share a slot table.
func describe(groups []group, states int) string {
	out := binary.LittleEndian.AppendUint64(nil, uint64(states))
	for _, g := range groups {
		out = binary.LittleEndian.AppendUint64(out, g.key)
		out = binary.LittleEndian.AppendUint64(out, uint64(g.count))
	}
	return string(out)
}

// maxClasses bounds the table of classes of one kind of neighbourhood.
const maxClasses = 1 << 24

// distinct returns, for each class of a neighbourhood, the place of its sum of
// potentials among the distinct ones, and how many there are. Classes that no
// states have, whose digits count more inputs than there are, have −1.
//
// Sums are distinguished at 2⁻³⁰ of the largest; only differences between a
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
