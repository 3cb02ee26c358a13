package record_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"glmbatch/report/record"
)

// distributional is a fit of 12 parameters: two predictors with effects of one grouping, a scalar and missing cells.
const distributional = `{"version":1,"kind":"rows","responses":[{"column":"y","family":"student_t","components":[{"predictors":[` +
	`{"name":"mu","link":"identity","terms":[{"columns":["(Intercept)","x"],"first":1},{"columns":["Intercept"],"first":7,"group":1}]},` +
	`{"name":"sigma","link":"log","offsets":["log(e)"],"terms":[{"columns":["(Intercept)"],"first":3},` +
	`{"columns":["Intercept"],"first":9,"group":1,"at":1}]}],"scalars":[{"name":"nu","value":4}]}]}],` +
	`"groups":[{"grouping":"g","levels":2,"sd":[{"name":"Intercept","parameter":4},{"name":"sigma_Intercept","parameter":5}],"cor":[6]}],` +
	`"imputed":true,"cells":[{"column":"x","first":11,"each":1,"rows":[3,8]}]}`

// A description is read as it was written.
func TestDescription(t *testing.T) {
	d, err := record.ParseDescription([]byte(distributional), 12)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil || string(text) != distributional {
		t.Errorf("%s, %v", text, err)
	}
	again, err := record.ParseDescription(text, 12)
	if err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := record.ParseDescription([]byte(`{"version":1,"kind":"discrete"}`), 0); err != nil {
		t.Error(err)
	}
}

// A description that no program writes is refused with a sentence, whatever size it asks for.
func TestWrongDescriptions(t *testing.T) {
	for _, c := range []struct{ replace, with, want string }{
		{`"version":1`, `"version":2`, "has version 2, and this program reads version 1"},
		{`"version":1`, `"version":"1"`, "cannot unmarshal"},
		{`"kind":"rows"`, `"kind":"rows","guess":1`, `unknown field "guess"`},
		{`"kind":"rows"`, `"kind":"discrete"`, `kind "discrete" has 1 responses`},
		{`"kind":"rows"`, `"kind":"classes"`, `kind "classes" has 1 responses and 0 weights`},
		{`"kind":"rows"`, `"kind":"rows","weights":[{"parameter":1},{"parameter":2}]`, "1 components have 2 weights"},
		{`"rows":[3,8]}]}`, `"rows":[3,8]}]}{}`, "invalid character"},
		{`"first":1}`, `"first":12}`, "2 coefficients begin at parameter 12 of 12"},
		{`"first":7`, `"first":12`, "2 coefficients begin at parameter 12 of 12"},
		{`"first":3`, `"first":-1`, "1 coefficients begin at parameter -1 of 12"},
		{`"group":1,"at":1`, `"group":2`, "group 2 of 1"},
		{`"at":1`, `"at":2`, "1 columns from 2 is not among 2"},
		{`"at":1`, `"at":9223372036854775807`, "is not among 2"},
		{`"columns":["(Intercept)"],"first":3`, `"columns":[]`, "a term of 0 columns"},
		{`"levels":2`, `"levels":2147483647`, "2147483647 coefficients begin at parameter 7 of 12"},
		{`"levels":2`, `"levels":9223372036854775807`, "has 9223372036854775807 levels"},
		{`"cor":[6]`, `"cor":[]`, "2 standard deviations and 0 correlations"},
		{`"cor":[6]`, `"cor":[0]`, "is parameter 0 of 12"},
		{`"parameter":5`, `"parameter":13`, `"sigma_Intercept" is parameter 13 of 12`},
		{`"value":4`, `"parameter":-2`, `"nu" is parameter -2 of 12`},
		{`"kind":"rows"`, `"kind":"classes","weights":[{"parameter":1}]`, "component 1 has 2 predictors"},
		{`"each":1`, `"each":2`, `2 missing cells of "x" begin at parameter 11 of 12`},
		{`"each":1`, `"each":9223372036854775807`, "missing cells"},
	} {
		text := strings.Replace(distributional, c.replace, c.with, 1)
		if _, err := record.ParseDescription([]byte(text), 12); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.with, err, c.want)
		}
	}
	two := strings.Replace(distributional, `"kind":"rows"`, `"kind":"rows","weights":[{"parameter":1},{"parameter":2}]`, 1)
	two = strings.Replace(two, `"components":[`, `"components":[{"predictors":[{"name":"mu","link":"log"}]},`, 1)
	if _, err := record.ParseDescription([]byte(two), 12); fmt.Sprint(err) !=
		`the description: response "y": component 2 has 2 predictors` {
		t.Errorf("components with different predictors: %v", err)
	}
	const classes = `{"version":1,"kind":"classes","weights":[{"parameter":1}],"responses":[{"column":"a","components":[{%s}]}]}`
	for scalars, want := range map[string]string{
		`"scalars":[{"parameter":2}]`: "<nil>",
		``:                            `the description: response "a": component 1 has 0 scalars`,
		`"scalars":[{"value":0.5}]`:   `the description: response "a": component 1 has a fixed scalar`,
	} {
		if _, err := record.ParseDescription(fmt.Appendf(nil, classes, scalars), 2); fmt.Sprint(err) != want {
			t.Errorf("%s: %v", scalars, err)
		}
	}
}
