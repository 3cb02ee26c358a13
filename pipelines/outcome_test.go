package pipelines_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// schemaNode is as much of JSON schema as docs/outcome.schema.json uses.
type schemaNode struct {
	Type       any                   `json:"type"`
	Const      any                   `json:"const"`
	Enum       []any                 `json:"enum"`
	Properties map[string]schemaNode `json:"properties"`
	Items      *schemaNode           `json:"items"`
	Required   []string              `json:"required"`
	Additional any                   `json:"additionalProperties"`
}

// faults lists where a value breaks a schema.
func (s schemaNode) faults(at string, v any) (out []string) {
	switch {
	case s.Const != nil && !reflect.DeepEqual(s.Const, v), s.Enum != nil && !slices.Contains(s.Enum, v):
		return []string{fmt.Sprintf("%s: %v is not allowed", at, v)}
	case s.Type != nil && !slices.ContainsFunc(typesOf(s.Type), func(t string) bool { return isType(t, v) }):
		return []string{fmt.Sprintf("%s: %v is not %v", at, v, s.Type)}
	}
	if list, ok := v.([]any); ok && s.Items != nil {
		for i, item := range list {
			out = append(out, s.Items.faults(fmt.Sprintf("%s[%d]", at, i), item)...)
		}
	}
	if m, ok := v.(map[string]any); ok && s.Properties != nil {
		for _, key := range s.Required {
			if _, ok := m[key]; !ok {
				out = append(out, at+" lacks "+key)
			}
		}
		for key, value := range m {
			inner, known := s.Properties[key]
			if !known {
				out = append(out, at+" has "+key)
			}
			out = append(out, inner.faults(at+"."+key, value)...)
		}
	}
	return out
}

func typesOf(t any) []string {
	if one, ok := t.(string); ok {
		return []string{one}
	}
	var out []string
	for _, v := range t.([]any) {
		out = append(out, v.(string))
	}
	return out
}

func isType(name string, v any) bool {
	switch x := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && x == float64(int64(x))
	case []any:
		return name == "array"
	}
	return name == "object"
}

func outcomeSchema(t *testing.T) (s schemaNode) {
	t.Helper()
	text, err := os.ReadFile("../docs/outcome.schema.json")
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	must(t, err)
	return s
}

// The schema has the fields of the types, and no others.
func TestOutcomeSchemaIsComplete(t *testing.T) {
	s := outcomeSchema(t)
	for name, c := range map[string]struct {
		of  reflect.Type
		has map[string]schemaNode
	}{
		"outcome": {reflect.TypeFor[pipelines.Outcome](), s.Properties},
		"fit":     {reflect.TypeFor[pipelines.Result](), s.Properties["fits"].Items.Properties},
		"times":   {reflect.TypeOf(pipelines.Result{}.Times), s.Properties["fits"].Items.Properties["times"].Properties},
	} {
		var fields []string
		for i := range c.of.NumField() {
			if key, _, _ := strings.Cut(c.of.Field(i).Tag.Get("json"), ","); key != "-" {
				fields = append(fields, key)
				if _, ok := c.has[key]; !ok {
					t.Errorf("%s: the schema lacks %q", name, key)
				}
			}
		}
		for key := range c.has {
			if !slices.Contains(fields, key) {
				t.Errorf("%s: the schema has %q, which the program never writes", name, key)
			}
		}
	}
}

// The outcomes of runs of every kind, passed, skipped, planned, erred, uncommitted and committed later, follow the
// schema.
func TestOutcomeIsAsItsSchemaSays(t *testing.T) {
	s := outcomeSchema(t)
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	actions := map[string]bool{}
	look := func(out *pipelines.Outcome) {
		t.Helper()
		text, err := json.Marshal(out)
		must(t, err)
		var v any
		must(t, json.Unmarshal(text, &v))
		if faults := s.faults("$", v); len(faults) > 0 {
			t.Errorf("%s\n%s", strings.Join(faults, "\n"), text)
		}
		total := 0
		for _, n := range out.Counts {
			total += n
		}
		if total != len(out.Fits) {
			t.Errorf("counts %v of %d fits", out.Counts, len(out.Fits))
		}
		for _, fit := range out.Fits {
			actions[fit.Action] = true
			if (fit.ID > 0) != (fit.Action == "computed" || fit.Action == "skipped" || fit.Action == "committed") {
				t.Errorf("%s has fit_id %d", fit.Action, fit.ID)
			}
		}
	}
	look(f.run(pipelines.RunOptions{DryRun: true}))
	look(f.run(pipelines.RunOptions{}))
	look(f.run(pipelines.RunOptions{}))
	look(f.run(pipelines.RunOptions{Select: []string{"state:warn"}}))
	release := holdOpen(t, f.path("t.duckdb"))
	look(f.run(pipelines.RunOptions{LockWait: -1, Force: true, Only: []string{"dataset=claims/north"}}))
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{})
	must(t, err)
	look(out)
	if len(actions) != 6 {
		t.Errorf("only %v were looked at", actions)
	}
}

// No fit took 0.00 seconds.
func TestTook(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0.00", 0.000212: "0.00021", 0.0046: "0.0046", 0.0346: "0.035", 0.0949: "0.095", 0.0951: "0.10", 0.16: "0.16", 312.456: "312.46",
	} {
		if got := (&pipelines.Result{Seconds: seconds}).Took(); got != want {
			t.Errorf("%v seconds are %q, want %q", seconds, got, want)
		}
	}
}
