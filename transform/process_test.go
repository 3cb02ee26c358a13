package transform

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer/design"
)

// The columns of gp() are those of brms 2.18, make_standata(y ~ gp(x, k = 3, c = 5/4)) and of the logarithms with
// scale = FALSE.
func TestProcessLikeBrms(t *testing.T) {
	x := []float64{3, 4.5, 5, 6, 7, 8, 8.5, 9}
	table := makeTable(t, 0, col{name: "x", values: x}, col{name: "y", values: []float64{1, 2, 3, 4, 5, 6, 7, 8}})
	for formula, want := range map[string][][]float64{
		"y ~ gp(x, k = 3, c = 5/4)": {
			{0.6801278, 0.8263430, 0.8575944, 0.8916700, 0.8867752, 0.8431242, 0.8072968, 0.7626245},
			{0.8834153, 0.6324555, 0.4871400, 0.1399192, -0.2314948, -0.5628813, -0.6951005, -0.7969405},
			{0.46733692, -0.34228247, -0.58088399, -0.86971410, -0.82634298, -0.46733692, -0.20879988, 0.07017595}},
		"y ~ gp(log(x), k = 3, scale = FALSE)": {
			{0.5960633, 0.8062676, 0.8340230, 0.8533321, 0.8407959, 0.8088268, 0.7880354, 0.7649614},
			{0.8530918, 0.5281756, 0.3529182, 0.0079193, -0.2872855, -0.5156451, -0.6046908, -0.6780369},
			{0.6248903, -0.4602665, -0.6846851, -0.8532586, -0.7426355, -0.4800916, -0.3240321, -0.1639716}},
	} {
		out := mustBuild(t, table, formula, Spec{})
		s := out.Data.Smooths[0]
		for j, column := range want {
			for i, v := range column {
				if got := out.Data.X.(*design.Dense).Col(s.First + j)[i]; math.Abs(got-v) > 6e-8 {
					t.Errorf("%s: function %d at %v is %v, want %v", formula, j+1, x[i], got, v)
				}
			}
		}
		if half := 1.25 * max(1, s.Distances[1]); s.Last-s.First != 3 || math.Abs(s.Frequencies[1]-2*math.Pi/(2*half)) > 1e-12 {
			t.Errorf("%s: frequencies %v", formula, s.Frequencies)
		}
	}
}

// Further arguments of brms's gp() are refused, each by its name.
func TestProcessesAreRefused(t *testing.T) {
	for call, want := range map[string]string{
		"gp(x, z)":                "gp() is a process along one number",
		"gp(x, k = 2)":            "k of gp() is a whole number from 3 to 200",
		"gp(x, c = 0.5)":          "c of gp() is a number from 1 to 100",
		`gp(x, cov = "matern32")`: `the covariance "matern32" of gp() is not supported`,
		"gp(x, iso = FALSE)":      "iso of gp() is not supported",
		"gp(x, gr = FALSE)":       "gr of gp() is not supported",
		"gp(x, scale = 2)":        "scale of gp() is TRUE or FALSE",
		"gp(x):z":                 "cannot be crossed with other terms",
		"gp(x, k = 20) + gp(x)":   "are curves of the same numbers",
		"(1 + gp(x) | g)":         "cannot be crossed with other terms",
		"z - gp(x)":               "cannot be subtracted",
		"gp(x, by = f, by = z)":   "is given by twice",
		"gp()":                    "gp() takes an argument",
	} {
		_, err := ParseFormula("y ~ " + call)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// New rows beyond the range of the data are counted, and the functions are 0 beyond their interval.
func TestProcessBeyondTheData(t *testing.T) {
	table := makeTable(t, 0, col{name: "x", values: []float64{0, 1, 2, 4}}, col{name: "y", values: []float64{1, 2, 3, 4}})
	fitted := mustBuild(t, table, "y ~ gp(x, k = 3)", Spec{})
	rows := makeTable(t, 0, col{name: "x", values: []float64{2, 5, 1e9}})
	out, err := fitted.Record.Code(rows, Coding{})
	must(t, err)
	if !strings.Contains(strings.Join(out.Warnings, " "), "2 of 3 rows lie beyond the range of the data") {
		t.Errorf("warnings %q", out.Warnings)
	}
	for j := 1; j < 4; j++ {
		if far := out.Data.X.(*design.Dense).Col(j)[2]; math.Abs(far) > 1e-12 {
			t.Errorf("function %d is %v far from the data", j, far)
		}
	}
}
