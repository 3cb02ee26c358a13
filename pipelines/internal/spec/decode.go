package spec

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"glmbatch/infer/family"
	"glmbatch/internal/words"
)

// decoder fills the types of pipeline.go from a tree. It reports entries that do not fit, leaves the zero value
// there and continues.
type decoder struct {
	*reporter
	places map[string]pos // by path, joined by pathSeparator
}

const pathSeparator = "\x1f"

// union is a type that takes values of more than one shape, or has syntax of its own.
type union interface {
	decodeNode(d *decoder, n *node, f field, path []string)
}

// decode fills p from the root of a spec.
func (d *decoder) decode(root *node, p *Pipeline) {
	d.structure(root, reflect.ValueOf(p).Elem(), field{key: "the spec"}, nil)
}

// value fills v, which must be settable, from n.
func (d *decoder) value(n *node, v reflect.Value, f field, path []string) {
	if n.at != (pos{}) {
		d.places[strings.Join(path, pathSeparator)] = n.at
	}
	if n.unknown {
		return
	}
	if u, ok := v.Addr().Interface().(union); ok {
		u.decodeNode(d, n, f, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, v, f, path)
	case reflect.Slice:
		if f.keyed != "" {
			d.keyed(n, v, f, path)
		} else {
			d.list(n, v, f, path)
		}
	case reflect.Map:
		d.stringMap(n, v, f, path)
	case reflect.String:
		v.SetString(d.text(n, f))
	case reflect.Bool:
		b, err := n.boolean()
		if err != nil {
			d.wrongKind(n, f, "true or false")
			return
		}
		v.SetBool(b)
	default:
		d.numeric(n, v, f)
	}
}

// numeric fills a number and checks its bounds.
func (d *decoder) numeric(n *node, v reflect.Value, f field) {
	var x float64
	var err error
	want := "an integer"
	switch v.Kind() {
	case reflect.Int:
		var i int64
		if i, err = n.integer(); err == nil {
			v.SetInt(i)
			x = float64(i)
		}
	case reflect.Uint64:
		var u uint64
		if u, err = n.unsigned(); err == nil {
			v.SetUint(u)
			x = float64(u)
		}
	case reflect.Pointer: // of a number that is nil if it is left out
		v.Set(reflect.New(v.Type().Elem()))
		d.numeric(n, v.Elem(), f)
		return
	case reflect.Float64:
		want = "a number"
		if x, err = n.number(); err == nil {
			v.SetFloat(x)
		}
	default:
		panic("spec: no decoder for " + v.Type().String())
	}
	switch {
	case err == errWrongKind:
		d.wrongKind(n, f, want)
	case err != nil:
		d.add(n.at, fmt.Sprintf("%s must be %s, but %s %v", f.key, want, n.text, err), "")
	default:
		d.bounds(n, f, x)
	}
}

// bounds checks a number against the tags min, max and above.
func (d *decoder) bounds(n *node, f field, x float64) {
	limit := func(text string) float64 {
		y, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic("spec: bad tag of " + f.key)
		}
		return y
	}
	switch {
	case f.above != "" && !(x > limit(f.above)):
		d.add(n.at, fmt.Sprintf("%s must be greater than %s, but is %s", f.key, f.above, n.text), "")
	case f.min != "" && !(x >= limit(f.min)):
		d.add(n.at, fmt.Sprintf("%s must be at least %s, but is %s", f.key, f.min, n.text), "")
	case f.max != "" && !(x <= limit(f.max)):
		d.add(n.at, fmt.Sprintf("%s must be at most %s, but is %s", f.key, f.max, n.text), "")
	}
}

// wrongKind reports a value of another type.
func (d *decoder) wrongKind(n *node, f field, want string) {
	got, hint := n.kind.String(), ""
	if n.kind <= stringKind && n.text != "" {
		shown := quote(n.text)
		if n.kind != stringKind {
			shown = n.text
		}
		got += " (" + shown + ")"
	}
	if want == "text" && n.kind < stringKind && n.kind != nullKind {
		hint = "put it in quotes"
	}
	d.add(n.at, fmt.Sprintf("%s must be %s, but is %s", f.key, want, got), hint)
}

// text reads text and checks it against the allowed values.
func (d *decoder) text(n *node, f field) string {
	if n.kind != stringKind {
		d.wrongKind(n, f, "text")
		return ""
	}
	if len(f.enum) == 0 || slices.Contains(f.enum, n.text) {
		if n.text == "" {
			d.add(n.at, f.key+" must not be empty", "")
		}
		return n.text
	}
	d.notOneOf(n, f)
	return ""
}

// notOneOf reports a value that is not among the allowed ones.
func (d *decoder) notOneOf(n *node, f field) {
	if slices.Contains(f.planned, n.text) {
		d.add(n.at, fmt.Sprintf("%s %s is not available in this version", f.key, quote(n.text)),
			"available: "+strings.Join(f.enum, ", "))
		return
	}
	d.add(n.at, fmt.Sprintf("%s %s is unknown", f.key, quote(n.text)), words.DidYouMean(n.text, "available", f.enum))
}

// structure fills a struct from a mapping: defaults, unknown and missing keys.
func (d *decoder) structure(n *node, v reflect.Value, f field, path []string) {
	t := v.Type()
	if key := shorthandKey(t); key != "" && n.kind <= stringKind && n.kind != nullKind {
		n = &node{kind: mapKind, at: n.at, entries: []entry{{key: key, at: n.at, value: n}}}
	}
	if n.kind != mapKind && n.kind != nullKind {
		d.wrongKind(n, f, "a mapping")
		return
	}
	fields := fieldsOf(t)
	for _, sub := range fields {
		inner := append(path[:len(path):len(path)], sub.key)
		switch given := n.get(sub.key); {
		case given != nil && sub.each:
			d.entry(given, v.Field(sub.index), sub, inner)
		case given != nil:
			d.value(given, v.Field(sub.index), sub, inner)
		case sub.required && waived(t, n, sub.key):
		case sub.required:
			d.add(n.at, fmt.Sprintf("%s lacks the key %s", describe(f, path), quote(sub.key)), exampleHint(sub))
		case sub.hasFallback:
			d.value(fallbackNode(sub.fallback), v.Field(sub.index), sub, inner)
		case isMapping(v.Field(sub.index)): // for the defaults in it
			d.value(&node{kind: nullKind, at: n.at}, v.Field(sub.index), sub, inner)
		}
	}
	for _, e := range n.entries {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.key == e.key }) {
			d.unknownKey(e, fields, t)
		}
	}
}

// entry sets the entry of a map that is called as the field.
func (d *decoder) entry(n *node, v reflect.Value, f field, path []string) {
	value := reflect.New(v.Type().Elem()).Elem()
	d.value(n, value, f, path)
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	v.SetMapIndex(reflect.ValueOf(f.key), value)
}

// isMapping reports whether v is filled by structure.
func isMapping(v reflect.Value) bool {
	_, other := v.Addr().Interface().(union)
	return v.Kind() == reflect.Struct && !other
}

// describe names a mapping in a message: its key, and its name if it has one.
func describe(f field, path []string) string {
	if len(path) > 1 && f.keyed != "" {
		return strings.TrimSuffix(path[len(path)-2], "s") + " " + quote(path[len(path)-1])
	}
	return f.key
}

// exampleHint says how a key may be written.
func exampleHint(f field) string {
	if f.key == "family" { // an example may be wrong for the response
		return "write family: gaussian for numbers, bernoulli for 0 and 1, or poisson for counts; " +
			"pipeline init FILE proposes one"
	}
	return "write for example " + f.key + ": " + f.example
}

func (d *decoder) unknownKey(e entry, fields []field, t reflect.Type) {
	if slices.Contains(plannedKeys(t), e.key) {
		d.add(e.at, fmt.Sprintf("key %s is not available in this version", quote(e.key)), "remove it")
		return
	}
	d.add(e.at, "unknown key "+quote(e.key), words.DidYouMean(e.key, "allowed here", keysOf(fields)))
}

// keyed fills a slice of pointers to structs from a mapping, in written order;
// each struct takes its key as name.
func (d *decoder) keyed(n *node, v reflect.Value, f field, path []string) {
	if n.kind != mapKind && (n.kind != nullKind || f.required) {
		d.wrongKind(n, f, "a mapping from names")
		return
	}
	if f.required && len(n.entries) == 0 {
		d.add(n.at, f.key+" is empty", exampleHint(f))
	}
	for _, e := range n.entries {
		d.checkName(e, f)
		item := reflect.New(v.Type().Elem().Elem())
		item.Elem().FieldByName(f.keyed).SetString(e.key)
		d.value(e.value, item.Elem(), field{key: e.key, keyed: f.keyed}, append(path[:len(path):len(path)], e.key))
		v.Set(reflect.Append(v, item))
	}
}

// checkName refuses names that no one could type back.
func (d *decoder) checkName(e entry, f field) {
	switch {
	case strings.TrimSpace(e.key) == "":
		d.add(e.at, "a name under "+f.key+" is empty", "")
	case utf8.RuneCountInString(e.key) > 200:
		d.add(e.at, "a name under "+f.key+" is longer than 200 characters", "")
	case strings.ContainsFunc(e.key, unicode.IsControl):
		d.add(e.at, "name "+quote(e.key)+" holds a control character", "")
	}
}

// list fills a slice from a list.
func (d *decoder) list(n *node, v reflect.Value, f field, path []string) {
	if n.kind != listKind && n.kind != nullKind {
		d.wrongKind(n, f, "a list")
		return
	}
	for i, item := range n.items {
		t := v.Type().Elem()
		elem := reflect.New(t)
		if t.Kind() == reflect.Pointer {
			elem = reflect.New(t.Elem())
		}
		d.value(item, elem.Elem(), field{key: "item of " + f.key, enum: f.enum},
			append(path[:len(path):len(path)], strconv.Itoa(i)))
		if t.Kind() == reflect.Pointer {
			v.Set(reflect.Append(v, elem))
		} else {
			v.Set(reflect.Append(v, elem.Elem()))
		}
	}
}

// stringMap fills a map from text.
func (d *decoder) stringMap(n *node, v reflect.Value, f field, path []string) {
	if n.kind != mapKind && n.kind != nullKind {
		d.wrongKind(n, f, "a mapping")
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, e := range n.entries {
		d.checkName(e, f)
		elem := reflect.New(v.Type().Elem()).Elem()
		d.value(e.value, elem, field{key: f.key + "." + e.key, enum: f.enum}, append(path[:len(path):len(path)], e.key))
		v.SetMapIndex(reflect.ValueOf(e.key), elem)
	}
}

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
	each            bool   // an entry of a map, called as the key
}

// fallbackNode is the YAML of a default: a scalar, or a mapping of one key such as {warn: 0.5}.
func fallbackNode(text string) *node {
	key, value, mapping := strings.Cut(strings.Trim(text, "{}"), ": ")
	if !mapping {
		return plain(text)
	}
	return &node{kind: mapKind, entries: []entry{{key: key, value: plain(value)}}}
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
			example: tag.Get("example"), min: tag.Get("min"), max: tag.Get("max"), above: tag.Get("above"),
			keyed: tag.Get("keyed"),
			floor: tag.Get("floor") == "true",
		}
		f.fallback, f.hasFallback = tag.Lookup("default")
		if tag.Get("each") == "true" {
			list = append(list, eachDispersion(f, t)...)
			continue
		}
		list = append(list, f)
	}
	return list
}

// eachDispersion returns a field for each dispersion of the families that t has no field for.
func eachDispersion(f field, t reflect.Type) (list []field) {
	f.each = true
	for _, d := range family.AllDispersions() {
		if f.key, f.doc = d.Name, d.Doc; d.Doc != "" {
			list = append(list, f)
		}
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
