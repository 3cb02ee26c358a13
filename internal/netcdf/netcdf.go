package netcdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// Group is a group below the root of a file. Its dimensions are its own, and each
// has a variable of its name that holds its coordinates.
type Group struct {
	Name       string
	Attributes []Attribute
	Dimensions []*Dimension
	Variables  []*Variable
}

// Attribute is a fact about a group or variable.
type Attribute struct {
	Name  string
	Value any // string, float64 or int64
}

// Dimension is a named axis of at least one place.
type Dimension struct {
	Name   string
	Length int
	// The coordinates: Labels, or Numbers; without either 0, 1, 2, …
	Labels  []string
	Numbers []int

	object *object
}

// Variable is an array over dimensions of its group, the last one running fastest.
type Variable struct {
	Name       string
	Attributes []Attribute
	Over       []*Dimension
	Kind       Kind

	object *object
}

// Kind is how a variable's values are stored.
type Kind int

// The kinds. A Bool is a byte with the attribute dtype=bool, as in xarray.
const (
	Float64 Kind = iota
	Int64
	Bool
)

func (k Kind) size() int {
	if k == Bool {
		return 1
	}
	return 8
}

// Name makes s a name for groups, dimensions and variables: letters, digits and underscores, the first one no digit.
func Name(s string) string {
	out := strings.Map(func(c rune) rune {
		if c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			return c
		}
		return '_'
	}, s)
	if out == "" || '0' <= out[0] && out[0] <= '9' {
		return "_" + out
	}
	return out
}

// Create writes all of a file but the values of its variables, which Put writes. The
// file is whole when each variable has all of its values.
func Create(w io.WriterAt, groups []*Group) error {
	f := newFile(groups)
	for _, part := range f.place() {
		if _, err := w.WriteAt(part.bytes, int64(part.at)); err != nil {
			return err
		}
	}
	return nil
}

// Put writes values of a variable from a place on, counted over all of its dimensions. Values of an Int64 are
// whole, of a Bool 0 or 1.
func (v *Variable) Put(w io.WriterAt, from int, values []float64) error {
	size := v.Kind.size()
	if from < 0 || uint64((from+len(values))*size) > v.object.size {
		return fmt.Errorf("variable %s: %d values from %d are too many", v.Name, len(values), from)
	}
	out := make([]byte, 0, len(values)*size)
	for _, x := range values {
		switch v.Kind {
		case Float64:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		case Int64:
			out = binary.LittleEndian.AppendUint64(out, uint64(int64(x)))
		case Bool:
			out = append(out, byte(x))
		}
	}
	_, err := w.WriteAt(out, int64(v.object.data)+int64(from*size))
	return err
}

// newFile lists the objects of a file: root, groups, and of each group its coordinates and variables.
func newFile(groups []*Group) *file {
	f := &file{}
	root := f.add(&object{})
	for _, g := range groups {
		group := f.add(&object{attributes: g.Attributes})
		root.link(g.Name, group)
		for _, d := range g.Dimensions {
			d.object = f.coordinates(d)
			group.link(d.Name, d.object)
		}
		for _, v := range g.Variables {
			v.object = f.add(&object{kind: kindType(v.Kind), size: uint64(v.Kind.size()), attributes: v.Attributes})
			if v.Kind == Bool {
				v.object.attributes = append(v.object.attributes[:len(v.Attributes):len(v.Attributes)], Attribute{"dtype", "bool"})
			}
			for _, d := range v.Over {
				v.object.shape = append(v.object.shape, uint64(d.Length))
				v.object.size *= uint64(d.Length)
				v.object.over = append(v.object.over, d.object)
			}
			group.link(v.Name, v.object)
		}
	}
	return f
}

// coordinates is the variable of a dimension, which HDF5 calls its scale.
func (f *file) coordinates(d *Dimension) *object {
	o := f.add(&object{kind: typeInt64, shape: []uint64{uint64(d.Length)}, size: 8 * uint64(d.Length)})
	f.dimensions++
	o.attributes = []Attribute{{"CLASS", "DIMENSION_SCALE"}, {"NAME", d.Name}, {"_Netcdf4Dimid", f.dimensions - 1}}
	o.self = f.keep(func() []byte { return binary.LittleEndian.AppendUint64(nil, o.at) })
	if d.Labels == nil {
		o.values = func() []byte {
			var out []byte
			for i := range d.Length {
				if d.Numbers != nil {
					i = d.Numbers[i]
				}
				out = binary.LittleEndian.AppendUint64(out, uint64(i))
			}
			return out
		}
		return o
	}
	o.kind, o.size = typeString, 16*uint64(d.Length)
	var kept []*item
	for _, label := range d.Labels {
		kept = append(kept, f.keep(func() []byte { return []byte(label) }))
	}
	o.values = func() []byte {
		var out []byte
		for _, it := range kept {
			out = it.appendTo(out, len(it.bytes()))
		}
		return out
	}
	return o
}
