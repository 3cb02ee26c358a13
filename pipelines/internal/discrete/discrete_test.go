package discrete

import (
	"math"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/pipelines/internal/spec"
)

// model is a model of kind mrf as a spec has it, defaults filled in.
func model(states int, change func(*spec.Model)) *spec.Model {
	one := 1.0
	m := &spec.Model{Name: "m", Kind: spec.MRF, States: states, Interaction: "potts", Coupling: &one}
	if states == 2 {
		m.Interaction = "ising"
	}
	if change != nil {
		change(m)
	}
	return m
}

func field(t testing.TB, d *Data, m *spec.Model) *system.Field {
	t.Helper()
	f, err := NewField(t.Context(), d, m)
	must(t, err)
	return f
}

// graph is a ring of n variables with weights 1, 2, 3, … and columns of numbers.
func graph(n int) *Data {
	d := &Data{Variables: system.Variables{Name: "ring", N: n}}
	for i := range n {
		d.edges = append(d.edges, edge{int32(i), int32((i + 1) % n), 0, float64(i + 1)})
	}
	for k, name := range []string{"h", "a", "b", "c", observationColumn} {
		c := column{name: name, numbers: make([]float64, n)}
		for i := range c.numbers {
			c.numbers[i] = math.Sin(float64(7*k+3*i+1)) * 2
		}
		d.columns = append(d.columns, c)
	}
	return d
}

// The log density of a field is what its model says, up to a constant, at every state:
// spin products or equal states times weights, fields, potentials, tables, and normal
// densities of observations.
func TestLogDensityIsTheModels(t *testing.T) {
	const n = 4
	ising := func(a, b uint8) float64 { return float64((2*int(a) - 1) * (2*int(b) - 1)) }
	same := func(a, b uint8) float64 {
		if a == b {
			return 1
		}
		return 0
	}
	tables := func(d *Data) *Data {
		d.tables = []table{{name: "t", entries: []entry{{"0", "1", 0.7, ""}, {"1", "0", -0.4, ""}}}}
		return d
	}
	given := func(a, b uint8) float64 { return map[[2]uint8]float64{{0, 1}: 0.7, {1, 0}: -0.4}[[2]uint8{a, b}] }
	normal := func(y, mu, sd float64) float64 { return -(y - mu) * (y - mu) / (2 * sd * sd) }
	cases := map[string]struct {
		d        *Data
		m        *spec.Model
		coupling float64
		pair     func(a, b uint8) float64
		single   func(d *Data, i int, a uint8) float64
	}{
		"ising": {graph(n), model(2, func(m *spec.Model) { *m.Coupling = 0.3; m.Field = "h" }), 0.3, ising,
			func(d *Data, i int, a uint8) float64 { return d.column("h").numbers[i] * float64(2*int(a)-1) }},
		"potts": {graph(n), model(3, func(m *spec.Model) { *m.Coupling = -0.5; m.Fields = spec.Names{"a", "b", "c"} }), -0.5, same,
			func(d *Data, i int, a uint8) float64 { return d.column(string("abc"[a])).numbers[i] }},
		"field of potts": {graph(n), model(3, func(m *spec.Model) { m.Field = "0.25" }), 1, same,
			func(_ *Data, _ int, a uint8) float64 { return 0.25 * same(a, 2) }},
		"noise of ising": {graph(n), model(2, func(m *spec.Model) { m.Noise = spec.Noise{SD: 1.5} }), 1, ising,
			func(d *Data, i int, a uint8) float64 {
				return normal(d.column(observationColumn).numbers[i], float64(2*int(a)-1), 1.5)
			}},
		"noise of potts": {graph(n), model(3, func(m *spec.Model) { m.Noise = spec.Noise{SD: 0.7, Means: []float64{-2, 0, 5}} }), 1, same,
			func(d *Data, i int, a uint8) float64 {
				return normal(d.column(observationColumn).numbers[i], []float64{-2, 0, 5}[a], 0.7)
			}},
		"tables": {tables(graph(n)), model(2, nil), 1, given, func(*Data, int, uint8) float64 { return 0 }},
	}
	for name, c := range cases {
		f := field(t, c.d, c.m)
		x, first := make([]uint8, n), math.NaN()
		for range pow(c.m.States, n) {
			want := 0.0
			for _, e := range c.d.edges {
				want += c.coupling * e.weight * c.pair(x[e.i], x[e.j])
			}
			for i, a := range x {
				want += c.single(c.d, i, a)
			}
			diff := mrf.LogDensity(f.Model, x) - want
			if math.IsNaN(first) {
				first = diff
			}
			if math.Abs(diff-first) > 1e-12 {
				t.Fatalf("%s: at %v the log density is %v beyond the model's", name, x, diff-first)
			}
			mrf.Next(f.Model, x)
		}
	}
}

func pow(q, n int) int {
	out := 1
	for range n {
		out *= q
	}
	return out
}

// The hash of a system distinguishes any two that differ in an edge, in a table's name or in one of its values.
func TestHashTellsTablesApart(t *testing.T) {
	of := func(name string, value, weight float64) string {
		d := &Data{Variables: system.Variables{N: 2}, edges: []edge{{i: 0, j: 1, weight: weight}},
			tables: []table{{name, []entry{{a: "0", b: "1", value: value}}}}}
		return (&maker{spec: new(spec.Model), data: d, Field: &system.Field{Variables: &d.Variables}}).hash()
	}
	seen := map[string]bool{}
	for _, h := range []string{of("1", 1, 1), of("1", 2, 1), of("1", 1, 2), of("2", 1, 1)} {
		if seen[h] {
			t.Error("two systems have one hash")
		}
		seen[h] = true
	}
}
