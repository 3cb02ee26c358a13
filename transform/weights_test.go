package transform

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// weightedTable has two columns of weights, and expandedTable the same rows as
// often as they count.
func weightedTable(t testing.TB) (weighted, expanded arrow.Table) {
	y := []float64{1, 2, 4, 3, 7, 9}
	x := []float64{0.5, -3, 1e3, 2, 2.5, 9}
	g := []string{"b", "a", "c", "b", "a", "b"}
	count := []float64{2, 1, 0, 4, 1, 3}
	precision := []float64{1, 0.5, 2, 3, 1e-3, 20}
	var y2, x2, p2 []float64
	var g2 []string
	for i, w := range count {
		for range int(w) {
			y2, x2, g2, p2 = append(y2, y[i]), append(x2, x[i]), append(g2, g[i]), append(p2, precision[i])
		}
	}
	return makeTable(t, 0, col{name: "y", values: y}, col{name: "w", values: count}, col{name: "x", values: x}, col{name: "g", values: g}, col{name: "p", values: precision}),
		makeTable(t, 0, col{name: "y", values: y2}, col{name: "x", values: x2}, col{name: "g", values: g2}, col{name: "p", values: p2})
}

// The design of rows with frequencies is that of the rows written out: the same
// columns, levels and precisions, centres and scales to rounding. Rows of
// frequency 0 are not there, and "." takes no weights.
func TestWeightedDesign(t *testing.T) {
	weighted, expanded := weightedTable(t)
	for _, spec := range scalings() {
		spec.Family = familyNamed("gaussian")
		spec.Formula = mustParse(t, "y ~ .").Weighted("w", "p")
		a, err := Build(weighted, spec)
		must(t, err)
		spec.Formula = mustParse(t, "y ~ .").Weighted("", "p")
		b, err := Build(expanded, spec)
		must(t, err)
		if !slices.Equal(a.Data.Names, b.Data.Names) || slices.Contains(a.Data.Names, "gc") {
			t.Fatalf("columns %v, expanded %v", a.Data.Names, b.Data.Names)
		}
		if a.Rows != 5 || a.Kept[2] || !slices.Equal(a.Data.Frequency, []float64{2, 1, 4, 1, 3}) {
			t.Errorf("%d rows, kept %v, frequencies %v", a.Rows, a.Kept, a.Data.Frequency)
		}
		if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "1 of 6 rows have the frequency 0") {
			t.Errorf("notes %q", a.Notes)
		}
		k := 0
		for i, w := range a.Data.Frequency {
			for range int(w) {
				if a.Data.Y[i] != b.Data.Y[k] || a.Data.Precision[i] != b.Data.Precision[k] {
					t.Errorf("row %d: y %v with precision %v, expanded %v and %v", i, a.Data.Y[i], a.Data.Precision[i], b.Data.Y[k], b.Data.Precision[k])
				}
				for j := range a.Data.Cols() {
					if got, want := a.Data.X.Col(j)[i], b.Data.X.Col(j)[k]; math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
						t.Errorf("%s/%s, column %d, row %d: %v, expanded %v", spec.Standardize, spec.InterceptAt, j, i, got, want)
					}
				}
				k++
			}
		}
		checkWeightedCoding(t, a, weighted, expanded)
	}
}

// checkWeightedCoding codes the same table by the record, and new data that
// have precisions alone.
func checkWeightedCoding(t *testing.T, d *Design, table, news arrow.Table) {
	t.Helper()
	text, err := json.Marshal(d.Record)
	must(t, err)
	r, err := UnmarshalRecord(text)
	must(t, err)
	again, err := r.Code(table, Coding{Response: true})
	must(t, err)
	if !slices.Equal(again.Data.Frequency, d.Data.Frequency) || !slices.Equal(again.Data.Precision, d.Data.Precision) ||
		!slices.Equal(cells(again.Data.X), cells(d.Data.X)) {
		t.Errorf("coded again: frequencies %v, precisions %v", again.Data.Frequency, again.Data.Precision)
	}
	if again, err = r.Code(news, Coding{}); err != nil || again.Data.Frequency != nil || len(again.Data.Precision) != 11 {
		t.Errorf("new data: %+v, error %v", again, err)
	}
}

func TestWeightErrors(t *testing.T) {
	nan := math.NaN()
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, nan, 4}}, col{name: "x", values: []float64{3, 1, 2, 5}},
		col{name: "half", values: []float64{1, 1, 1, 1.5}}, col{name: "minus", values: []float64{1, 2, 3, -1}},
		col{name: "zero", values: []float64{0, 0, 5, 0}}, col{name: "text", values: []string{"a", "b", "c", "d"}},
		col{name: "holes", values: []float64{1, nan, 1, 1}})
	for _, c := range []struct{ frequency, precision, family, want string }{
		{"half", "", "gaussian", "row 4: 1.5 is not allowed: a frequency is a whole number"},
		{"minus", "", "gaussian", "row 4: -1 is not allowed"},
		{"zero", "", "gaussian", "every row has the frequency 0"},
		{"text", "", "gaussian", "frequency_weights are numbers"},
		{"nine", "", "gaussian", "there is no such column, which frequency_weights names"},
		{"", "zero", "gaussian", "row 1: 0 is not allowed: a precision is a number above 0"},
		{"", "minus", "gaussian", "row 4: -1 is not allowed"},
		{"", "half", "poisson", "family poisson takes no precision_weights"},
		{"half", "", "gaussian", "are precision_weights"},
		{"", "half", "gaussian", ""},
	} {
		f := mustParse(t, "y ~ x").Weighted(c.frequency, c.precision)
		_, err := Build(table, Spec{Formula: f, Family: familyNamed(c.family), Missing: "drop"})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error()+hintOf(err), c.want)):
			t.Errorf("%+v: error %v", c, err)
		}
	}
	d, err := Build(table, Spec{Formula: mustParse(t, "y ~ x").Weighted("holes", ""), Family: familyNamed("gaussian"), Missing: "drop"})
	if err != nil || d.Rows != 2 || d.Dropped != 2 {
		t.Errorf("a missing weight: error %v, design %+v", err, d)
	}
	columns, err := mustParse(t, "y ~ x").Weighted("half", "minus").Columns(table.Schema())
	if err != nil || !slices.Equal(columns, []string{"y", "x", "half", "minus"}) {
		t.Errorf("columns %v, error %v", columns, err)
	}
}

// hintOf is the hint of an error on a column.
func hintOf(err error) string {
	var c *ColumnError
	if errors.As(err, &c) {
		_, hint := words.Parts(c)
		return hint
	}
	return ""
}

// Proportions are counts over their trials, exact to the last digit of the file.
func TestProportion(t *testing.T) {
	table := makeTable(t, 0, col{name: "p", values: []float64{0.3333333333, 0, 1, 2.0 / 7}}, col{name: "n", values: []float64{15, 4, 3, 7}},
		col{name: "x", values: []float64{1, 2, 3, 5}}, col{name: "rough", values: []float64{0.33, 0, 1, 0.3}}, col{name: "beyond", values: []float64{0, 1, 1.5, 0}})
	spec := Spec{Formula: mustParse(t, "p | proportion(n) ~ x"), Family: glm.Family{Name: "binomial", Link: "logit"}}
	d, err := Build(table, spec)
	must(t, err)
	if !slices.Equal(d.Data.Y, []float64{5, 0, 3, 2}) || !slices.Equal(d.Data.Trials, []float64{15, 4, 3, 7}) {
		t.Errorf("%v successes of %v", d.Data.Y, d.Data.Trials)
	}
	text, _ := json.Marshal(d.Record)
	r, err := UnmarshalRecord(text)
	must(t, err)
	if again, err := r.Code(table, Coding{Response: true}); err != nil || !slices.Equal(again.Data.Y, d.Data.Y) {
		t.Errorf("coded again: %v, error %v", again, err)
	}
	for formula, want := range map[string]string{
		"rough | proportion(n) ~ x":  "row 1: 0.33 of 15 trials are 4.95 successes",
		"beyond | proportion(n) ~ x": "row 3: 1.5 is not allowed: a proportion is a number from 0 to 1",
		"p | proportion(5) ~ x":      "row 1: 0.3333333333 of 5 trials",
	} {
		spec.Formula = mustParse(t, formula)
		if _, err := Build(table, spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", formula, err, want)
		}
	}
	if _, err := ParseFormula("p ~ x + proportion(n)"); err == nil || !strings.Contains(err.Error(), "is on the left") {
		t.Errorf("proportion on the right: error %v", err)
	}
}

// Functions of formulas learn the same from values with counts as from the values written out.
func TestCountsAreLearnt(t *testing.T) {
	x, counts := []float64{3, 0.5, 9, 4, 0.5, 7}, []float64{1, 6, 2, 5, 1, 11}
	var all []float64
	for i, v := range x {
		for range int(counts[i]) {
			all = append(all, v)
		}
	}
	near := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) })
	}
	for _, call := range []basisCall{
		{kind: "ns", df: 4}, {kind: "bs", degree: 3, df: 6}, {kind: "ns", df: 4, boundary: []float64{1, 8}}, {kind: "poly", degree: 3},
	} {
		got, err := call.learn(x, counts)
		want, err2 := call.learn(all, nil)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if !slices.Equal(got.Knots, want.Knots) || got.Boundary != want.Boundary || !near(got.Alpha, want.Alpha) ||
			!near(got.Norm2, want.Norm2) {
			t.Errorf("%s: %+v\nwant %+v", call.kind, got, want)
		}
	}
	if got, want := rootMeanSquare(x, counts, 2), rootMeanSquare(all, nil, 2); !near([]float64{got}, []float64{want}) {
		t.Errorf("root mean square %v, want %v", got, want)
	}
}
