package netcdftest

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Array is a variable of a file.
type Array struct {
	Dimensions []string // its own name, of coordinates
	Shape      []int
	Values     []float64      // of numbers, in the order of the file
	Labels     []string       // of strings
	Attributes map[string]any // those that have one number or string
}

// File holds the content of a file: variables by group/name, attributes of groups by name.
type File struct {
	Arrays map[string]*Array
	Groups map[string]map[string]any
}

// Read reads a file. It panics at content that it does not support, with the position.
func Read(b []byte) *File {
	f := &File{map[string]*Array{}, map[string]map[string]any{}}
	if string(b[:8]) != "\x89HDF\r\n\x1a\n" || u64(b, 28) != len(b) {
		panic(fmt.Sprintf("signature %q, %d bytes of %d", b[:8], len(b), u64(b, 28)))
	}
	names := map[int]string{}
	for _, g := range header(b, u64(b, 36)).links {
		group := header(b, g.at)
		f.Groups[g.name] = group.attributes
		for _, l := range group.links {
			names[l.at] = l.name
		}
		for _, l := range group.links {
			o := header(b, l.at)
			a := &Array{Shape: o.shape, Attributes: o.attributes}
			for _, at := range o.scales {
				a.Dimensions = append(a.Dimensions, names[at])
			}
			if o.attributes["CLASS"] == "DIMENSION_SCALE" {
				a.Dimensions = []string{l.name}
			}
			o.fill(b, a)
			f.Arrays[g.name+"/"+l.name] = a
		}
	}
	return f
}

type link struct {
	name string
	at   int
}

type object struct {
	links      []link
	shape      []int
	kind       []byte
	data, size int
	scales     []int
	attributes map[string]any
}

func u16(b []byte, at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
func u32(b []byte, at int) int { return int(binary.LittleEndian.Uint32(b[at:])) }
func u64(b []byte, at int) int { return int(binary.LittleEndian.Uint64(b[at:])) }

func header(b []byte, at int) *object {
	o := &object{attributes: map[string]any{}}
	if string(b[at:at+6]) != "OHDR\x02\x02" {
		panic(fmt.Sprintf("no object header at %d", at))
	}
	for p, end := at+10, at+10+u32(b, at+6); p < end; p += 4 + u16(b, p+1) {
		m := b[p+4 : p+4+u16(b, p+1)]
		switch b[p] {
		case 0x01:
			o.shape = shape(m)
		case 0x03:
			o.kind = m
		case 0x06:
			n := u16(m, 11)
			o.links = append(o.links, link{string(m[13 : 13+n]), u64(m, 13+n)})
		case 0x08:
			o.data, o.size = u64(m, 2), u64(m, 10)
		case 0x0c:
			o.attribute(b, m)
		case 0x02, 0x05, 0x0a:
		default:
			panic(fmt.Sprintf("message %d at %d", b[p], p))
		}
	}
	return o
}

func shape(m []byte) (out []int) {
	for i := range int(m[1]) {
		out = append(out, u64(m, 4+8*i))
	}
	return out
}

func (o *object) attribute(b, m []byte) {
	name, kind := 9, u16(m, 4)
	t := m[name+u16(m, 2):]
	value := t[kind+u16(m, 6):]
	title := string(m[name : name+u16(m, 2)-1])
	switch {
	case t[0] == 0x13:
		o.attributes[title] = string(value[:u32(t, 4)-1])
	case t[0] == 0x11:
		o.attributes[title] = math.Float64frombits(binary.LittleEndian.Uint64(value))
	case t[0] == 0x10 && u32(t, 4) == 8:
		o.attributes[title] = int64(u64(value, 0))
	case t[0] == 0x10:
		o.attributes[title] = int64(int32(u32(value, 0)))
	case t[0] == 0x19:
		for i := range shape(t[kind:])[0] {
			o.scales = append(o.scales, u64(heap(b, value[16*i:]), 0))
		}
	}
}

// heap returns the data that a sequence refers to.
func heap(b, sequence []byte) []byte {
	at, index := u64(sequence, 4), u32(sequence, 12)
	if at == 0 {
		return nil
	}
	if string(b[at:at+4]) != "GCOL" {
		panic(fmt.Sprintf("no heap at %d", at))
	}
	for p := at + 16; p < at+u64(b, at+8); p += 16 + (u64(b, p+8)+7)&^7 {
		if u16(b, p) == index {
			if n := u64(b, p+8); n != u32(sequence, 0) && n != 8 {
				panic(fmt.Sprintf("%d bytes at %d where %d are referred to", n, p, u32(sequence, 0)))
			}
			return b[p+16 : p+16+u64(b, p+8)]
		}
	}
	panic(fmt.Sprintf("no item %d in the heap at %d", index, at))
}

func (o *object) fill(b []byte, a *Array) {
	data := b[o.data : o.data+o.size]
	size := u32(o.kind, 4)
	for p := 0; p < len(data); p += size {
		switch {
		case o.kind[0] == 0x11:
			a.Values = append(a.Values, math.Float64frombits(binary.LittleEndian.Uint64(data[p:])))
		case o.kind[0] == 0x19:
			a.Labels = append(a.Labels, string(heap(b, data[p:])))
		case size == 8:
			a.Values = append(a.Values, float64(int64(u64(data, p))))
		default:
			a.Values = append(a.Values, float64(int8(data[p])))
		}
	}
}
