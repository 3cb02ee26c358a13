package transform

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Each column that a formula reads is given back once, and not before it was read for the last time: the design
// does not change where its numbers are spoilt at that moment. A planted fault, the first term instead of the last,
// spoils x:z and log(x).
func TestDone(t *testing.T) {
	const rows = 240
	numbers := func(step float64) []float64 {
		out := make([]float64, rows)
		for i := range out {
			out[i] = 1 + math.Mod(float64(i)*step, 7)
		}
		return out
	}
	texts := func(labels ...string) []string {
		out := make([]string, rows)
		for i := range out {
			out[i] = labels[i%len(labels)]
		}
		return out
	}
	ones := slices.Repeat([]int64{1, 2, 3}, rows/3)
	columns := func() []col {
		return []col{{name: "y", values: numbers(1.7)}, {name: "x", values: numbers(2.3)}, {name: "z", values: numbers(3.1)},
			{name: "e", values: numbers(0.3)}, {name: "w", values: ones}, {name: "g", values: texts("a", "b", "c")},
			{name: "one", values: texts("only")}, {name: "unused", values: numbers(5)}}
	}
	for formula, want := range map[string][]string{
		"y ~ x + z":                                      {"x", "y", "z"},
		"y ~ x + x:z + log(x) + g + offset(e)":           {"e", "g", "w", "x", "y", "z"},
		"log(y) ~ g * x + ns(z, 3) + one":                {"g", "one", "w", "x", "y", "z"},
		"y ~ I(x > 3) + offset(log(x)) + z":              {"w", "x", "y", "z"},
		"y ~ x + (log(e) + x | g) + (z | w)":             {"e", "g", "w", "x", "y", "z"},
		"y | se(e) ~ z + (0 + g | cut(x, c(0, 3, 9)):w)": {"e", "g", "w", "x", "y", "z"},
	} {
		f, frequency := mustParse(t, formula), ""
		if slices.Contains(want, "w") && !strings.Contains(formula, "|") {
			frequency = "w"
		}
		spec := Spec{Dataset: "d", Formula: f.Weighted(frequency, ""), Family: familyNamed("gaussian"),
			Standardize: "center_scale"}
		plain, err := Build(makeTable(t, 50, columns()...), spec)
		must(t, err)
		table, told := makeTable(t, 50, columns()...), map[string]int{}
		spec.Done = func(name string) {
			told[name]++
			spoil(table.Column(table.Schema().FieldIndices(name)[0]).Data())
		}
		got, err := Build(table, spec)
		must(t, err)
		if names := slices.Sorted(maps.Keys(told)); !slices.Equal(names, want) || slices.Max(slices.Collect(maps.Values(told))) > 1 {
			t.Errorf("%s: given back %v, want %v once each", formula, told, want)
		}
		if !reflect.DeepEqual(got, plain) {
			t.Errorf("%s: the design reads columns that were given back", formula)
		}
	}
}

// spoil overwrites the numbers of a column.
func spoil(data *arrow.Chunked) {
	for _, chunk := range data.Chunks() {
		switch a := chunk.(type) {
		case *array.Float64:
			for i := range a.Float64Values() {
				a.Float64Values()[i] = -1e9
			}
		case *array.Int64:
			for i := range a.Int64Values() {
				a.Int64Values()[i] = -1e9
			}
		}
	}
}
