package discrete

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"testing"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
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

func field(t testing.TB, d *Data, m *spec.Model) *Field {
	t.Helper()
	f, err := NewField(t.Context(), d, m)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// graph is a ring of n variables with weights 1, 2, 3, … and columns of numbers.
func graph(n int) *Data {
	d := &Data{Name: "ring", N: n}
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

// setups are set-ups of all kinds over a grid of q states, that count in growing windows.
func setups(t testing.TB, q int, p Plan) map[string]*Setup {
	f := field(t, FromGrid("g", &spec.Grid{Rows: 3, Columns: 4}, 0), model(q, func(m *spec.Model) { *m.Coupling = 0.2; m.Watch = spec.Names{"1,1", "3,4"} }))
	gibbs, err := mrf.NewGibbs(f.Model, mrf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	herd, err := herded.New(f.Model, herded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Setup{}
	for name, inner := range map[string]infer.Setup{"gibbs": gibbs, "herded": herd} {
		if out[name], err = f.NewSetup(inner, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func kernels(t testing.TB, s infer.Setup, n int) []infer.Kernel {
	out := make([]infer.Kernel, n)
	for c := range out {
		k, err := s.Kernel(infer.Chain{Index: c, Count: n, Stream: infer.NewStream(5, strconv.Itoa(c))})
		if err != nil {
			t.Fatal(err)
		}
		out[c] = k
	}
	return out
}

// What chains tell of every window that a growing run may end with is what counting
// all states of plain chains with the same streams tells; errors are those of batch means,
// written out; rows are functionals of the state.
func TestCollectCountsTheWindow(t *testing.T) {
	plan := NewPlan(20, []int{40, 80, 160})
	if fmt.Sprint(plan.Segments) != "[20 40 80]" || plan.Batch != 4 {
		t.Fatalf("the plan is %v", plan)
	}
	for _, q := range []int{2, 3} {
		for name, s := range setups(t, q, plan) {
			wrapped, plain := kernels(t, s, 3), kernels(t, s.inner, 3)
			var seen [3][160][]uint8
			for c := range wrapped {
				for i := range 160 {
					info, err := wrapped[c].Step()
					before := bytes.Clone(plain[c].(mrf.Sampler).State())
					want, _ := plain[c].Step()
					x := plain[c].(mrf.Sampler).State()
					seen[c][i] = bytes.Clone(x)
					changed := 0.0
					for j := range x {
						if x[j] != before[j] {
							changed++
						}
					}
					if err != nil || info.LogLik != want.LogLik || info.Accept != changed/float64(len(x)) {
						t.Fatalf("%s: sweep %d: %+v, want %+v and %v changed", name, i, info, want, changed)
					}
					checkRow(t, s, wrapped[c], x)
				}
			}
			for _, w := range [][2]int{{20, 40}, {20, 80}, {40, 80}, {20, 160}, {80, 160}} {
				got := s.Collect(wrapped, w[0], w[1], true, true)
				for i := range s.N {
					for a := range q {
						if p, mcse := counted(&seen, w, i, uint8(a)); math.Abs(p-got.Marginals.At(i)[a]) > 1e-15 {
							t.Fatalf("%s: window %v: P(x%d = %d) is %v, counted %v", name, w, i, a, got.Marginals.At(i)[a], p)
						} else if g := got.MCSE[i*q+a]; !(math.Abs(g-mcse) < 1e-12) && (a > 0 || q == 2) {
							t.Fatalf("%s: window %v: error of P(x%d = %d) is %v, by batches %v", name, w, i, a, g, mcse)
						}
					}
				}
				if u := mrf.LogDensity(s.Model, got.Best); math.Abs(u-got.BestU) > 1e-9 {
					t.Errorf("%s: the best state has %v, told %v", name, u, got.BestU)
				}
			}
		}
	}
}

// checkRow compares a chain's row with functionals by their definition.
func checkRow(t *testing.T, s *Setup, k infer.Kernel, x []uint8) {
	t.Helper()
	row := make([]float64, len(s.Parameters()))
	k.Position(row)
	var want []float64
	for a := 1; a < s.States; a++ {
		want = append(want, float64(bytes.Count(x, []byte{byte(a)}))/12)
	}
	equal := 0.0
	for _, e := range mrf.Grid(3, 4, 1) {
		if x[e.I] == x[e.J] {
			equal++
		}
	}
	want = append(want, equal/17, float64(x[0]), float64(x[11]))
	if fmt.Sprint(row) != fmt.Sprint(want) {
		t.Fatalf("row %v of state %v, want %v", row, x, want)
	}
}

// counted is a share of a state over a window of all chains, and its error by means of
// batches of 4 sweeps.
func counted(seen *[3][160][]uint8, w [2]int, i int, a uint8) (p, mcse float64) {
	var means []float64
	for c := range seen {
		for from := w[0]; from < w[1]; from += 4 {
			n := 0.0
			for _, x := range seen[c][from : from+4] {
				if x[i] == a {
					n++
				}
			}
			means = append(means, n/4)
		}
	}
	for _, m := range means {
		p += m / float64(len(means))
	}
	sum := 0.0
	for _, m := range means {
		sum += (m - p) * (m - p)
	}
	n := float64(len(means))
	return p, math.Sqrt(sum / (n - 1) / n)
}

// A chain that was saved and restored at any sweep goes on with the same bits and
// counts; a state that is cut short changes nothing and is an error.
func TestChainResumes(t *testing.T) {
	for _, q := range []int{2, 3} {
		plan := NewPlan(3, []int{9, 18, 36})
		plan.Conditionals = q == 3
		for name, s := range setups(t, q, plan) {
			k := kernels(t, s, 1)[0]
			for i := range 40 {
				state, err := k.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				fresh := kernels(t, s, 1)[0]
				for _, cut := range []int{0, 1, 16, 17, len(state) / 2, len(state) - 1} {
					if fresh.UnmarshalBinary(state[:cut]) == nil {
						t.Fatalf("%s: %d of %d bytes are taken for a state", name, cut, len(state))
					}
				}
				if err := fresh.UnmarshalBinary(state); err != nil {
					t.Fatalf("%s: sweep %d: %v", name, i, err)
				}
				k = fresh
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
			}
			whole := kernels(t, s, 1)[0]
			for range 40 {
				_, _ = whole.Step()
			}
			a, _ := k.MarshalBinary()
			b, _ := whole.MarshalBinary()
			if !bytes.Equal(a, b) {
				t.Errorf("%s of %d states: another state after 40 restores", name, q)
			}
		}
	}
}

// The three exact ways agree on a chain; expectations by enumeration are those of the
// marginals where these tell them, and the best state is Viterbi's.
func TestExactWaysAgree(t *testing.T) {
	s := &spec.Sequences{Length: 6, States: 3, UnarySD: 1, PairSD: 1, Seed: 3}
	d, err := FromSequences(t.Context(), "s", s, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := field(t, d, model(3, nil))
	all, way, err := f.Exact()
	if err != nil || way != "enumeration of all states" {
		t.Fatal(way, err)
	}
	chain, err := mrf.ForwardBackward(f.Model)
	if err != nil {
		t.Fatal(err)
	}
	best, err := f.Viterbi()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(best.Best, all.Best) || math.Abs(all.LogZ-chain.LogZ) > 1e-12 || math.Abs(best.BestU-all.BestU) > 1e-12 {
		t.Errorf("best %v and %v, log Z %v and %v", all.Best, best.Best, all.LogZ, chain.LogZ)
	}
	told := f.means(chain.Marginals, "")
	for k, p := range f.Parameters() {
		if m := told[k].Mean; !math.IsNaN(m) && math.Abs(m-all.Means[k].Mean) > 1e-12 {
			t.Errorf("%s: %v by marginals, %v by enumeration", p.Name, m, all.Means[k].Mean)
		}
	}
	if math.IsNaN(told[0].Mean) || !math.IsNaN(told[2].Mean) {
		t.Errorf("marginals tell %v", told)
	}
}

// The hash of a system tells any two apart that differ in an edge, in a table's name or
// in one of its values.
func TestHashTellsTablesApart(t *testing.T) {
	of := func(name string, value, weight float64) string {
		return (&Field{spec: new(spec.Model), Data: &Data{N: 2, edges: []edge{{i: 0, j: 1, weight: weight}},
			tables: []table{{name, []entry{{a: "0", b: "1", value: value}}}}}}).hash()
	}
	seen := map[string]bool{}
	for _, h := range []string{of("1", 1, 1), of("1", 2, 1), of("1", 1, 2), of("2", 1, 1)} {
		if seen[h] {
			t.Error("two systems have one hash")
		}
		seen[h] = true
	}
}
