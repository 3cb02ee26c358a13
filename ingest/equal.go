package ingest

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// distinct numbers keys of one width, 0, 1 … in the order in which they first appear.
type distinct struct {
	mem   memory.Allocator
	width int
	n     int
	keys  []uint32 // of number i: keys[i·width : (i+1)·width]
	slots []uint32 // number + 1 by hash, a power of two of them, half of them free at least; 0 is free
}

func newDistinct(mem memory.Allocator, width int) *distinct {
	const slots = 1 << 8
	charge(mem, 4*slots)
	return &distinct{mem: mem, width: width, slots: make([]uint32, slots)}
}

// of returns the number of a key, which is d.n − 1 where the key is new. Cost: O(width).
func (d *distinct) of(key []uint32) int {
	at := d.search(key)
	if d.slots[at] > 0 {
		return int(d.slots[at] - 1)
	}
	had := cap(d.keys)
	d.keys = append(d.keys, key...)
	charge(d.mem, 4*(cap(d.keys)-had))
	d.n++
	d.slots[at] = uint32(d.n)
	if 2*d.n > len(d.slots) {
		d.grow()
	}
	return d.n - 1
}

// search finds the slot of a key, or the free one where it belongs.
func (d *distinct) search(key []uint32) int {
	h := uint64(0)
	for _, w := range key {
		h = (h ^ uint64(w)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	last := uint64(len(d.slots) - 1)
	for at := h & last; ; at = (at + 1) & last {
		if k := d.slots[at]; k == 0 || slices.Equal(key, d.key(int(k-1))) {
			return int(at)
		}
	}
}

// key is the key of number i.
func (d *distinct) key(i int) []uint32 { return d.keys[i*d.width : (i+1)*d.width] }

// grow doubles the slots.
func (d *distinct) grow() {
	size := 2 * len(d.slots)
	charge(d.mem, 4*size)
	charge(d.mem, -4*len(d.slots))
	d.slots = make([]uint32, size)
	for i := range d.n {
		d.slots[d.search(d.key(i))] = uint32(i + 1)
	}
}

func (d *distinct) release() {
	charge(d.mem, -4*(len(d.slots)+cap(d.keys)))
	d.slots, d.keys = nil, nil
}

// grouping keeps each distinct row once, with its count in the data, in the order in which they first appear.
// Neither batches nor workers change what it keeps.
type grouping struct {
	mem    memory.Allocator
	cols   []*coder
	rows   *distinct // of the codes of all columns
	counts []float64
	first  []int64 // the rows where they first appear
	read   int64   // rows
}

// groupBytes is the memory of a distinct row in addition to its codes.
const groupBytes = 16

func newGrouping(mem memory.Allocator, names []string) *grouping {
	g := &grouping{mem: mem, rows: newDistinct(mem, 0)}
	for _, name := range names {
		g.column(name)
	}
	return g
}

// column adds a column, before there are rows.
func (g *grouping) column(name string) {
	g.cols = append(g.cols, newCoder(g.mem, name))
	g.rows.width++
}

// add counts the n rows whose codes are in the columns. Row i counts once, or counts[i] times.
func (g *grouping) add(n int, counts []float64) {
	key := make([]uint32, len(g.cols))
	for i := range n {
		for j, c := range g.cols {
			key[j] = c.codes[i]
		}
		had := g.rows.n
		g.read++
		k := g.rows.of(key)
		if g.rows.n > had {
			charge(g.mem, groupBytes)
			g.counts, g.first = append(g.counts, 0), append(g.first, g.read-1)
		}
		if counts == nil {
			g.counts[k]++
		} else {
			g.counts[k] += counts[i]
		}
	}
	for _, c := range g.cols {
		c.codes = c.codes[:0]
	}
}

// part hands over the distinct rows.
func (g *grouping) part(p *part) {
	p.rows, p.read, p.counts, p.first = int64(g.rows.n), g.read, g.counts, g.first
	at := make([]int64, 0, chunkRows)
	for j, c := range g.cols {
		values := c.settle()
		col := &column{name: c.name, typ: c.typ, allNull: c.allNull, beyond: c.beyond, bad: c.bad}
		p.cols, p.repeats = append(p.cols, col), p.repeats || c.base > 0
		for from := 0; from < g.rows.n; from += chunkRows {
			at = at[:0]
			for i := from; i < min(from+chunkRows, g.rows.n); i++ {
				at = append(at, c.value(g.rows.key(i)[j]))
			}
			col.chunks = append(col.chunks, gather(g.mem, values, at))
		}
		values.Release()
	}
}

// release gives back what is needed while rows are added.
func (g *grouping) release() {
	g.rows.release()
	charge(g.mem, -groupBytes*len(g.counts))
	for _, c := range g.cols {
		c.release()
	}
}

// coder numbers the values of a column from 1; 0 is a missing value.
type coder struct {
	column // its chunks hold each value once, in the order of the numbers
	mem    memory.Allocator

	codes   []uint32  // of the rows that are yet to be added
	numbers *distinct // bits of numbers, dates and truth values of the type typ
	base    int       // values of another type before: integers, where a later batch has an integer beyond int64
	strays  uint32    // bad cells, each of which has a number of its own, from the largest one downwards
	texts   map[string]uint32
	bytes   int // charged for texts
}

func newCoder(mem memory.Allocator, name string) *coder {
	return &coder{column: column{name: name, allNull: true}, mem: mem, numbers: newDistinct(mem, 2),
		texts: map[string]uint32{}}
}

// value is the position of a number's value, −1 if it is missing or bad.
func (c *coder) value(number uint32) int64 {
	if number > math.MaxUint32-c.strays {
		return -1
	}
	return int64(number) - 1
}

// keepApart gives each bad cell among the codes from index from on a number of its own, so that its row is equal to no
// other. bad reports whether the cell of a code, counted from from, is bad; nil if none is.
func (c *coder) keepApart(from int, bad func(i int) bool) {
	if bad == nil {
		return
	}
	for i := from; i < len(c.codes); i++ {
		if bad(i - from) {
			c.codes[i] = math.MaxUint32 - c.strays
			c.strays++
		}
	}
}

// since is the function that keepApart takes for rows from row start of the file on.
func (b *badCells) since(start int64) func(i int) bool {
	if b == nil {
		return nil
	}
	return func(i int) bool { return b.has(start + int64(i)) }
}

// missing adds rows without a value.
func (c *coder) missing(rows int) { c.codes = append(c.codes, make([]uint32, rows)...) }

// add codes the rows of an array of one of the six types.
func (c *coder) add(a arrow.Array) {
	if a.NullN() == a.Len() {
		c.missing(a.Len())
		if c.typ == nil {
			c.typ = a.DataType()
		}
		return
	}
	if len(c.chunks) > 0 && c.typ.ID() != a.DataType().ID() {
		c.base += c.numbers.n
		c.numbers.release()
		c.numbers = newDistinct(c.mem, 2)
	}
	c.typ, c.allNull = a.DataType(), false
	var fresh []int64
	if s, ok := a.(*array.String); ok {
		fresh = c.text(s)
	} else {
		fresh = c.number(a)
	}
	if len(fresh) > 0 {
		c.chunks = append(c.chunks, gather(c.mem, a, fresh))
	}
}

// number codes numbers, dates and truth values, and returns the rows of those that are new.
func (c *coder) number(a arrow.Array) (fresh []int64) {
	bits := bitsOf(a)
	whole := a.NullN() == 0
	for i := range a.Len() {
		if !whole && a.IsNull(i) {
			c.codes = append(c.codes, 0)
			continue
		}
		v, had := bits(i), c.numbers.n
		k := c.numbers.of([]uint32{uint32(v), uint32(v >> 32)})
		if c.numbers.n > had {
			fresh = append(fresh, int64(i))
		}
		c.codes = append(c.codes, uint32(c.base+k+1))
	}
	return fresh
}

// bitsOf returns a function whose results distinguish the values of an array, except −0 and 0.
func bitsOf(a arrow.Array) func(i int) uint64 {
	switch a := a.(type) {
	case *array.Int64:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Float64:
		return func(i int) uint64 { return positiveZero(a.Value(i)) }
	case *array.Date32:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	case *array.Timestamp:
		return func(i int) uint64 { return uint64(a.Value(i)) }
	}
	truth := a.(*array.Boolean)
	return func(i int) uint64 {
		if truth.Value(i) {
			return 1
		}
		return 0
	}
}

// text codes texts, and returns the rows of those that are new.
func (c *coder) text(a *array.String) (fresh []int64) {
	for i := range a.Len() {
		if a.IsNull(i) {
			c.codes = append(c.codes, 0)
			continue
		}
		k, isNew := c.intern(a.Value(i))
		if isNew {
			fresh = append(fresh, int64(i))
		}
		c.codes = append(c.codes, k)
	}
	return fresh
}

// intern is the number of a text.
func (c *coder) intern(s string) (k uint32, isNew bool) {
	const entry = 64 // bytes of the map
	if k, known := c.texts[s]; known {
		return k, false
	}
	charge(c.mem, entry+len(s))
	c.bytes += entry + len(s)
	k = uint32(len(c.texts) + 1)
	c.texts[cloneCell(s)] = k
	return k, true
}

// dictionary codes a dictionary of texts, each of which is looked at once; its first row is row start of the file.
func (c *coder) dictionary(a *array.Dictionary, value func(i int) string, start int64) error {
	values, codes := a.Dictionary(), make([]uint32, a.Dictionary().Len())
	fresh := array.NewStringBuilder(c.mem)
	defer fresh.Release()
	c.typ = arrowType(kindText)
	for i := range a.Len() {
		k := 0
		if a.IsValid(i) {
			if k = a.GetValueIndex(i); k < 0 || k >= len(codes) {
				return errDictionary(start+int64(i), k, len(codes))
			}
		}
		if a.IsNull(i) || values.IsNull(k) {
			c.codes = append(c.codes, 0)
			continue
		}
		c.allNull = false
		if codes[k] == 0 {
			s, isNew := value(k), false
			if !utf8.ValidString(s) {
				c.setBad(c.mem, start+int64(i), notText)
				c.codes = append(c.codes, 0)
				continue
			}
			if codes[k], isNew = c.intern(s); isNew {
				fresh.Append(s)
			}
		}
		c.codes = append(c.codes, codes[k])
	}
	if fresh.Len() > 0 {
		c.chunks = append(c.chunks, fresh.NewArray())
	}
	return nil
}

// settle gives the values one type, and returns them all.
func (c *coder) settle() arrow.Array {
	if c.allNull {
		if c.typ == nil {
			c.typ = arrowType(kindNull)
		}
		return array.MakeArrayOfNull(c.mem, c.typ, 0)
	}
	if c.base > 0 {
		c.toFloats(c.mem)
	}
	all, err := array.Concatenate(c.chunks, c.mem)
	if err != nil {
		panic(err)
	}
	return all
}

func (c *coder) release() {
	c.column.release()
	c.numbers.release()
	charge(c.mem, -c.bytes)
	c.bytes = 0
}

// Counts are the numbers of rows of the source that each row of the table represents; nil if each represents
// itself.
func (t *Table) Counts() []float64 { return t.counts }

// Over returns the table of the named columns, in the table's order, in which equal rows are counted together. It is
// for a table that has counts; the receiver stays as it is. The caller releases the table.
func (t *Table) Over(columns []string) *Table { return t.over(columns, t.mem) }

func (t *Table) over(columns []string, mem memory.Allocator) *Table {
	out := &Table{Name: t.Name, Key: t.Key, Files: t.Files, Warnings: t.Warnings, parts: t.parts, mem: t.mem}
	var fields []arrow.Field
	var names []string
	for _, f := range t.Data.Schema().Fields() {
		if slices.Contains(columns, f.Name) {
			fields, names = append(fields, f), append(names, f.Name)
		}
	}
	g := newGrouping(mem, names)
	defer g.release()
	for j, f := range fields {
		for _, a := range t.Data.Column(t.Data.Schema().FieldIndices(f.Name)[0]).Data().Chunks() {
			g.cols[j].add(a)
		}
		if at := t.badAt(f.Name); at != nil {
			g.cols[j].keepApart(0, func(i int) bool { return at(int64(i)) != nil })
		}
	}
	g.add(int(t.Data.NumRows()), t.counts)
	var p part
	g.part(&p)
	out.counts, out.rows = p.counts, p.first
	if t.rows != nil {
		for i, r := range out.rows {
			out.rows[i] = t.rows[r]
		}
	}
	made := make([]arrow.Column, len(fields))
	for j, c := range p.cols {
		fields[j] = out.marked(fields[j], p.rows)
		chunked := arrow.NewChunked(fields[j].Type, c.chunks)
		made[j] = *arrow.NewColumn(fields[j], chunked)
		chunked.Release()
		c.release()
	}
	out.Data = array.NewTable(arrow.NewSchema(fields, nil), made, p.rows)
	for i := range made {
		made[i].Release()
	}
	return out
}
