package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// groups is a response and a text column with the given cells.
func groups(t testing.TB, cells ...string) arrow.Table {
	y := make([]float64, len(cells))
	for i := range y {
		y[i] = float64(i)
	}
	return makeTable(t, 0, col{name: "y", values: y}, col{name: "g", values: cells})
}

func repeat(n int, cells ...string) []string { return slices.Repeat(cells, n) }

func TestLevels(t *testing.T) {
	table := groups(t, repeat(3, "b", "a", "c", "a")...)
	for _, c := range []struct {
		levels   []string
		names    []string
		warnings int
	}{
		{nil, []string{"(Intercept)", "gb", "gc"}, 0},
		{[]string{"b"}, []string{"(Intercept)", "ga", "gc"}, 0},
		{[]string{"c", "b", "a"}, []string{"(Intercept)", "gb", "ga"}, 0},
		{[]string{"c", "x", "b", "a"}, []string{"(Intercept)", "gx", "gb", "ga"}, 1}, // gx is 0 in all rows
		{[]string{"x", "b", "c", "a"}, []string{"(Intercept)", "gb", "gc", "ga"}, 2}, // no reference: the intercept is the sum of the dummies
	} {
		spec := Spec{InterceptAt: "zero"}
		if c.levels != nil {
			spec.Levels = map[string][]string{"g": c.levels}
		}
		d := mustBuild(t, table, "y ~ g", spec)
		if !slices.Equal(d.Data.Names, c.names) || len(d.Warnings) != c.warnings {
			t.Errorf("levels %q: names %q, warnings %q; want %q", c.levels, d.Data.Names, d.Warnings, c.names)
		}
		// Each dummy is 1 where the cell is its level.
		for j, name := range d.Data.Names[1:] {
			for i, v := range d.Data.X.Col(j + 1) {
				if cell := []string{"b", "a", "c", "a"}[i%4]; (v == 1) != ("g"+cell == name) {
					t.Errorf("levels %q: %s is %v where g is %q", c.levels, name, v, cell)
				}
			}
		}
	}
}

func TestLevelFaults(t *testing.T) {
	table := groups(t, repeat(3, "b", "a", "c", "a")...)
	for want, levels := range map[string]map[string][]string{
		`row 3: "c" is not among the levels`:       {"g": {"a", "b"}},
		`level "a" is listed twice`:                {"g": {"a", "b", "a"}},
		`reference level "z" does not occur`:       {"g": {"z"}},
		`the list of its levels is empty`:          {"g": {}},
		`column "h": levels are given for it, but`: {"g": {"a"}, "h": {"a"}},
		`but it holds numbers`:                     {"y": {"1"}},
	} {
		_, err := Build(table, Spec{Dataset: "d", Formula: mustParse(t, "y ~ g"), Family: familyNamed("gaussian"), Levels: levels})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("levels %v: error %v, want %q", levels, err, want)
		}
	}
}

// distinct returns n different words.
func distinct(n int, format string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

func TestIdentifiersAreNoFactors(t *testing.T) {
	numbers := distinct(40, "%d.5")
	mostly := slices.Clone(numbers)
	mostly[23] = "oops"
	twice := slices.Clone(mostly)
	twice[30] = "also" // the first level, but a later row
	for _, c := range []struct {
		name     string
		cells    []string
		inDot    string // part of the error of y ~ .; "" means none
		named    string // part of the error of y ~ g
		warnings int    // of y ~ g
	}{
		{"all distinct", distinct(12, "id%d"), "all its 12 values are distinct: it looks like an identifier", "", 1},
		{"nearly all distinct", append(distinct(11, "id%d"), "id0"), "11 distinct values in 12 rows", "", 1},
		{"a small group", []string{"a", "b", "c", "a", "c"}, "", "", 1},
		{"two rows", []string{"a", "b"}, "", "", 0},
		{"half distinct", repeat(2, distinct(6, "g%d")...), "", "", 0},
		{"many levels", repeat(3, distinct(60, "g%d")...), "", "", 1},
		{"numbers as text", numbers, "all its values are numbers", "all its values are numbers", 0},
		{"mostly numbers", mostly, `row 24: the column is text, but 39 of its 40 values are numbers, and "oops" is not`, `row 24: `, 0},
		{"two texts among numbers", twice, `row 24: the column is text, but 38 of its 40 values are numbers, and "oops" is not`, `row 24: `, 0},
		{"a few numeric codes", repeat(5, "1", "2", "3"), "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := groups(t, c.cells...)
			spec := Spec{Family: familyNamed("gaussian"), InterceptAt: "zero"}
			spec.Formula = mustParse(t, "y ~ .")
			if _, err := Build(table, spec); !says(err, c.inDot) {
				t.Errorf("y ~ .: error %v, want %q", err, c.inDot)
			}
			spec.Formula = mustParse(t, "y ~ g")
			d, err := Build(table, spec)
			if !says(err, c.named) || err == nil && len(d.Warnings) != c.warnings {
				t.Errorf("y ~ g: error %v, design %+v; want %q and %d warnings", err, d, c.named, c.warnings)
			}
			// Whoever gives the levels means a factor.
			spec.Levels = map[string][]string{"g": {c.cells[0]}}
			if _, err := Build(table, spec); err != nil {
				t.Errorf("with levels: %v", err)
			}
		})
	}
}

// says reports whether an error holds the text, or is nil as "" asks.
func says(err error, text string) bool {
	if text == "" || err == nil {
		return text == "" && err == nil
	}
	return strings.Contains(err.Error(), text)
}

// A column with more levels than any design can use is given up early.
func TestTooManyLevels(t *testing.T) {
	table := groups(t, distinct(maxLevels+1, "id%d")...)
	_, err := Build(table, Spec{Formula: mustParse(t, "y ~ g"), Family: familyNamed("gaussian")})
	if !says(err, "more than 100000 distinct values") {
		t.Errorf("error %v", err)
	}
}

// A factor of one level adds nothing to an intercept (as within a group of "by"), and is the intercept if there is
// none.
func TestOneLevel(t *testing.T) {
	table := groups(t, "a", "a", "a")
	d := mustBuild(t, table, "y ~ g", Spec{})
	if !slices.Equal(d.Data.Names, []string{"(Intercept)"}) || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], `"a"`) {
		t.Errorf("names %q, warnings %q", d.Data.Names, d.Warnings)
	}
	d = mustBuild(t, table, "y ~ g - 1", Spec{})
	if !slices.Equal(d.Data.Names, []string{"ga"}) {
		t.Errorf("names %q", d.Data.Names)
	}
}

func TestNamesDoNotCollide(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3, 5}}, col{name: "(Intercept)", values: []float64{1, 0, 3, 2}},
		col{name: "sigma", values: []float64{1, 4, 3, 2}}, col{name: "ga", values: []float64{1, 5, 3, 2}}, col{name: "g", values: []string{"b", "a", "A", "b"}},
		col{name: "`sigma`", values: []float64{9, 4, 3, 2}})
	d := mustBuild(t, table, "y ~ `(Intercept)` + sigma + ga + g + `\\`sigma\\``", Spec{})
	want := []string{"(Intercept)", "`(Intercept)`", "`sigma`", "ga", "`g`a", "gb", "``sigma``"}
	if !slices.Equal(d.Data.Names, want) || len(d.Warnings) != 5 {
		t.Errorf("names %q, warnings %q; want %q", d.Data.Names, d.Warnings, want)
	}
	d = mustBuild(t, table, "y ~ sigma", Spec{Family: familyNamed("poisson")})
	if !slices.Equal(d.Data.Names, []string{"(Intercept)", "sigma"}) {
		t.Errorf("a family without sigma: names %q", d.Data.Names)
	}
}
