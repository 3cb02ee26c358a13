package transform

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/design"
)

const ofSigma = "bf(y ~ x + (1 | g), sigma ~ z + f)"

// Rows that miss a value of any predictor are dropped in all, and each predictor has its own columns.
func TestPredicted(t *testing.T) {
	data := makeTable(t, 0, col{"y", []float64{1, 2, 3, 4, 5, 6}, nil}, col{"x", []float64{1, 0, 9, 2, 5, 3}, []int{2}},
		col{"g", []string{"a", "b", "a", "b", "a", "b"}, nil}, col{"z", []float64{3, 9, 1, 4, 1, 5}, []int{1}},
		col{"f", []string{"u", "v", "u", "w", "v", "w"}, nil})
	spec := Spec{Formula: mustParse(t, ofSigma), Family: familyNamed("gaussian"), Missing: "drop", Dataset: "d",
		Levels: map[string][]string{"f": {"v"}}}
	d, err := Build(data, spec)
	must(t, err)
	sigma := d.Data.Further[0]
	for _, c := range []struct {
		data  interface{ Rows() int }
		names []string
		want  []string
	}{{d.Data, d.Data.Names, []string{"(Intercept)", "x"}}, {sigma, sigma.Names, []string{"(Intercept)", "z", "fu", "fw"}}} {
		if c.data.Rows() != 4 || !slices.Equal(c.names, c.want) {
			t.Errorf("%d rows of %q, want 4 of %q", c.data.Rows(), c.names, c.want)
		}
	}
	if len(d.Data.Effects) != 1 || sigma.Effects != nil {
		t.Errorf("%d groupings of the response, %d of sigma", len(d.Data.Effects), len(sigma.Effects))
	}
	text, err := json.Marshal(d.Record)
	must(t, err)
	record, err := UnmarshalRecord(text)
	if err != nil || !reflect.DeepEqual(record, d.Record) {
		t.Fatalf("the record is another one after JSON: %v", err)
	}
	inputs, err := record.Inputs(true)
	if want := []string{"y", "g", "x", "z", "f"}; err != nil || !slices.Equal(inputs, want) {
		t.Errorf("the record reads %q, want %q: %v", inputs, want, err)
	}
	coded, err := record.Code(data, Coding{Dataset: "d", Response: true})
	must(t, err)
	for k, of := range [][2]design.Matrix{{d.Data.X, coded.Data.X}, {sigma.X, coded.Data.Further[0].X}} {
		if !reflect.DeepEqual(design.ToDense(of[0]).Values, design.ToDense(of[1]).Values) {
			t.Errorf("predictor %d of new data is another one", k)
		}
	}
}

// Formulas of several predictors that cannot be read name what is wrong.
func TestPredictedErrors(t *testing.T) {
	for formula, want := range map[string]string{
		"bf(y ~ x, sigma ~ z":             "does not close",
		"bf(y ~ x, sigma ~ z) + 1":        "does not close at the end",
		"bf(y ~ x, sigma)":                `does not take "sigma"`,
		"bf(y ~ x, sigma ~ z, sigma ~ 1)": "sigma has two formulas",
		"bf(y ~ x, mu ~ z)":               "mu has two formulas",
		"bf(y ~ x, sigma ~ mi(z))":        "mi() and me() are not in this version in the formula of sigma",
		"bf(y ~ x, sigma ~ y)":            "also a predictor",
		"bf(y ~ x, sigma ~)":              "the terms are missing",
	} {
		_, err := ParseFormula(formula)
		if _, is := errors.AsType[*FormulaError](err); !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", formula, err, want)
		}
	}
	f, err := ParseFormula("brmsformula(log(y) ~ s(x, k = 5), `zi` ~ 1)")
	if err == nil {
		t.Errorf("a quoted name of a parameter is read: %v", f.Predictors())
	}
	f, err = ParseFormula("brmsformula(log(y) ~ s(x, k = 5), zi ~ a:b)")
	if err != nil || !slices.Equal(f.Predictors(), []string{"zi"}) || !f.Smooths() || f.Grouped() {
		t.Errorf("%v: %v", f.Predictors(), err)
	}
}
