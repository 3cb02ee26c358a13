package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// outcome is a table with the response y, a number x and counts n.
func outcome(t testing.TB, y any) arrow.Table {
	return makeTable(t, 0, col{name: "y", values: y}, col{name: "x", values: []float64{0.5, -1, 2, 0.25}},
		col{name: "n", values: []int64{4, 5, 6, 7}}, col{name: "z", values: []string{"u", "v", "u", "v"}})
}

func TestResponses(t *testing.T) {
	for _, c := range []struct {
		name, family, formula string
		y                     any
		levels                []string
		want, trials          []float64
		note                  string
	}{
		{"0 and 1", "bernoulli", "y ~ x", []int64{0, 1, 1, 0}, nil, []float64{0, 1, 1, 0}, nil, ""},
		{"bool", "bernoulli", "y ~ x", []bool{false, true, true, false}, nil, []float64{0, 1, 1, 0}, nil, ""},
		{"text", "bernoulli", "y ~ x", []string{"Yes", "No", "No", "Yes"}, nil, []float64{1, 0, 0, 1}, nil, "modelling y = Yes (against No)"},
		{"text, success named second", "bernoulli", "y ~ x", []string{"Yes", "No", "No", "Yes"}, []string{"Yes", "No"}, []float64{0, 1, 1, 0}, nil, "modelling y = No (against Yes)"},
		{"text, one value", "bernoulli", "y ~ x", []string{"Yes", "Yes", "Yes", "Yes"}, []string{"No", "Yes"}, []float64{1, 1, 1, 1}, nil, "modelling y = Yes (against No)"},
		{"binomial of one trial", "binomial", "y ~ x", []string{"a", "b", "b", "b"}, nil, []float64{0, 1, 1, 1}, nil, "modelling y = b (against a)"},
		{"binomial", "binomial", "y | trials(n) ~ x", []int64{0, 5, 1, 3}, nil, []float64{0, 5, 1, 3}, []float64{4, 5, 6, 7}, ""},
		{"binomial on the right", "binomial", "y ~ x + trials(n)", []int64{0, 5, 1, 3}, nil, []float64{0, 5, 1, 3}, []float64{4, 5, 6, 7}, ""},
		{"binomial with one total", "binomial", "y | trials(9) ~ x", []int64{0, 5, 1, 9}, nil, []float64{0, 5, 1, 9}, []float64{9, 9, 9, 9}, ""},
		{"poisson", "poisson", "y ~ x", []float64{0, 5, 1, 1e6}, nil, []float64{0, 5, 1, 1e6}, nil, ""},
		{"gaussian", "gaussian", "y ~ x", []float64{0, -5, 1.5, 1e6}, nil, []float64{0, -5, 1.5, 1e6}, nil, ""},
	} {
		spec := Spec{Family: familyNamed(c.family)}
		if c.levels != nil {
			spec.Levels = map[string][]string{"y": c.levels}
		}
		d := mustBuild(t, outcome(t, c.y), c.formula, spec)
		if !slices.Equal(d.Data.Y, c.want) || !slices.Equal(d.Data.Trials, c.trials) || strings.Join(d.Notes, "") != c.note {
			t.Errorf("%s: y %v of %v, notes %q; want %v of %v, %q", c.name, d.Data.Y, d.Data.Trials, d.Notes, c.want, c.trials, c.note)
		}
	}
}

func TestResponseFaults(t *testing.T) {
	for _, c := range []struct {
		name, family, formula string
		y                     any
		want                  string
	}{
		{"three values", "bernoulli", "y ~ x", []string{"a", "b", "c", "a"}, `column "y": the response is text with 3 values (a, b, c)`},
		{"one value", "bernoulli", "y ~ x", []string{"a", "a", "a", "a"}, "levels: {y: [failure, success]}"},
		{"text counts", "poisson", "y ~ x", []string{"a", "b", "b", "a"}, "the response is text"},
		{"text trials", "binomial", "y | trials(z) ~ x", []int64{0, 1, 1, 1}, `column "z": its type is utf8`},
		{"bool counts", "poisson", "y ~ x", []bool{true, false, true, false}, "true or false"},
		{"too many successes", "binomial", "y | trials(n) ~ x", []int64{0, 1, 7, 1}, `column "y", row 3: 7 is not allowed`},
		{"fraction of trials", "binomial", "y | trials(x) ~ 1", []int64{0, 0, 0, 0}, `column "x", row 1: 0.5 is not allowed`},
		{"trials of a bernoulli", "bernoulli", "y | trials(n) ~ x", []int64{0, 1, 1, 1}, "trials() belongs to family binomial"},
		{"one, two", "bernoulli", "y ~ x", []int64{1, 2, 1, 2}, `row 2: 2 is not allowed`},
		{"unknown family", "gausian", "y ~ x", []int64{1, 2, 1, 2}, `unknown family "gausian"`},
		{"huge", "gaussian", "y ~ x", []float64{1, 1e300, 1, 2}, `column "y", row 2: 1e+300 is too large`},
		{"text offset", "gaussian", "y ~ x + offset(z)", []float64{1, 2, 3, 4}, `column "z": its type is utf8`},
		{"log of a negative", "gaussian", "y ~ offset(log(x))", []float64{1, 2, 3, 4}, `column "x", row 2: -1 has no logarithm`},
		{"huge offset", "gaussian", "x ~ offset(y)", []float64{1, 2, 1e200, 4}, `column "y", row 3: 1e+200 is too large`},
	} {
		_, err := Build(outcome(t, c.y), Spec{Dataset: "d", Formula: mustParse(t, c.formula), Family: familyNamed(c.family)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestResponsesWithoutVariation(t *testing.T) {
	for _, c := range []struct {
		name, family, formula string
		y                     any
		want                  string
	}{
		{"successes only", "bernoulli", "y ~ x", []int64{1, 1, 1, 1}, `response "y" is 1 in all 4 rows`},
		{"no counts", "poisson", "y ~ x", []int64{0, 0, 0, 0}, `response "y" is 0 in all 4 rows`},
		{"equal counts", "poisson", "y ~ x", []int64{3, 3, 3, 3}, ""},
		{"no successes", "binomial", "y | trials(n) ~ x", []int64{0, 0, 0, 0}, "no success in any"},
		{"no failures", "binomial", "y | trials(n) ~ x", []int64{4, 5, 6, 7}, "no failure in any"},
		{"equal successes", "binomial", "y | trials(n) ~ x", []int64{1, 1, 1, 1}, ""},
		{"constant without an intercept", "gaussian", "y ~ x - 1", []int64{3, 3, 3, 3}, ""},
	} {
		d := mustBuild(t, outcome(t, c.y), c.formula, Spec{Family: familyNamed(c.family)})
		said := strings.Join(d.Warnings, "\n")
		if (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, d.Warnings, c.want)
		}
	}
}

func TestOffsetsAddUp(t *testing.T) {
	d := mustBuild(t, outcome(t, []float64{1, 2, 3, 4}), "y ~ 1 + offset(x) + offset(log(n))", Spec{})
	for i, want := range []float64{0.5 + math.Log(4), -1 + math.Log(5), 2 + math.Log(6), 0.25 + math.Log(7)} {
		if math.Abs(d.Data.Offset[i]-want) > 1e-15 {
			t.Errorf("row %d: offset %v, want %v", i, d.Data.Offset[i], want)
		}
	}
	if got := fmt.Sprint(d.Record.Offsets); got != "[{x []} {log(n) []}]" {
		t.Errorf("recorded offsets %v", got)
	}
}

// Rows are dropped for used columns only, and errors name the table's rows.
func TestMissingCells(t *testing.T) {
	table := makeTable(t, 2, col{name: "unused", values: []float64{0, 0, 0, 0, 0, 0}, missing: []int{0, 1, 2, 3, 4}},
		col{name: "y", values: []int64{0, 1, 0, 1, 0, 9}, missing: []int{2}},
		col{name: "x", values: []float64{1, math.NaN(), 3, 4, 5, 6}},
		col{name: "g", values: []string{"a", "b", "a", "b", "c", "b"}, missing: []int{4}},
		col{name: "e", values: []float64{1, 1, 2, 2, 3, 3}, missing: []int{5}})
	spec := Spec{Dataset: "d", Family: familyNamed("bernoulli"), Missing: "drop", InterceptAt: "zero"}
	d := mustBuild(t, table, "y ~ x + g + offset(e)", spec)
	if d.Rows != 2 || d.Dropped != 4 || !slices.Equal(d.Data.Y, []float64{0, 1}) || !slices.Equal(d.Data.X.Col(1), []float64{1, 4}) ||
		!slices.Equal(d.Data.Offset, []float64{1, 2}) || !slices.Equal(d.Data.Names, []string{"(Intercept)", "x", "gb"}) {
		t.Errorf("%+v, %+v", d, d.Data)
	}
	spec.Formula = mustParse(t, "y ~ x + g")
	_, err := Build(table, spec)
	var fault *ColumnError
	if !errors.As(err, &fault) || fault.Row != 6 || fault.Column != "y" || fault.Dataset != "d" {
		t.Errorf("after dropped rows: %v", err)
	}
	spec.Missing = "error"
	if _, err := Build(table, spec); !errors.As(err, &fault) || fault.Row != 2 || fault.Column != "x" || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("the first missing cell by rows: %v", err)
	}
}

// With no complete row, the column with most missing cells is named.
func TestNoCompleteRow(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []int64{0, 1, 0, 1}}, col{name: "x", values: []float64{1, 2, 3, 4}, missing: []int{0}},
		col{name: "z", values: []float64{1, 2, 3, 4}, missing: []int{1, 2, 3}})
	_, err := Build(table, Spec{Formula: mustParse(t, "y ~ ."), Family: familyNamed("bernoulli"), Missing: "drop"})
	if !says(err, `column "z": 3 of 4 values are missing, and no row is complete`) {
		t.Errorf("error %v", err)
	}
}

func TestSettings(t *testing.T) {
	table := outcome(t, []float64{1, 2, 3, 5})
	for want, change := range map[string]func(*Spec){
		`standardize cannot be "centre_scale"`:                         func(s *Spec) { s.Standardize = "centre_scale" },
		`missing cannot be "dropp"` + "\nhint: did you mean \"drop\"?": func(s *Spec) { s.Missing = "dropp" },
		`at cannot be "mean"`:                                          func(s *Spec) { s.InterceptAt = "mean" },
		`takes 6.4e-05 MB, and 6.3e-05 MB are allowed`:                 func(s *Spec) { s.Reserve = bytesFor(63) },
	} {
		spec := Spec{Dataset: "d", Formula: mustParse(t, "y ~ x"), Family: familyNamed("gaussian"), Reserve: bytesFor(64)}
		if _, err := Build(table, spec); err != nil {
			t.Fatal(err)
		}
		change(&spec)
		if _, err := Build(table, spec); !says(err, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
