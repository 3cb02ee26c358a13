package spec

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaPath = "../../../docs/pipeline.schema.json"

// TestSchemaIsCurrent keeps the checked-in schema equal to the types.
func TestSchemaIsCurrent(t *testing.T) { golden(t, schemaPath, string(Schema())) }

// compileSchema checks the schema against draft 2020-12 and readies it.
func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	must(t, err)
	c := jsonschema.NewCompiler()
	must(t, c.AddResource("spec.json", doc))
	s, err := c.Compile("spec.json")
	must(t, err)
	return s
}

// instance is a spec as a JSON schema sees it.
func instance(t *testing.T, src []byte) any {
	t.Helper()
	r := &reporter{file: "spec.yaml"}
	root := readTree(r, src)
	if root == nil || len(r.list) > 0 {
		t.Fatalf("not read: %v", newProblems(r.list))
	}
	return toAny(root)
}

func toAny(n *node) any {
	switch n.kind {
	case mapKind:
		m := map[string]any{}
		for _, e := range n.entries {
			m[e.key] = toAny(e.value)
		}
		return m
	case listKind:
		list := []any{}
		for _, item := range n.items {
			list = append(list, toAny(item))
		}
		return list
	case intKind, floatKind:
		return json.Number(strings.TrimLeft(n.text, "+0") + map[bool]string{true: "0"}[strings.Trim(n.text, "+0") == ""])
	case boolKind:
		return strings.EqualFold(n.text, "true")
	case nullKind:
		return nil
	}
	return n.text
}

// TestSchemaAccepts holds the schema to every spec that Parse accepts: the
// shipped ones and the valid cases.
func TestSchemaAccepts(t *testing.T) {
	s := compileSchema(t)
	shipped, err := filepath.Glob("../../*.yaml")
	if err != nil || len(shipped) < 2 {
		t.Fatalf("shipped pipelines not found: %v %v", shipped, err)
	}
	valid, err := filepath.Glob("testdata/cases/valid_*/spec.yaml")
	if err != nil || len(valid) < 3 {
		t.Fatalf("valid cases not found: %v %v", valid, err)
	}
	for _, path := range append(shipped, valid...) {
		src, err := os.ReadFile(path)
		must(t, err)
		if _, err := Parse(path, src, testOptions()); err != nil {
			t.Errorf("%s is not valid:\n%v", path, err)
		}
		if err := s.Validate(instance(t, src)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSchemaRejects plants one fault at a time into a valid spec; the schema
// must see each, and so must Parse.
func TestSchemaRejects(t *testing.T) {
	const valid = `pipeline: p
seed: 1
datasets: {a: {path: a.csv, each: file}}
models: {m: {formula: y ~ x, family: bernoulli, standardize: center_scale, prior: {coefficients: "normal(0, 2.5)", intercept: {at: zero}}, derive: {twice: 2 * x}}}
samplers: {s: {method: cggibbs, width: 2, refresh_every: 128}}
run: {chains: 4, until: {ess: 100, over: min}, keep: draws}
gates: {rhat: 1.01, divergences: 0}
fits: [{datasets: [a]}]
profiles: {dev: {run: {chains: 2}}}
`
	s := compileSchema(t)
	if err := s.Validate(instance(t, []byte(valid))); err != nil {
		t.Fatalf("the control is rejected: %v", err)
	}
	faults := [][2]string{
		{"pipeline: p", "pipelin: p"}, {"seed: 1", "seed: -1"}, {"seed: 1", "seed: x"}, {"seed: 1", "seed: 1.5"},
		{"path: a.csv, ", ""}, {"path: a.csv", "path: a.csv, sql: SELECT 1"}, {"each: file", "each: folder"},
		{"formula: y ~ x, ", ""}, {"formula: y ~ x", "formula: 3"}, {"family: bernoulli", "family: bernouli"}, {"family: bernoulli", "family: bernoulli(identity)"},
		{"center_scale", "centre_scale"}, {"normal(0, 2.5)", "half_normal(1)"}, {"normal(0, 2.5)", "norml(0, 1)"}, {"at: zero", "at: mean"},
		{"cggibbs", "nutz"}, {"width: 2", "width: 0"}, {"width: 2", "widht: 2"}, {"refresh_every: 128", "refresh_every: sometimes"}, {"refresh_every: 128", "refresh_every: 0"},
		{"chains: 4", "chains: 0"}, {"chains: 4", "chains: four"}, {"chains: 4", "chains: 4.5"}, {"over: min", "over: mean"}, {"ess: 100, ", ""},
		{"until: {ess: 100, over: min}", "until: gate"}, {"keep: draws", "keep: all"}, {"rhat: 1.01", "rhat: 1"}, {"rhat: 1.01", "rhat: on"},
		{"divergences: 0", "divergences: -1"}, {"datasets: [a]}", "datasets: []}"}, {"chains: 2", "chain: 2"}, {"{dev:", "{'':"},
		{"datasets: {a: {path: a.csv, each: file}}", "datasets: {}"}, {"seed: 1", "derive: {}"}, {"twice: 2 * x", "twice: 2"}, {"twice: 2 * x", "twice: ''"}, {"{twice: 2 * x}", "[2 * x]"},
	}
	for _, f := range faults {
		src := strings.Replace(valid, f[0], f[1], 1)
		if src == valid {
			t.Fatalf("%q is not in the control", f[0])
		}
		if s.Validate(instance(t, []byte(src))) == nil {
			t.Errorf("the schema accepts %s", f[1])
		}
		if _, err := Parse("spec.yaml", []byte(src), testOptions()); err == nil {
			t.Errorf("Parse accepts %s", f[1])
		}
	}
}
