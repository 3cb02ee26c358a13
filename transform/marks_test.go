package transform

import (
	"errors"
	"slices"
	"testing"

	"glmbatch/internal/words"
)

// me() reads as its column too. The column of standard deviations is read, and is not among the columns of a dot.
func TestMeasuredColumns(t *testing.T) {
	table := people(t, []string{"a", "b", "a"}, []float64{1, 2, 3})
	defer table.Release()
	f, err := ParseFormula("y ~ log(me(x, s)) + g:me(x, s)")
	must(t, err)
	plain, err := ParseFormula("y ~ log(x) + g:x")
	must(t, err)
	if got := f.Marks().Measured; f.right.exact() != plain.right.exact() || !slices.Equal(got, []Measured{{"x", "s"}}) {
		t.Errorf("%s, marks %+v", f.right.exact(), got)
	}
	if f, err = ParseFormula("g ~ . + me(x, y)"); err != nil {
		t.Fatal(err)
	}
	terms, _, others, err := f.Reads(table.Schema())
	must(t, err)
	if !slices.Equal(terms, []string{"k", "e", "x"}) || !slices.Equal(others, []string{"y"}) {
		t.Errorf("terms %q, others %q", terms, others)
	}
	var fault *FormulaError
	if f, err = ParseFormula("y ~ g + me(x, gone)"); err == nil {
		_, err = f.Columns(table.Schema())
	}
	if !errors.As(err, &fault) || fault.Pos != 8 {
		t.Errorf("a column that is not there: %v", err)
	}
}

// mi() reads as the column that it holds, and Marks lists it; if it holds no column the error points at it.
func TestMarks(t *testing.T) {
	table := people(t, []string{"a", "b", "a"}, []float64{1, 2, 3})
	defer table.Release()
	for _, c := range []struct {
		formula, plain string
		response       bool
		columns        []string
	}{
		{"y | mi() ~ g + mi(x)", "y ~ g + x", true, []string{"x"}},
		{"y ~ g * mi(x) + mi(x)", "y ~ g * x + x", false, []string{"x"}},
		{"log(y) | mi() ~ log(mi(x)) + g", "log(y) ~ log(x) + g", true, []string{"x"}},
		{"y ~ x + g", "y ~ x + g", false, nil},
	} {
		f, err := ParseFormula(c.formula)
		must(t, err)
		plain, err := ParseFormula(c.plain)
		must(t, err)
		if f.left.exact() != plain.left.exact() || f.right.exact() != plain.right.exact() {
			t.Errorf("%s reads as %s ~ %s", c.formula, f.left.exact(), f.right.exact())
		}
		if m := f.Marks(); m.Response != c.response || !slices.Equal(m.Columns, c.columns) ||
			m.Any() != (c.response || c.columns != nil) {
			t.Errorf("%s has marks %+v", c.formula, m)
		}
	}
	for formula, want := range map[string]string{
		"y | mi(s) ~ x":          "mi() of a response with standard errors is not in this version",
		"mi(y) ~ x":              "mi() cannot be used here",
		"y | trials(mi(n)) ~ x":  "mi() cannot be used here",
		"y ~ mi()":               "mi() holds one column",
		"y ~ mi(log(x))":         "mi() holds one column",
		"y ~ x + mi(x, idx = g)": "mi() holds one column, and no further argument such as idx",
		"me(y, s) ~ x":           "me() cannot be used here",
		"y ~ me(x)":              "me() holds two columns",
		"y ~ me(log(x), s)":      "me() holds two columns",
		"y ~ me(x, s, gr = g)":   "me() holds two columns, and no further argument such as gr",
		"y ~ me(x, s) + x":       "x is in me(), and also a term without it",
		"y ~ me(x, s) + mi(x)":   "x is in me(), and also a term without it",
		"y ~ me(x, s)*me(x, g)":  "x has two standard deviations in me()",
	} {
		_, err := ParseFormula(formula)
		var fault *FormulaError
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		if got, hint := words.Parts(fault.Err); got != want || hint == "" {
			t.Errorf("%s: %s (%s), want %s", formula, got, hint, want)
		}
	}
}
