package transform

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// smoothTable has a number, one with few values, one that is constant, a factor and what is explained.
func smoothTable(t testing.TB, rows int) (cols []col) {
	x, z, few, one, y := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	f := make([]string, rows)
	for i := range rows {
		x[i], z[i] = float64(i*7%rows)/float64(rows)+1, float64(i%11)
		few[i], one[i], y[i] = float64(i%4), 3, float64(i%5)
		f[i] = []string{"a", "b c"}[i%2]
	}
	return []col{{name: "y", values: y}, {name: "x", values: x}, {name: "z", values: z}, {name: "few", values: few}, {name: "one", values: one},
		{name: "f", values: f}}
}

// Arguments that s() does not take are refused with a replacement.
func TestSmoothErrors(t *testing.T) {
	table := makeTable(t, 0, smoothTable(t, 60)...)
	for formula, want := range map[string]string{
		"y ~ s(x, k = 2)":              "k of s() is a whole number from 3 to 200",
		"y ~ s(x, k = 2.5)":            "k of s() is a whole number from 3 to 200",
		"y ~ s(few)":                   "it has 4 distinct values, fewer than k = 10|take a smaller k",
		"y ~ s(few, bs = \"cr\")":      "it has 4 distinct values, fewer than k = 10",
		"y ~ s(few, bs = \"ps\")":      "it has 4 distinct values, fewer than k = 10",
		"y ~ s(one)":                   "it is 3 in all rows, and a curve needs 3 values",
		"y ~ s(f)":                     "its type is utf8, and the formula takes a number",
		"y ~ s(x, bs = \"re\")":        "the basis \"re\" of s() is not supported|(1 | g)",
		"y ~ s(x, bs = \"cc\")":        "the basis \"cc\" of s() is not supported|\"cr\"",
		"y ~ s(x, bs = cr)":            "the basis cr of s() is not supported|bs = \"tp\"",
		"y ~ s(x, m = 1)":              "m of s() is 2 here",
		"y ~ s(x, k = 3, bs = \"ps\")": "k = 3 is too small for m = c(2, 2)|write k = 4 or more",
		"y ~ s(x, z)":                  "s() smooths one number|s(x) + s(z)",
		"y ~ s(x, fx = TRUE)":          "fx of s() is not supported|ns(x, 9)",
		"y ~ s(x, sp = 1)":             "sp of s() is not supported|constant(2)",
		"y ~ s(x, knots = 3)":          "s() has no argument \"knots\"",
		"y ~ s()":                      "s() takes an argument",
		"y ~ te(x, z)":                 "te() cannot be used here|surfaces are not supported",
		"y ~ t2(x, z)":                 "t2() cannot be used here|surfaces are not supported",
		"y ~ x - s(x)":                 "s(x) cannot be subtracted",
		"y ~ z:s(x)":                   "s(x) cannot be crossed with other terms|s(x, by = f)",
		"y ~ (s(x) | f)":               "s(x) cannot be crossed with other terms",
		"y ~ (s(x) + z)^2":             "s(x) cannot be crossed with other terms",
		"y ~ I(s(x))":                  "s() is a term by itself",
		"s(y) ~ x":                     "s() cannot be a response",
		"y ~ s(x) + s(x)":              "s(x) stands twice",
		"y ~ s(x) + s(x, k = 5)":       "s(x) and s(x, k = 5) are curves of the same numbers",
		"y ~ s(w)":                     "there is no column \"w\"",
		"y ~ s(x, by = w)":             "there is no column \"w\"",
		"y ~ s(y)":                     "the response \"y\" is also a predictor",
		"y ~ s(x, by = poly(z, 2))":    "poly() is a term by itself",
	} {
		said := ""
		f, err := ParseFormula(formula)
		if err == nil {
			_, err = Build(table, Spec{Formula: f, Family: familyNamed("gaussian")})
		}
		if err != nil {
			said = err.Error() + " " + hintOf(err)
		}
		for _, part := range strings.Split(want, "|") {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %q, want %q", formula, said, part)
			}
		}
	}
}

// The columns have brms's names, follow the other terms and are not scaled; . leaves out smoothed variables.
func TestSmoothColumns(t *testing.T) {
	table := makeTable(t, 0, smoothTable(t, 60)...)
	spec := Spec{Standardize: "center_scale"}
	d := mustBuild(t, table, "y ~ s(x, k = 4) + f + s(log(x), k = 4, by = f) + s(z, k = 4, by = x)", spec)
	want := []string{"(Intercept)", "fb c", "bs_sx_1", "s_sx_1[1]", "s_sx_1[2]",
		"bs_slogx:fa_1", "s_slogxfa_1[1]", "s_slogxfa_1[2]", "bs_slogx:fbc_1", "s_slogxfbc_1[1]", "s_slogxfbc_1[2]",
		"bs_sz:x_1", "bs_sz:x_2", "s_szx_1[1]", "s_szx_1[2]"}
	if !slices.Equal(d.Data.Names, want) {
		t.Errorf("%q, want %q", d.Data.Names, want)
	}
	if len(d.Data.Smooths) != 4 || d.Data.Smooths[2].Term != "s(log(x)):fb c" || d.Data.Smooths[2].First != 9 || d.Data.Smooths[2].Last != 11 {
		t.Errorf("%+v", d.Data.Smooths)
	}
	for j, c := range d.Record.Columns {
		if j >= 2 && (c.Centre != 0 || c.Scale != 1) {
			t.Errorf("%s has centre %v and scale %v", c.Name, c.Centre, c.Scale)
		}
	}
	d = mustBuild(t, table, "y ~ . + s(x, k = 4, by = z) - few - one", spec)
	if slices.Contains(d.Data.Names, "x") || !slices.Contains(d.Data.Names, "z") {
		t.Errorf("%q", d.Data.Names)
	}
	for formula, warning := range map[string]string{
		"y ~ x + s(x)":     "s(x) has a line in x already",
		"y ~ s(x, by = f)": "all levels have one mean: add it",
	} {
		if d := mustBuild(t, table, formula, spec); !strings.Contains(strings.Join(d.Warnings, "; "), warning) {
			t.Errorf("%s: %q, want %q", formula, d.Warnings, warning)
		}
	}
}

// Rows that stand for several, dropped rows and a sparse design leave a smooth as it is.
func TestSmoothRows(t *testing.T) {
	const formula = "y ~ f + s(x, k = 5) + s(z, k = 5, by = f)"
	cols := smoothTable(t, 40)
	counts, twice := make([]float64, 40), slices.Clone(cols)
	for i := range counts {
		counts[i] = 1 + float64(i%3)
	}
	repeat := func(i int, n func()) {
		for range int(counts[i]) {
			n()
		}
	}
	for k, c := range cols {
		switch v := c.values.(type) {
		case []float64:
			var out []float64
			for i := range v {
				repeat(i, func() { out = append(out, v[i]) })
			}
			twice[k].values = append(out, math.NaN())
		case []string:
			var out []string
			for i := range v {
				repeat(i, func() { out = append(out, v[i]) })
			}
			twice[k].values = append(out, "a")
		}
	}
	spec := Spec{InterceptAt: "zero", Missing: "drop"}
	spec.Counts = counts
	counted := mustBuild(t, makeTable(t, 0, cols...), formula, spec)
	spec.Counts, spec.Sparse = nil, "true"
	repeated := mustBuild(t, makeTable(t, 0, twice...), formula, spec)
	if len(counted.Data.Smooths) != 3 || repeated.Rows != counted.Counted {
		t.Fatalf("%d smooths, %d and %d rows", len(counted.Data.Smooths), repeated.Rows, counted.Counted)
	}
	got, want := make([]float64, repeated.Rows), counted.Data.X
	for j := range counted.Data.Names {
		repeated.Data.X.Read(j, 0, got)
		largest, row := 0.0, 0
		for i, v := range want.Col(j) {
			repeat(i, func() {
				largest = math.Max(largest, math.Abs(got[row]-v))
				row++
			})
		}
		if largest > 1e-9 {
			t.Errorf("%s differs by %v", counted.Data.Names[j], largest)
		}
	}
}

// A curve on a grid is the curve at rows of the same numbers.
func TestCurves(t *testing.T) {
	table := makeTable(t, 0, smoothTable(t, 60)...)
	d := mustBuild(t, table, "y ~ f + s(x, k = 6) + s(log(x), by = f, bs = \"ps\")", Spec{})
	curves := throughJSON(t, d.Record).Curves(11)
	if len(curves) != 3 || curves[2].Level != "b c" || curves[2].By != "f" || curves[0].Level != "" {
		t.Fatalf("%+v", curves)
	}
	x := curves[0].X
	if x[0] != 1 || math.Abs(x[10]-(1+59.0/60)) > 1e-15 {
		t.Errorf("grid %v", x)
	}
	levels := slices.Repeat([]string{"b c"}, 11)
	rows, err := d.Record.Code(makeTable(t, 0, col{name: "x", values: x}, col{name: "f", values: levels}), Coding{})
	must(t, err)
	for p, column := range curves[0].Columns {
		if !slices.Equal(column, rows.Data.X.Col(curves[0].Fixed+p)) {
			t.Errorf("column %d: %v, want %v", p, column, rows.Data.X.Col(curves[0].Fixed+p))
		}
	}
}
