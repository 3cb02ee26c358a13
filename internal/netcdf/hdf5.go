package netcdf

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// file holds the content of a file except the values of its variables.
type file struct {
	objects    []*object // the root first
	items      []*item
	dimensions int32
}

// object is a group or a dataset: a header, and the data of a dataset.
type object struct {
	at         uint64 // of the header
	attributes []Attribute
	links      []link // of a group
	// For a dataset:
	kind       []byte // its datatype; nil: a group
	shape      []uint64
	data, size uint64        // where the data are, and how many bytes
	values     func() []byte // the data, if they are known
	over       []*object     // scales of its dimensions
	self       *item         // of a scale: the reference to it
}

type link struct {
	name string
	to   *object
}

func (o *object) link(name string, to *object) { o.links = append(o.links, link{name, to}) }

func (f *file) add(o *object) *object {
	f.objects = append(f.objects, o)
	return o
}

// item is an object of the global heap.
type item struct {
	bytes func() []byte // as many at any time
	heap  uint64        // address of its collection
	index uint32        // in it, from 1
}

func (f *file) keep(bytes func() []byte) *item {
	it := &item{bytes: bytes}
	f.items = append(f.items, it)
	return it
}

// appendTo appends the reference in a dataset or attribute for a sequence that is kept in the heap.
func (it *item) appendTo(out []byte, length int) []byte {
	if length == 0 {
		return append(out, make([]byte, 16)...)
	}
	return u32(u64(u32(out, uint32(length)), it.heap), it.index)
}

// Abbreviations: all numbers of the format are little-endian.
func u16(b []byte, x int) []byte    { return binary.LittleEndian.AppendUint16(b, uint16(x)) }
func u32(b []byte, x uint32) []byte { return binary.LittleEndian.AppendUint32(b, x) }
func u64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }

// nowhere is the address of what there is not.
const nowhere = math.MaxUint64

// The datatypes: class and version, bits, size in bytes, properties.
var (
	typeFloat64 = []byte{0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0}
	typeInt64   = []byte{0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0}
	typeInt32   = []byte{0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0}
	typeInt8    = []byte{0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0}
	// Strings of any length in UTF-8; references to objects, and sequences of these.
	typeString     = []byte{0x19, 0x01, 0x01, 0, 16, 0, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0}
	typeReferences = []byte{0x19, 0, 0, 0, 16, 0, 0, 0, 0x17, 0, 0, 0, 8, 0, 0, 0}
)

func kindType(k Kind) []byte {
	return map[Kind][]byte{Float64: typeFloat64, Int64: typeInt64, Bool: typeInt8}[k]
}

// typeText is the type of a string of size bytes in UTF-8, the last one 0.
func typeText(size int) []byte { return u32([]byte{0x13, 0x10, 0, 0}, uint32(size)) }

// part is bytes with their place in the file.
type part struct {
	at    uint64
	bytes []byte
}

// place gives everything its place, and returns all bytes that are known.
func (f *file) place() (parts []part) {
	next := uint64(48)
	after := func(size uint64) uint64 {
		at := next
		next += (size + 7) &^ 7
		return at
	}
	for _, o := range f.objects {
		o.at = after(uint64(len(o.header()))) // as long as when all addresses are known
	}
	heaps := f.collect()
	for _, h := range heaps {
		at := after(uint64(len(h.bytes())))
		for _, it := range h {
			it.heap = at
		}
	}
	for _, o := range f.objects {
		if o.kind != nil {
			o.data = after(o.size)
		}
	}
	// The last byte of the file is written before values are put there.
	parts = []part{{0, superblock(next, f.objects[0].at)}, {next - 1, []byte{0}}}
	for _, o := range f.objects {
		parts = append(parts, part{o.at, o.header()})
		if o.values != nil {
			parts = append(parts, part{o.data, o.values()})
		}
	}
	for _, h := range heaps {
		parts = append(parts, part{h[0].heap, h.bytes()})
	}
	return parts
}

// superblock is the beginning of a file of size bytes.
func superblock(size, root uint64) []byte {
	b := append([]byte("\x89HDF\r\n\x1a\n"), 2, 8, 8, 0)
	return checked(u64(u64(u64(u64(b, 0), nowhere), size), root))
}

// header is the object header: messages that say what the object is.
func (o *object) header() []byte {
	var b []byte
	message := func(kind byte, body []byte) { b = append(append(u16(append(b, kind), len(body)), 0), body...) }
	if o.kind == nil {
		// Links are in the header, in the order in which they were made, which is recorded.
		message(0x02, u64(u64(u64([]byte{0, 1}, uint64(len(o.links))), nowhere), nowhere))
		message(0x0a, []byte{0, 0})
		for i, l := range o.links {
			body := append(u16(append(u64([]byte{1, 0x15}, uint64(i)), 1), len(l.name)), l.name...)
			message(0x06, u64(body, l.to.at))
		}
	} else {
		message(0x01, dataspace(o.shape))
		message(0x03, o.kind)
		message(0x05, []byte{3, 0x0a})
		message(0x08, u64(u64([]byte{3, 1}, o.data), o.size))
	}
	for _, a := range o.attributes {
		message(0x0c, a.body())
	}
	if len(o.over) > 0 {
		var scales []byte
		for _, s := range o.over {
			scales = s.self.appendTo(scales, 1)
		}
		message(0x0c, attribute("DIMENSION_LIST", typeReferences, dataspace([]uint64{uint64(len(o.over))}), scales))
	}
	return checked(append(u32([]byte{'O', 'H', 'D', 'R', 2, 2}, uint32(len(b))), b...))
}

// dataspace is the shape of an array; none: of a single value.
func dataspace(shape []uint64) []byte {
	b := []byte{2, byte(len(shape)), 0, byte(min(1, len(shape)))}
	for _, n := range shape {
		b = u64(b, n)
	}
	return b
}

// longest is the most text that a message in a header may hold.
const longest = 60_000

func (a Attribute) body() []byte {
	switch v := a.Value.(type) {
	case float64:
		return attribute(a.Name, typeFloat64, dataspace(nil), u64(nil, math.Float64bits(v)))
	case int64:
		return attribute(a.Name, typeInt64, dataspace(nil), u64(nil, uint64(v)))
	case int32:
		return attribute(a.Name, typeInt32, dataspace(nil), u32(nil, uint32(v)))
	case string:
		text := append([]byte(v[:min(len(v), longest)]), 0)
		return attribute(a.Name, typeText(len(text)), dataspace(nil), text)
	}
	panic("netcdf: attribute " + a.Name + " is neither text nor number")
}

func attribute(name string, kind, space, value []byte) []byte {
	b := u16(u16(u16([]byte{3, 0}, len(name)+1), len(kind)), len(space))
	b = append(append(append(b, 1), name...), 0) // 1: the name is UTF-8
	return append(append(append(b, kind...), space...), value...)
}

// collection is a part of the global heap.
type collection []*item

// perCollection bounds the items of a collection, whose numbers have 16 bits.
const perCollection = 4096

// collect deals items to collections.
func (f *file) collect() (out []collection) {
	for i, it := range f.items {
		if i%perCollection == 0 {
			out = append(out, nil)
		}
		last := len(out) - 1
		out[last] = append(out[last], it)
		it.index = uint32(len(out[last]))
	}
	return out
}

// bytes is the collection in the file: its items, then what is free, to a multiple of 4096.
func (c collection) bytes() []byte {
	b := append([]byte("GCOL\x01\x00\x00\x00"), make([]byte, 8)...)
	for _, it := range c {
		body := it.bytes()
		b = u64(u32(u16(u16(b, int(it.index)), 1), 0), uint64(len(body)))
		b = append(b, body...)
		b = append(b, make([]byte, -len(body)&7)...)
	}
	size := (len(b) + 16 + 4095) &^ 4095
	free := size - len(b)
	b = append(u64(append(b, make([]byte, 8)...), uint64(free)), make([]byte, free-16)...)
	binary.LittleEndian.PutUint64(b[8:], uint64(size))
	return b
}

// checked appends the checksum of b: Jenkins' lookup3, hashlittle (burtleburtle.net/bob/c/lookup3.c).
func checked(b []byte) []byte { return u32(b, lookup3(b)) }

func lookup3(k []byte) uint32 {
	x := 0xdeadbeef + uint32(len(k))
	y, z := x, x
	rot := bits.RotateLeft32
	if len(k) == 0 {
		return z
	}
	for len(k) > 12 {
		x += binary.LittleEndian.Uint32(k)
		y += binary.LittleEndian.Uint32(k[4:])
		z += binary.LittleEndian.Uint32(k[8:])
		x, z = (x-z)^rot(z, 4), z+y
		y, x = (y-x)^rot(x, 6), x+z
		z, y = (z-y)^rot(y, 8), y+x
		x, z = (x-z)^rot(z, 16), z+y
		y, x = (y-x)^rot(x, 19), x+z
		z, y = (z-y)^rot(y, 4), y+x
		k = k[12:]
	}
	var tail [12]byte
	copy(tail[:], k)
	x += binary.LittleEndian.Uint32(tail[:])
	y += binary.LittleEndian.Uint32(tail[4:])
	z += binary.LittleEndian.Uint32(tail[8:])
	z = (z ^ y) - rot(y, 14)
	x = (x ^ z) - rot(z, 11)
	y = (y ^ x) - rot(x, 25)
	z = (z ^ y) - rot(y, 16)
	x = (x ^ z) - rot(z, 4)
	y = (y ^ x) - rot(x, 14)
	return (z ^ y) - rot(y, 24)
}
