package transform

import (
	"slices"
	"testing"
)

// A fault of a factor made in the formula is reported with its position, when the model is fitted and in new data.
func TestCategoryFaults(t *testing.T) {
	table := makeTable(t, 4, mixedColumns...)
	for formula, want := range map[string]string{
		`y ~ relevel(g, ref = "d")`:      `column "g": the reference level "d" of relevel(g, ref = "d") does not occur`,
		`y ~ relevel(x, ref = "1")`:      `column "x": it holds numbers, and relevel(x, ref = "1") takes a factor` + "\nhint: write relevel(factor(x), …)",
		"y ~ cut(x, c(0, 3, 9))":         `column "x", row 1: 0 lies in no interval of cut(x, c(0, 3, 9)) (character 5 of the formula)` + "\nhint: add breaks",
		"y ~ cut(x, c(0, 5), right = F)": `column "x", row 6: 5 lies in no interval`,
		"y ~ cut(log(x), c(0, 1))":       `column "x", row 1: 0 has no logarithm`,
		"y ~ cut(g, c(0, 1))":            `column "g": its type is utf8`,
		`y ~ I(g == "aa")`:               `column "g": g == "aa" asks for a value that no row has` + "\nhint: did you mean \"a\"? the values are a, b, c",
		`y ~ I(x == "1")`:                `column "x": it is numeric (float64), and x == "1" compares it with text` + "\nhint: leave the quotes out",
		"y ~ I(g > 2)":                   `column "g": its type is utf8`,
		"y ~ log(x, base = 3)":           `column "x", row 1: 0 has no logarithm`,
	} {
		spec := Spec{Formula: mustParse(t, formula), Family: familyNamed("gaussian"), Dataset: "d"}
		if _, err := Build(table, spec); !says(err, want) {
			t.Errorf("%s: %v, want %q", formula, err, want)
		}
	}
	for formula, want := range map[string]string{
		`y ~ relevel(g, ref = "b")`:           `column "g", row 1: "d" is not a level that the model was fitted with` + "\nhint: its levels are b, a, c",
		"y ~ cut(x, c(-1, 2, 3.5, 6, 99))":    `column "x", row 1: "(6,99]" is not a level that the model was fitted with` + "\nhint: its levels are (-1,2], (2,3.5], (3.5,6]",
		"y ~ cut(x, c(-1, 2, 9))":             `column "x", row 1: 50 lies in no interval`,
		`y ~ x + I(g == "a")`:                 "",
		"y ~ I(x > 3) * cut(x, c(-1, 2, 99))": "",
	} {
		d := mustBuild(t, table, formula, Spec{})
		_, err := throughJSON(t, d.Record).Code(makeTable(t, 0, col{name: "x", values: []float64{50}}, col{name: "g", values: []string{"d"}}), Coding{})
		if want == "" && err != nil || want != "" && !says(err, want) {
			t.Errorf("%s: %v, want %q", formula, err, want)
		}
	}
}

// A comparison is a factor with both of its levels, seen or not, and a number
// inside arithmetic.
func TestTruths(t *testing.T) {
	table := makeTable(t, 4, mixedColumns...)
	for formula, want := range map[string][]float64{
		"y ~ I(x > 3)":                       {0, 0, 0, 0, 1, 1},
		"y ~ I(x > 90)":                      {0, 0, 0, 0, 0, 0},
		"y ~ I(!(x > 3 | x < 1))":            {0, 1, 1, 1, 0, 0},
		"y ~ I((x > 3) * x + (x == 1))":      {0, 1, 0, 0, 4, 5},
		`y ~ I("b" == g)`:                    {0, 1, 0, 0, 1, 0},
		`y ~ I(g != "b" & flag)`:             {1, 0, 1, 1, 0, 0},
		"y ~ cut(x, c(-1, 0, 9, 20))":        {0, 1, 1, 1, 1, 1},
		"y ~ log(I(x + 1), base = 2):I(x>2)": {0, 0, 0, 2, 2.321928094887362, 2.584962500721156},
	} {
		d := mustBuild(t, table, formula, Spec{InterceptAt: "zero"})
		if got := d.Data.X.Col(d.Data.Cols() - 1); !slices.Equal(got, want) {
			t.Errorf("%s: %q %v, want %v", formula, d.Data.Names, got, want)
		}
	}
	spec := Spec{Formula: mustParse(t, "I(y > 3) ~ x"), Family: familyNamed("bernoulli")}
	if d, err := Build(table, spec); err != nil || !slices.Equal(d.Data.Y, []float64{0, 0, 1, 0, 1, 1}) {
		t.Errorf("a comparison as response: %v", err)
	}
}
