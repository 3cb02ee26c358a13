package spec

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
)

// Schema returns the JSON schema (draft 2020-12) of a spec, made from the types
// of pipeline.go. It is what docs/pipeline.schema.json holds: editors complete
// and check specs with it. It accepts every spec that Parse accepts; Parse
// checks more (names, formulas, priors, values that exclude each other).
func Schema() []byte {
	g := &generator{defs: object{}, seen: map[string]bool{}}
	root := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "glmbatch pipeline"},
		{"description", "What to fit: data sets, models, samplers, and when to stop. Text values may hold templates: {{ env.NAME }}, {{ vars.NAME }}, {{ today }}, each optionally followed by | default('text')."},
	}
	root = append(root, g.structure(typeOf[Pipeline]())...)
	g.defs = append(g.defs, member{"template", object{
		{"type", "string"}, {"pattern", `\{\{.*\}\}`}, {"description",
			"A template, replaced before the value is read."},
	}})
	root = append(root, member{"$defs", g.defs})
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // only strings, numbers and lists of them
	}
	return b.Bytes()
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, part := range []any{m.key, m.value} {
			if j > 0 {
				b.WriteByte(':')
			}
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(part); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// generator collects the definitions of named types.
type generator struct {
	defs object
	seen map[string]bool
}

// schemer is a union that knows its schema.
type schemer interface {
	jsonSchema(g *generator, f field) object
}

// property is the schema of one key: description, default, and its type's schema.
func (g *generator) property(f field, t reflect.Type) object {
	o := object{}
	if f.doc != "" {
		o = append(o, member{"description", f.doc})
	}
	if f.hasFallback {
		o = append(o, member{"default", jsonValue(f.fallback)})
	}
	return append(o, g.typeSchema(f, t)...)
}

// typeSchema is the schema of a type under the bounds of a field.
func (g *generator) typeSchema(f field, t reflect.Type) object {
	if s, ok := reflect.New(t).Interface().(schemer); ok {
		return s.jsonSchema(g, f)
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.reference(t)
	case reflect.Slice:
		elem := t.Elem()
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem()
		}
		if f.keyed != "" {
			return namedValues(f, g.typeSchema(field{}, elem))
		}
		return object{{"type", orNull("array", !f.required && f.key != "fits")},
			{"items", g.typeSchema(field{enum: f.enum}, elem)}}
	case reflect.Map:
		return namedValues(field{}, g.typeSchema(field{enum: f.enum}, t.Elem()))
	case reflect.String:
		if len(f.enum) > 0 {
			return anyOf(object{{"enum", f.enum}}, template)
		}
		return object{{"type", "string"}, {"minLength", 1}}
	case reflect.Bool:
		return anyOf(object{{"type", "boolean"}}, template)
	case reflect.Int, reflect.Uint64:
		return anyOf(bounded("integer", f, t.Kind() == reflect.Uint64), template)
	case reflect.Pointer:
		return g.typeSchema(f, t.Elem())
	case reflect.Float64:
		return anyOf(bounded("number", f, false), template)
	}
	panic("spec: no schema for " + t.String())
}

var template = object{{"$ref", "#/$defs/template"}}

func anyOf(options ...object) object { return object{{"anyOf", options}} }

// orNull adds null to a type: a key without value counts as left out.
func orNull(name string, nullable bool) any {
	if nullable {
		return []string{name, "null"}
	}
	return name
}

// namedValues is the schema of a mapping from names.
func namedValues(f field, value object) object {
	o := object{{"type", orNull("object", !f.required)},
		{"propertyNames", object{{"minLength", 1}, {"maxLength", 200}}}}
	if f.required {
		o = append(o, member{"minProperties", 1})
	}
	return append(o, member{"additionalProperties", value})
}

// bounded is the schema of a number with the bounds of its tags.
func bounded(name string, f field, unsigned bool) object {
	o := object{{"type", name}}
	if unsigned {
		o = append(o, member{"minimum", 0})
	}
	for _, b := range []struct{ keyword, value string }{{"minimum", f.min}, {"exclusiveMinimum", f.above},
		{"maximum", f.max}} {
		if b.value != "" {
			o = append(o, member{b.keyword, json.Number(b.value)})
		}
	}
	return o
}

// reference defines a struct type once and refers to it.
func (g *generator) reference(t reflect.Type) object {
	if !g.seen[t.Name()] {
		g.seen[t.Name()] = true
		at := len(g.defs)
		g.defs = append(g.defs, member{t.Name(), nil})
		o := g.structure(t)
		if key := shorthandKey(t); key != "" {
			f := fieldNamed(t, key)
			o = anyOf(g.typeSchema(f, t.Field(f.index).Type), o)
		}
		g.defs[at].value = o
	}
	return object{{"$ref", "#/$defs/" + t.Name()}}
}

// typeIn is the type of the field of t.
func (f field) typeIn(t reflect.Type) reflect.Type {
	if f.each {
		return t.Field(f.index).Type.Elem()
	}
	return t.Field(f.index).Type
}

func fieldNamed(t reflect.Type, key string) field {
	for _, f := range fieldsOf(t) {
		if f.key == key {
			return f
		}
	}
	panic("spec: " + t.Name() + " has no key " + key)
}

// structure is the schema of a mapping with fixed keys.
func (g *generator) structure(t reflect.Type) object {
	var properties object
	var required []string
	for _, f := range fieldsOf(t) {
		properties = append(properties, member{f.key, g.property(f, f.typeIn(t))})
		if f.required {
			required = append(required, f.key)
		}
	}
	o := object{{"type", orNull("object", len(required) == 0 && t != typeOf[Dataset]() && t != typeOf[Entry]())},
		{"properties", properties}}
	switch {
	case t == typeOf[Model]():
		discrete := object{{"properties", object{{"kind", object{{"const", MRF}}}}}, {"required", []string{"kind"}}}
		items := object{{"properties", object{{"formula", object{{"pattern", `^\s*(cbind|mvbind)\s*\(`}}}}},
			{"required", []string{"mixture"}}}
		one := object{{"required", required[1:]}} // the family
		mu := object{{"properties", object{{"formulas", object{{"required", []string{"mu"}}}}}},
			{"required", []string{"formulas"}}}
		o = append(o, member{"if", discrete}, member{"else", object{{"allOf", []object{
			{{"anyOf", []object{{{"required", required[:1]}}, mu}}}, {{"anyOf", []object{one, items}}}}}}})
	case required != nil:
		o = append(o, member{"required", required})
	}
	if t == typeOf[Dataset]() {
		var one []object
		for _, key := range sourceKeys {
			one = append(one, object{{"required", []string{key}}})
		}
		o = append(o, member{"oneOf", one})
	}
	return append(o, member{"additionalProperties", false})
}

// jsonValue turns the YAML of a default into JSON.
func jsonValue(text string) any {
	n := fallbackNode(text)
	if n.kind == mapKind {
		return object{{n.entries[0].key, jsonValue(n.entries[0].value.text)}}
	}
	switch n.kind {
	case intKind, floatKind:
		return json.Number(text)
	case boolKind:
		b, err := strconv.ParseBool(text)
		if err == nil {
			return b
		}
	}
	return text
}
