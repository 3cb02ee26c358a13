package transform

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/design"
)

// The columns of gp() are those of brms 2.18, make_standata(y ~ gp(x, k = 3, c = 5/4)), of the logarithms with
// scale = FALSE, and of two numbers. A point counts once.
func TestProcessLikeBrms(t *testing.T) {
	x := []float64{3, 4.5, 5, 6, 7, 8, 8.5, 9, 3}
	table := makeTable(t, 0, col{name: "x", values: x}, col{name: "y", values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		col{name: "z", values: []float64{1, 2, 0.5, 3, 4, 2.5, 1, 2, 1}})
	for formula, want := range map[string][][]float64{
		"y ~ gp(x, k = 3, c = 5/4)": {
			{0.6801278, 0.8263430, 0.8575944, 0.8916700, 0.8867752, 0.8431242, 0.8072968, 0.7626245},
			{0.8834153, 0.6324555, 0.4871400, 0.1399192, -0.2314948, -0.5628813, -0.6951005, -0.7969405},
			{0.46733692, -0.34228247, -0.58088399, -0.86971410, -0.82634298, -0.46733692, -0.20879988, 0.07017595}},
		"y ~ gp(log(x), k = 3, scale = FALSE)": {
			{0.5960633, 0.8062676, 0.8340230, 0.8533321, 0.8407959, 0.8088268, 0.7880354, 0.7649614},
			{0.8530918, 0.5281756, 0.3529182, 0.0079193, -0.2872855, -0.5156451, -0.6046908, -0.6780369},
			{0.6248903, -0.4602665, -0.6846851, -0.8532586, -0.7426355, -0.4800916, -0.3240321, -0.1639716}},
		"y ~ gp(x, z, k = 3, c = 5/4)": {
			{0.60025244, 0.74072884, 0.73136219}, {0.77085003, 0.55960822, 0.40993767}, {0.389680674, -0.317954209, -0.501586998},
			{0.24625173, 0, 0.44605622}, {0.31623887, 0, 0.25002010}, {0.15986531, 0, -0.30591682},
			{-0.49922842, -0.74072884, -0.45931347}, {-0.641114001, -0.559608221, -0.257450953},
			{-0.324096420, 0.317954209, 0.315008991}},
		"y ~ gp(x, z, k = 3, c = 5/4, iso = TRUE, scale = FALSE)": {
			{0.099171903, 0.123183938, 0.121585568}, {0.128813997, 0.094280904, 0.069064334},
			{0.068144096, -0.051024458, -0.082354906}, {0.041237996, 0, 0.075144013}, {0.053563872, 0, 0.042684106},
			{0.028335908, 0, -0.050898131}, {-0.082024180, -0.123183938, -0.075144013},
			{-0.106540887, -0.094280904, -0.042684106}, {-0.056361362, 0.051024458, 0.050898131}},
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
		if half := 1.25 * max(1, s.Distances[1]); s.Numbers == 1 && math.Abs(s.Frequencies[1]-2*math.Pi/(2*half)) > 1e-12 ||
			s.Last-s.First != len(want) || s.Numbers != len(want)/3-len(want)/9 {
			t.Errorf("%s: %d numbers, frequencies %v", formula, s.Numbers, s.Frequencies)
		}
		if of := s.Frequencies; s.Numbers == 2 && (math.Abs(of[5]-math.Hypot(3*of[0], 2*of[0])/math.Sqrt2) > 1e-12) {
			t.Errorf("%s: frequencies %v", formula, of)
		}
	}
}

// The least and the largest distance are those of all pairs of points.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		coordinates, n := make([][]float64, 1+i%3), 2+r.IntN(40)
		for c := range coordinates {
			for range n {
				coordinates[c] = append(coordinates[c], math.Floor(r.Float64()*[]float64{8, 1e6}[i%2])/4)
			}
		}
		points := distinctPoints(coordinates)
		low, high := math.Inf(1), 0.0
		for a := range points {
			for b := range a {
				low, high = min(low, distance(points[a], points[b])), max(high, distance(points[a], points[b]))
			}
		}
		if near, far := distances(points); len(points) > 1 && (near != low || far != high) {
			t.Fatalf("%v: distances %v and %v, want %v and %v", coordinates, near, far, low, high)
		}
	}
}

// A surface at new rows has the columns that these rows had in the data, also in the record of some groupings.
func TestSurfaceAtNewRows(t *testing.T) {
	columns := []col{{name: "x", values: []float64{0, 1, 2, 4, 3}}, {name: "z", values: []float64{5, 1, 4, 2, 2}},
		{name: "f", values: []string{"a", "b", "a", "b", "a"}}, {name: "y", values: []float64{1, 2, 3, 4, 5}}}
	fitted := mustBuild(t, makeTable(t, 0, columns...), "y ~ gp(x, z, k = 3, by = f)", Spec{})
	if len(fitted.Record.Smooths) != 2 || len(fitted.Record.Curves(5)) != 0 {
		t.Fatalf("smooths %+v", fitted.Record.Smooths)
	}
	wave := fitted.Record.Waves()[0]
	for length, want := range map[float64]bool{wave.Shortest() * 3 / 20: true, wave.Shortest() * 3 / 20.5: false} {
		if k, can := wave.Enough(length); can != want {
			t.Errorf("a length of %v needs %d functions of each number: %v, want %v", length, k, can, want)
		}
	}
	rows := makeTable(t, 0, columns[:3]...)
	for _, record := range []*Record{fitted.Record, fitted.Record.Among(func(string) bool { return true })} {
		must(t, record.checkSmooths())
		out, err := record.Code(rows, Coding{})
		must(t, err)
		for j := range 18 {
			got, want := out.Data.X.(*design.Dense).Col(1+j), fitted.Data.X.(*design.Dense).Col(1+j)
			if !slices.Equal(got, want) {
				t.Errorf("column %d is %v at new rows, %v of the data", j, got, want)
			}
		}
	}
}

// Further arguments of brms's gp() are refused, each by its name.
func TestProcessesAreRefused(t *testing.T) {
	for call, want := range map[string]string{
		"gp(x, z, u, v)":           "gp() takes at most 3 numbers",
		"gp(x, z, k = 21)":         "k = 21 is too large for gp() of 2 numbers",
		"gp(x, z) + gp(x, z, k=3)": "are curves of the same numbers",
		"gp(x, f(z))":              `there is no function "f"`,
		"gp(x, k = 2)":             "k of gp() is a whole number from 3 to 200",
		"gp(x, c = 0.5)":           "c of gp() is a number from 1 to 100",
		`gp(x, cov = "matern32")`:  `the covariance "matern32" of gp() is not supported`,
		"gp(x, iso = FALSE)":       "iso of gp() is not supported",
		"gp(x, gr = FALSE)":        "gr of gp() is not supported",
		"gp(x, scale = 2)":         "scale of gp() is TRUE or FALSE",
		"gp(x):z":                  "cannot be crossed with other terms",
		"gp(x, k = 20) + gp(x)":    "are curves of the same numbers",
		"(1 + gp(x) | g)":          "cannot be crossed with other terms",
		"z - gp(x)":                "cannot be subtracted",
		"gp(x, by = f, by = z)":    "is given by twice",
		"gp()":                     "gp() takes an argument",
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
