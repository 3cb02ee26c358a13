package transform

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/glm"
)

// Columns of cs() are those of the thresholds, with the other sign and neither centred nor in the main design; new data
// are coded alike.
func TestSpecific(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3, 2}}, col{name: "x", values: []float64{3, 1, 4, 1}},
		col{name: "f", values: []string{"a", "b", "b", "a"}}, col{name: "z", values: []float64{1, 0, 1, 2}})
	f, err := ParseFormula("y ~ z + cs(x + f)")
	if err != nil || !f.CategorySpecific() {
		t.Fatal(err)
	}
	d, err := Build(table, Spec{Formula: f.WithPredictors([]string{"thresholds"}),
		Family: glm.Family{Name: "sratio", Link: "logit"}})
	must(t, err)
	own := d.Data.Further[0]
	if got := strings.Join(append(d.Data.Names, own.Names...), " "); got != "z (Intercept) x fb" {
		t.Errorf("columns %s", got)
	}
	if x, dummy := own.X.Col(1), own.X.Col(2); !slices.Equal(x, []float64{-3, -1, -4, -1}) ||
		!slices.Equal(dummy, []float64{0, -1, -1, 0}) {
		t.Errorf("columns are %v and %v", x, dummy)
	}
	again, err := d.Record.Code(makeTable(t, 0, col{name: "z", values: []float64{1}}, col{name: "x", values: []float64{5}},
		col{name: "f", values: []string{"b"}}), Coding{})
	must(t, err)
	if x := again.Data.Further[0].X; x.Col(1)[0] != -5 || x.Col(2)[0] != -1 {
		t.Errorf("new data have %v and %v", x.Col(1), x.Col(2))
	}
}

func TestSpecificFaults(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3}}, col{name: "x", values: []float64{1, 2, 4}})
	for formula, want := range map[string]string{
		"y ~ x:cs(x)":       "cannot be crossed",
		"y ~ (cs(x) | x)":   "cannot be crossed",
		"y ~ x - cs(x)":     "cannot be subtracted",
		"y ~ cs(x, 2)":      "takes terms",
		"y ~ cs(s(x))":      "s() is not supported inside cs()",
		"y ~ cs(mo(x))":     "mo() is not supported inside cs()",
		"y ~ cs((1 | x))":   "group-level effects are not supported inside cs()",
		"y ~ cs(0 + x)":     "no 0",
		"y ~ cs(offset(x))": "offset() is not supported inside cs()",
	} {
		f, err := ParseFormula(formula)
		if err == nil {
			_, err = Build(table, Spec{Formula: f, Family: glm.Family{Name: "sratio", Link: "logit"}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", formula, err, want)
		}
	}
}
