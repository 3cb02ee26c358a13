package transform

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/glm"
)

// Columns of mo() are steps from each level to the next one, the last columns of the design and on the scale of the
// data; a crossing has those of each of its other columns.
func TestMonotone(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3, 4, 5, 6}},
		col{name: "x", values: []float64{3, 1, 4, 1, 3, 4}}, col{name: "z", values: []float64{2, 4, 6, 8, 1, 3}},
		col{name: "f", values: []string{"a", "b", "c", "a", "b", "c"}},
		col{name: "g", values: []string{"low", "mid", "high", "low", "mid", "high"}})
	for formula, want := range map[string]string{
		"y ~ mo(x) + z":           "(Intercept) z mo(x)[1] mo(x)[2] mo(x)[3]: mo(x) simo_x",
		"y ~ mo(x) * z":           "(Intercept) z mo(x)[1] mo(x)[2] mo(x)[3] mo(x)[1]:z mo(x)[2]:z mo(x)[3]:z: mo(x) simo_x mo(x):z simo_x:z",
		"y ~ f:mo(g)":             "(Intercept) fa:mo(g)[1] fa:mo(g)[2] fb:mo(g)[1] fb:mo(g)[2] fc:mo(g)[1] fc:mo(g)[2]: fa:mo(g) simo_fa:g fb:mo(g) simo_fb:g fc:mo(g) simo_fc:g",
		"y ~ s(z, k = 3) + mo(g)": "(Intercept) bs_sz_1 s_sz_1[1] mo(g)[1] mo(g)[2]: mo(g) simo_g",
	} {
		spec := Spec{Standardize: "center_scale"}
		if strings.Contains(formula, "g") {
			spec.Levels = map[string][]string{"g": {"low", "mid", "high"}}
		}
		d := mustBuild(t, table, formula, spec)
		got := strings.Join(d.Data.Names, " ") + ":"
		for _, m := range d.Data.Monotone {
			got += " " + m.Name + " " + m.Simplex
		}
		if got != want {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
	d := mustBuild(t, table, "y ~ mo(x) * z", Spec{Standardize: "center_scale"})
	for name, want := range map[string][]float64{"mo(x)[1]": {1, 0, 1, 0, 1, 1}, "mo(x)[2]": {1, 0, 1, 0, 1, 1},
		"mo(x)[3]": {0, 0, 1, 0, 0, 1}, "mo(x)[3]:z": {0, 0, 6, 0, 0, 3}} {
		if got := d.Data.X.Col(slices.Index(d.Data.Names, name)); !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	again, err := d.Record.Code(makeTable(t, 0, col{name: "x", values: []float64{2, 4}},
		col{name: "z", values: []float64{1, 5}}), Coding{})
	must(t, err)
	if got := again.Data.X.Col(5); !slices.Equal(got, []float64{1, 5}) {
		t.Errorf("mo(x)[1]:z of new data is %v", got)
	}
}

func TestMonotoneFaults(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 2, 3}}, col{name: "x", values: []float64{1, 2, 2.5}},
		col{name: "n", values: []float64{0, 3, 300}}, col{name: "g", values: []string{"a", "b", "a"}},
		col{name: "k", values: []float64{0, 3, 1}},
		col{name: "one", values: []float64{2, 2, 2}})
	for formula, want := range map[string]string{
		"y ~ mo(x)":                 "takes whole numbers, and it has 2.5",
		"y ~ mo(n)":                 "at most 100 steps",
		"y ~ mo(one)":               "it has 1 levels",
		"y ~ mo(g):mo(k)":           "not crossed with each other",
		"y ~ (mo(g) | g)":           "not supported in group-level terms",
		"y ~ mo(g, id = 1)":         "id of mo() is not supported",
		"y ~ mo(log(n))":            "takes one column",
		"y ~ s(n, by = mo(g))":      "not supported as by of s()",
		"y ~ relevel(mo(g), ref=1)": "takes a column",
		"y ~ offset(mo(n))":         "mo",
	} {
		f, err := ParseFormula(formula)
		if err == nil {
			_, err = Build(table, Spec{Formula: f, Family: glm.Family{Name: "gaussian", Link: "identity"}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", formula, err, want)
		}
	}
}
