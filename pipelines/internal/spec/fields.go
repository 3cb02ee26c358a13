package spec

import (
	"reflect"
	"strings"
)

// field is one key of a mapping, as the tags of its struct field describe it.
type field struct {
	index           int
	key, doc        string
	example         string // YAML of a value, for required keys
	fallback        string // YAML of the default
	hasFallback     bool
	required        bool
	enum, planned   []string
	min, max, above string // numbers; empty if unbounded
	keyed           string // slices of structs: the field that takes the key
	floor           bool   // gates: the limit is a least value
}

// fieldsOf lists the keys of a struct type in the order of its fields.
func fieldsOf(t reflect.Type) []field {
	var list []field
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		key := tag.Get("yaml")
		if key == "" || key == "-" {
			continue
		}
		f := field{
			index: i, key: key, doc: tag.Get("doc"), required: tag.Get("required") == "true",
			enum: strings.Fields(tag.Get("enum")), planned: strings.Fields(tag.Get("planned")),
			example: tag.Get("example"), min: tag.Get("min"), max: tag.Get("max"), above: tag.Get("above"), keyed: tag.Get("keyed"),
			floor: tag.Get("floor") == "true",
		}
		f.fallback, f.hasFallback = tag.Lookup("default")
		list = append(list, f)
	}
	return list
}

// keysOf lists the names of fields.
func keysOf(fields []field) []string {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return keys
}

// planner is a mapping some of whose keys come with a later version.
type planner interface{ planned() string }

// shorthander is a mapping that may be written as the value of one of its keys.
type shorthander interface{ shorthand() string }

// waiver is a mapping in which some required keys may be left out, by what others say.
type waiver interface {
	waives(n *node, key string) bool
}

// waived reports whether a mapping of a struct type need not have a required key.
func waived(t reflect.Type, n *node, key string) bool {
	w, ok := reflect.Zero(t).Interface().(waiver)
	return ok && w.waives(n, key)
}

// plannedKeys lists the planned keys of a struct type.
func plannedKeys(t reflect.Type) []string {
	if p, ok := reflect.Zero(t).Interface().(planner); ok {
		return strings.Fields(p.planned())
	}
	return nil
}

// shorthandKey is the key that stands for the whole mapping, or "".
func shorthandKey(t reflect.Type) string {
	if s, ok := reflect.Zero(t).Interface().(shorthander); ok {
		return s.shorthand()
	}
	return ""
}

// reflectOf is the settable value that pointer points to.
func reflectOf(pointer any) reflect.Value { return reflect.ValueOf(pointer).Elem() }

// typeOf is the type of T.
func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }
