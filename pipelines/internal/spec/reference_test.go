package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/internal/doctest"
)

const referenceFolder = "../../../docs/reference/"

// The two pages about keys are what the schema has of each.
func TestReference(t *testing.T) {
	for page, got := range keyReference() {
		if *update {
			must(t, os.WriteFile(referenceFolder+page, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(referenceFolder + page)
		if err != nil {
			t.Fatalf("%v\nrun: make reference, then read the diff", err)
		}
		if got != string(want) {
			t.Errorf("docs/reference/%s differs from the schema\nrun: make reference, then read the diff\n%s", page, changed(string(want), got))
		}
	}
}

// changed lists the lines that only one of the texts has.
func changed(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, line := range w {
		if !slices.Contains(g, line) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			fmt.Fprintf(&b, "+ %s\n", line)
		}
	}
	return b.String()
}

// Every key of the schema has a line in the reference, and every line a meaning
// and a type.
func TestReferenceHasEveryKey(t *testing.T) {
	page, lines := strings.Join(slices.Collect(maps.Values(keyReference())), "\n"), 0
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, ""), " | ")
		if !strings.HasPrefix(strings.Replace(line, "**", "", 1), "| `") || len(cells) != 4 {
			continue
		}
		lines++
		if cells[1] == "" || strings.Trim(cells[3], " |") == "" {
			t.Errorf("a key without type or meaning: %s", line)
		}
	}
	var schema map[string]any
	must(t, json.Unmarshal(Schema(), &schema))
	// Definitions appear once, as sections do; Gates appears under gates and again under fits, by reference.
	keys := countKeys(schema)
	if keys < 90 || lines != keys {
		t.Errorf("the schema has %d keys, the reference %d", keys, lines)
	}
}

// countKeys counts the properties of a schema that are described; those of a
// gate's two limits are not keys of their own.
func countKeys(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if properties, ok := value.(map[string]any); ok && key == "properties" {
				for _, p := range properties {
					if p, ok := p.(map[string]any); ok && p["description"] != nil {
						n++
					}
				}
			}
			n += countKeys(value)
		}
	case []any:
		for _, item := range v {
			n += countKeys(item)
		}
	}
	return n
}

const (
	keysPage = "spec.md"
	rarePage = "spec-discrete.md"
)

// rare are mappings that few regressions have: they are on a page of their own.
var rare = []string{"datasets.NAME.synthetic", "datasets.NAME.edges", "datasets.NAME.tables", "datasets.NAME.image", "datasets.NAME.grid",
	"datasets.NAME.sequences", "models.NAME.noise", "samplers.NAME.scan", "samplers.NAME.anneal"}

func pageOf(title string) string {
	if slices.Contains(rare, title) {
		return rarePage
	}
	return keysPage
}

// keyReference returns the pages by name: a table for each mapping of a spec.
func keyReference() map[string]string {
	p := &reference{pages: map[string]*strings.Builder{keysPage: {}, rarePage: {}},
		g: &generator{defs: object{}, seen: map[string]bool{}}, titles: map[reflect.Type]string{}}
	const head = "<!-- written by make reference from pipelines/internal/spec; do not edit -->\n# "
	p.pages[keysPage].WriteString(head + `Keys of a spec

Every key that a spec may have, but those of [discrete systems, synthetic data and scans](spec-discrete.md).
[Specs](../writing-a-spec.md) has examples, [pipeline.schema.json](../pipeline.schema.json) the same for editors. NAME is
a name of your choice. A value may be a template, ` + "`{{ vars.NAME }}`, `{{ env.NAME | default('…') }}`" + ` or
` + "`{{ today }}`" + `. Relative paths count from the spec's folder. A bold key is necessary.
`)
	p.pages[rarePage].WriteString(head + `Keys of discrete systems, synthetic data and scans

These belong to the [keys of a spec](spec.md).
`)
	p.section("top level", typeOf[Pipeline]())
	out := map[string]string{}
	for name, b := range p.pages {
		out[name] = doctest.Narrow(b.String())
	}
	return out
}

type reference struct {
	pages  map[string]*strings.Builder
	g      *generator
	titles map[reflect.Type]string // sections so far
}

// section writes the table of a mapping, then those of the mappings in it.
func (p *reference) section(title string, t reflect.Type) {
	p.titles[t] = title
	b := p.pages[pageOf(title)]
	fmt.Fprintf(b, "\n## %s\n\n", title)
	if key := shorthandKey(t); key != "" {
		fmt.Fprintf(b, "A plain value instead of the mapping is its `%s`.\n\n", key)
	}
	b.WriteString("| key | value | default | meaning |\n|---|---|---|---|\n")
	type child struct {
		title string
		t     reflect.Type
	}
	var children []child
	for _, f := range fieldsOf(t) {
		path := strings.TrimPrefix(title+"."+f.key, "top level.")
		value := inWords(p.g.typeSchema(f, f.typeIn(t)))
		if inner, named := mappingOf(f.typeIn(t)); inner != nil {
			if named {
				path += ".NAME"
			}
			if f.key == "fits" {
				path = "fits"
			}
			if at, ok := p.titles[inner]; ok {
				path = at
			} else {
				children = append(children, child{path, inner})
				p.titles[inner] = path
			}
			value = strings.Replace(value, "a mapping", link(pageOf(title), path), 1)
		}
		name, fallback, doc := "`"+f.key+"`", "", f.doc
		if f.required {
			name = "**" + name + "**"
		}
		if f.hasFallback {
			fallback = "`" + f.fallback + "`"
		} else if meaning, left, ok := strings.Cut(doc, " Left out: "); ok {
			left, rest, _ := strings.Cut(left, ". ")
			doc, fallback = strings.TrimSpace(meaning+" "+rest), strings.TrimSuffix(plainText(left), ".")
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, cell(value), cell(fallback), cell(plainText(doc)))
	}
	for _, c := range children {
		p.section(c.title, c.t)
	}
}

// link leads from a page to the section of a mapping, by GitHub's rule for anchors.
func link(from, title string) string {
	page := pageOf(title)
	if page == from {
		page = ""
	}
	return fmt.Sprintf("[a mapping](%s#%s)", page, strings.ToLower(strings.NewReplacer(".", "", " ", "-").Replace(title)))
}

// mappingOf is the struct with keys that values of a type hold, if any, and
// whether names lead to it.
func mappingOf(t reflect.Type) (inner reflect.Type, named bool) {
	if t.Kind() == reflect.Slice {
		t, named = t.Elem(), true
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || len(fieldsOf(t)) == 0 {
		return nil, false
	}
	return t, named
}

// inWords says what values a schema accepts; templates go without saying.
func inWords(s object) string {
	get := func(key string) any {
		for _, m := range s {
			if m.key == key {
				return m.value
			}
		}
		return nil
	}
	switch {
	case get("anyOf") != nil:
		var words []string
		for _, option := range get("anyOf").([]object) {
			w := inWords(option)
			if w != "" && (len(words) == 0 || words[len(words)-1] != w) {
				words = append(words, w)
			}
		}
		return orList(words)
	case get("enum") != nil:
		if slices.Contains(get("enum").([]string), "gaussian") && len(get("enum").([]string)) > 10 {
			return "a [family](language.md#families)"
		}
		list := slices.DeleteFunc(slices.Clone(get("enum").([]string)), func(s string) bool { return strings.Contains(s, "(") })
		return orList(quoted(list))
	case get("const") != nil:
		return fmt.Sprintf("`%v`", get("const"))
	case get("examples") != nil:
		return "text such as " + orList(quoted(get("examples").([]string)))
	case get("$ref") == "#/$defs/template":
		return ""
	case get("$ref") != nil || get("properties") != nil && get("description") == nil && !isLimits(get("properties")):
		return "a mapping"
	case get("properties") != nil:
		return "`{warn: …, fail: …}`"
	case get("items") != nil:
		return "list of " + inWords(get("items").(object))
	case get("additionalProperties") != nil:
		return "names with " + inWords(get("additionalProperties").(object))
	case get("pattern") != nil:
		return "one with its link, as in `bernoulli(probit)`"
	}
	return typeInWords(get("type")) + bounds(get)
}

func isLimits(properties any) bool {
	o, ok := properties.(object)
	return ok && len(o) == 2 && o[0].key == "warn"
}

func typeInWords(v any) string {
	list, ok := v.([]string)
	if !ok {
		list = []string{fmt.Sprint(v)}
	}
	names := map[string]string{"string": "text", "number": "number", "integer": "integer", "boolean": "`true` or `false`", "object": "a mapping", "array": "list"}
	if len(list) == 3 && list[0] == "string" { // a scalar as it is written
		return "text"
	}
	var words []string
	for _, name := range list {
		if name != "null" {
			words = append(words, names[name])
		}
	}
	return orList(words)
}

// bounds are the limits of a number.
func bounds(get func(string) any) string {
	var words []string
	for _, b := range []struct{ keyword, words string }{{"minimum", "from %v"}, {"exclusiveMinimum", "above %v"}, {"maximum", "to %v"}} {
		if v := get(b.keyword); v != nil {
			words = append(words, fmt.Sprintf(b.words, v))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

func quoted(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "`" + s + "`"
	}
	return out
}

func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

var templates = regexp.MustCompile(`\{[^{}]*[:.…][^{}]*\}|\{\{[^{}]*\}\}`)

// plainText sets what is YAML or a template in a description as code, and lets
// nothing else be markup.
func plainText(doc string) string {
	var b strings.Builder
	at := 0
	for _, m := range templates.FindAllStringIndex(doc, -1) {
		b.WriteString(strings.NewReplacer("*", `\*`, "_", `\_`).Replace(doc[at:m[0]]))
		b.WriteString("`" + doc[m[0]:m[1]] + "`")
		at = m[1]
	}
	b.WriteString(strings.NewReplacer("*", `\*`, "_", `\_`).Replace(doc[at:]))
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
