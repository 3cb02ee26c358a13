package transform

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// mixedColumns is a small table of all kinds; big has numbers whose powers
// overflow.
var mixedColumns = []col{
	{name: "y", values: []float64{1, 2, 4, 3, 5, 6}}, {name: "x", values: []float64{0, 1, 2, 3, 4, 5}},
	{name: "neg", values: []float64{1, -2, 3, 4, 5, 6}}, {name: "flat", values: []float64{2, 2, 2, 2, 2, 2}},
	{name: "big", values: []float64{1e120, -2e120, 3e119, 1e118, 7e119, 3e120}}, {name: "g", values: []string{"a", "b", "a", "c", "b", "a"}},
	{name: "flag", values: []bool{true, false, true, true, false, false}}, {name: "T", values: []float64{3, 1, 4, 1, 5, 9}},
}

// A value that a table cannot give is reported with column, row and position, and the remedy.
func TestExpressionFaults(t *testing.T) {
	table := makeTable(t, 4, mixedColumns...)
	for _, c := range []struct {
		formula string
		spec    Spec
		want    string
	}{
		{"y ~ log(x)", Spec{}, `column "x", row 1: 0 has no logarithm, and the formula takes log(x) (character 5)` + "\nhint: drop or correct"},
		{"y ~ x + log2(neg)", Spec{}, `column "neg", row 2: -2 has no logarithm, and the formula takes log2(neg) (character 9)`},
		{"y ~ sqrt(neg)", Spec{}, `column "neg", row 2: sqrt(neg) is not a number (character 5 of the formula): its first operand is -2`},
		{"y ~ I(1/x)", Spec{}, `column "x", row 1: 1/x is infinite or too large (character 8 of the formula)`},
		{"y ~ I(neg^0.3)", Spec{}, `column "neg", row 2: neg^0.3 is not a number`},
		{"y ~ exp(I(x * 200))", Spec{}, `column "x", row 5: exp(I(x * 200)) is infinite or too large`},
		{"y ~ I(x + 1/0)", Spec{}, "formula \"y ~ I(x + 1/0)\", character 12: 1/0 is +Inf"},
		{"y ~ log(g)", Spec{}, `column "g": its type is utf8, and the formula takes a number at character 9 of "y ~ log(g)"`},
		{"y ~ I(g)", Spec{}, `column "g": its type is utf8`},
		{"y ~ I(flag)", Spec{}, `character 5: column "flag" is true or false, which is a factor` + "\nhint: write flag without I()"},
		{"log(neg) ~ x", Spec{}, `column "neg", row 2: -2 has no logarithm`},
		{"y ~ offset(log(x))", Spec{}, `column "x", row 1: 0 has no logarithm`},
		{"y ~ scale(flat)", Spec{}, `column "flat": scale(flat) at character 5 of the formula divides by a standard deviation of 0`},
		{"y ~ poly(flag, 2)", Spec{}, `column "flag": poly(flag, 2) at character 5 of the formula: it has 2 distinct values, and a polynomial of degree 2 needs 3`},
		{"y ~ ns(flat, 2)", Spec{}, `column "flat": ns(flat, 2) at character 5 of the formula: it is 2 in all rows`},
		{"y ~ bs(x, knots = 5)", Spec{}, `the inner knot 5 does not lie between the boundary knots 0 and 5` + "\nhint: ask for fewer columns"},
		{"y ~ bs(x, df = 4, Boundary.knots = c(8, 9))", Spec{}, "no value lies inside Boundary.knots"},
		{"y ~ poly(big, 3)", Spec{}, "powers are beyond the range of float64"},
		{"y ~ big:I(big/2):g", Spec{}, `column "big", row 6: 4.5000000000000005e+240 is too large`},
		{"y ~ g:big:I(big/2):I(big/3)", Spec{}, "too large"},
		{"y ~ x:g", Spec{Contrasts: map[string]string{"h": "sum"}}, `column "h": contrasts are given for it, but no term of the model has such a factor` + "\nhint: did you mean \"g\"? the factors are g"},
		{"y ~ x:g", Spec{Contrasts: map[string]string{"x": "sum"}}, `column "x": contrasts are given for it, but it holds numbers` + "\nhint: write factor(x) in the formula"},
		{"y ~ x:g", Spec{Contrasts: map[string]string{"g": "sums"}}, `there is no coding "sums" of a factor` + "\nhint: did you mean \"sum\"?"},
		{"y ~ x", Spec{Levels: map[string][]string{"x": {"1"}}}, "write factor(x) in the formula"},
		{"y ~ factor(x)", Spec{Levels: map[string][]string{"x": {"9"}}}, `column "x": the reference level "9" does not occur` + "\nhint: its values are 0, 1, 2, 3, 4, 5"},
		{"y ~ log(z)", Spec{}, "character 9: there is no column \"z\""},
		{"y ~ x*ns(xx, 3)", Spec{}, "character 10: there is no column \"xx\"\nhint: did you mean \"x\"?"},
	} {
		spec := c.spec
		spec.Formula, spec.Family, spec.Dataset = mustParse(t, c.formula), familyNamed("gaussian"), "d"
		_, err := Build(table, spec)
		var inColumn *ColumnError
		var inFormula *FormulaError
		if !says(err, c.want) || !errors.As(err, &inColumn) && !errors.As(err, &inFormula) {
			t.Errorf("%s: %v, want %q", c.formula, err, c.want)
		}
	}
}

// Arithmetic on small numbers is exact, and settings are not columns: T is the column of that name in log(T), and
// TRUE in scale(x, T).
func TestExpressionValues(t *testing.T) {
	table := makeTable(t, 4, mixedColumns...)
	for formula, want := range map[string][]float64{
		"y ~ I(x^2 - 3 * x + 1) - 1":              {1, -1, -1, 1, 5, 11},
		"y ~ I(-x^2/2) - 1":                       {0, -0.5, -2, -4.5, -8, -12.5},
		"y ~ I((x + 1)^2 - (x - 1)**2) - 1":       {0, 4, 8, 12, 16, 20},
		"y ~ I(2^x) - 1":                          {1, 2, 4, 8, 16, 32},
		"y ~ I(2^2^x/x^0 - -1) - 1":               {3, 5, 17, 257, 65537, 4294967297},
		"y ~ I(flag * x) - 1":                     {0, 0, 2, 3, 0, 0},
		"y ~ abs(neg) - 1":                        {1, 2, 3, 4, 5, 6},
		"y ~ I(T) - 1":                            {3, 1, 4, 1, 5, 9},
		"y ~ scale(x, center = 1, scale = 2) - 1": {-0.5, 0, 0.5, 1, 1.5, 2},
		"y ~ scale(T, F, F) - 1":                  {3, 1, 4, 1, 5, 9},
		"y ~ scale(scale = FALSE, x) - 1":         {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5},
		"y ~ x:I(x - 1) - 1":                      {0, 0, 2, 6, 12, 20},
		"y ~ T - 1":                               {3, 1, 4, 1, 5, 9},
	} {
		d := mustBuild(t, table, formula, Spec{InterceptAt: "zero"})
		if d.Data.Cols() != 1 || !slices.Equal(d.Data.X.Col(0), want) {
			t.Errorf("%s: %v, want %v", formula, cells(d.Data.X), want)
		}
	}
}

// A dummy's zero makes a plain zero of a negative number: sums and hashes of
// columns then have one spelling of it.
func TestProductsHaveNoNegativeZero(t *testing.T) {
	d := mustBuild(t, makeTable(t, 4, mixedColumns...), "y ~ neg:g", Spec{InterceptAt: "zero"})
	for i, v := range cells(d.Data.X) {
		if v == 0 && math.Signbit(v) {
			t.Errorf("value %d is -0", i)
		}
	}
}

// Functions of the response are computed before its family's domain is checked,
// and scale() of a response is stored.
func TestResponseFunctions(t *testing.T) {
	table := makeTable(t, 4, mixedColumns...)
	d := mustBuild(t, table, "scale(I(y * 2), scale = 2) ~ x", Spec{})
	if want := []float64{-2.5, -1.5, 0.5, -0.5, 1.5, 2.5}; !slices.Equal(d.Data.Y, want) || d.Record.Response.Scales[0] != (Scaling{Centre: 7, Scale: 2}) {
		t.Errorf("response %v, record %+v", d.Data.Y, d.Record.Response)
	}
	spec := Spec{Formula: mustParse(t, "I(y/2) ~ x"), Family: familyNamed("poisson"), Dataset: "d"}
	if _, err := Build(table, spec); !says(err, `column "y", row 1: 0.5 is not allowed`) {
		t.Errorf("counts of a half: %v", err)
	}
	spec = Spec{Formula: mustParse(t, "cbind(x, y - 3) ~ 1"), Family: familyNamed("binomial"), Dataset: "d"}
	if _, err := Build(table, spec); !says(err, `column "x", row 1`) {
		t.Errorf("failures below 0: %v", err)
	}
}

// Numbers that differ beyond R's 15 digits are one level, as in R.
func TestFactorOfNumbers(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3, 5, 4}}, col{name: "x", values: []float64{0.30000000000000004, 0.3, 10, -2, 10}})
	d := mustBuild(t, table, "y ~ factor(x)", Spec{InterceptAt: "zero"})
	if !slices.Equal(d.Data.Names, []string{"(Intercept)", "factor(x)0.3", "factor(x)10"}) || !slices.Equal(d.Data.X.Col(1), []float64{1, 1, 0, 0, 0}) {
		t.Errorf("%q, %v", d.Data.Names, cells(d.Data.X))
	}
	forced := mustBuild(t, table, "y ~ factor(x)", Spec{Levels: map[string][]string{"x": {"10"}}, Contrasts: map[string]string{"x": "helmert"}})
	if !slices.Equal(forced.Record.Variables[0].Levels, []string{"10", "-2", "0.3"}) || !slices.Equal(forced.Data.Names, []string{"(Intercept)", "factor(x)1", "factor(x)2"}) {
		t.Errorf("%q, %q", forced.Record.Variables[0].Levels, forced.Data.Names)
	}
}
