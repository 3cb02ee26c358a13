package mrf

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"glmbatch/internal/words"
)

// example is a small model with its log density written out from the
// definition.
type example struct {
	name  string
	model Model
	u     func(x []uint8) float64
}

// examples are models of each kind: loops, unequal numbers of states, terms of
// two to four members.
func examples(t testing.TB) []example {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	field := []float64{0.3, -0.4, 0, 0.8, -0.1, 0.2}
	edges := Grid(2, 3, 0)
	for e := range edges {
		edges[e].Weight = r.NormFloat64() / 2
		if e%2 == 1 { // either end may come first
			edges[e].I, edges[e].J = edges[e].J, edges[e].I
		}
	}
	states := []int{2, 3, 4, 3, 2}
	var unary []float64
	for range 14 {
		unary = append(unary, r.NormFloat64())
	}
	tables := []Table{{2, 3, normals(r, 6)}, {3, 4, normals(r, 12)}, {3, 3, normals(r, 9)}, {2, 2, normals(r, 4)}}
	links := []TableEdge{{0, 1, 0}, {1, 2, 1}, {4, 3, 0}, {4, 1, 0}, {3, 1, 2}, {0, 4, 3}}
	terms := []Term{{0.5, []int32{0, 1}}, {-0.7, []int32{3, 1, 2}}, {0.4, []int32{0, 2, 4, 5}}, {0.3, []int32{5, 4}}, {0.2, []int32{4, 5}}}
	return []example{
		{"binary", must(t)(NewBinary(field, edges)), func(x []uint8) float64 {
			u := 0.0
			for i, f := range field {
				u += f * sign(x[i])
			}
			for _, e := range edges {
				u += e.Weight * sign(x[e.I]) * sign(x[e.J])
			}
			return u
		}},
		{"tables", must(t)(NewTables(states, unary, tables, links)), func(x []uint8) float64 {
			u, at := 0.0, 0
			for i, q := range states {
				u += unary[at+int(x[i])]
				at += q
			}
			for _, e := range links {
				tab := tables[e.Table]
				u += tab.Log[int(x[e.I])*tab.Cols+int(x[e.J])]
			}
			return u
		}},
		{"terms", must(t)(NewTerms(field, terms)), func(x []uint8) float64 {
			u := 0.0
			for i, f := range field {
				u += f * sign(x[i])
			}
			for _, term := range terms {
				v := term.Weight
				for _, k := range term.Members {
					v *= sign(x[k])
				}
				u += v
			}
			return u
		}},
	}
}

// must is for constructors that cannot fail in a test.
func must(t testing.TB) func(m any, err error) Model {
	return func(m any, err error) Model {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m.(Model)
	}
}

func normals(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = r.NormFloat64()
	}
	return out
}

func sign(a uint8) float64 { return 2*float64(a) - 1 }

// everyState calls visit with every state of m and its place in Exact.P.
func everyState(m Model, visit func(x []uint8, at int)) {
	total := 1
	for i := range m.Variables() {
		total *= m.States(i)
	}
	x := make([]uint8, m.Variables())
	for at := range total {
		visit(x, at)
		Next(m, x)
	}
}

// identity returns the largest breach, over all states, variables and pairs of
// values, of two identities: Σ LogPrefix = U, and a difference of LogWeights is
// one of U.
func identity(e example) float64 {
	worst := 0.0
	lw := make([]float64, MaxStates(e.model))
	everyState(e.model, func(x []uint8, _ int) {
		u := e.u(x)
		worst = max(worst, math.Abs(LogDensity(e.model, x)-u))
		for i := range x {
			e.model.LogWeights(lw, i, x)
			old := x[i]
			for a := range e.model.States(i) {
				x[i] = uint8(a)
				worst = max(worst, math.Abs(e.u(x)-u-(lw[a]-lw[old])))
			}
			x[i] = old
		}
	})
	return worst
}

// Exact: conditionals and prefixes against the definition, at every state.
func TestConditionals(t *testing.T) {
	for _, e := range examples(t) {
		if off := identity(e); !(off < 1e-13) {
			t.Errorf("%s: conditionals are off by %v", e.name, off)
		}
	}
}

// A half edge that leads to a wrong neighbour, a weight in a wrong half and a
// table the wrong way round must be seen.
func TestConditionalsCatch(t *testing.T) {
	wrong := examples(t)
	wrong[0].model.(*Binary).to[3] ^= 1
	if off := identity(wrong[0]); off < 0.1 {
		t.Errorf("a wrong neighbour is seen as %v only", off)
	}
	wrong = examples(t)
	w := wrong[0].model.(*Binary).weight
	w[0], w[1] = w[1], w[0]
	if off := identity(wrong[0]); off < 0.1 {
		t.Errorf("exchanged weights are seen as %v only", off)
	}
	square := wrong[1].model.(*Tables)
	for k, j := range square.Neighbours(1) {
		if j == 3 { // the table of equal numbers of states
			square.which[square.start[1]+uint32(k)] ^= 1
		}
	}
	if off := identity(wrong[1]); off < 0.1 {
		t.Errorf("a transposed table is seen as %v only", off)
	}
	wrong[2].model.(*Terms).members[2] ^= 1
	if off := identity(wrong[2]); off < 0.1 {
		t.Errorf("a wrong member is seen as %v only", off)
	}
}

func TestNeighbours(t *testing.T) {
	for _, e := range examples(t) {
		for i := range e.model.Variables() {
			last := int32(-1)
			for _, j := range e.model.Neighbours(i) {
				if j <= last || int(j) == i {
					t.Errorf("%s: neighbours of %d are %v", e.name, i, e.model.Neighbours(i))
				}
				last = j
			}
		}
	}
	if got := examples(t)[2].model.Neighbours(4); len(got) != 3 || got[0] != 0 || got[1] != 2 || got[2] != 5 {
		t.Errorf("the blanket of variable 4 is %v", got)
	}
}

func TestModelErrors(t *testing.T) {
	inf, two := math.Inf(1), []float64{0, 0}
	four, table := []float64{0, 0, 0, 0}, Table{2, 2, []float64{0, 0, 0, 0}}
	cases := map[string]func() error{
		"0 variables":              func() error { _, err := NewBinary(nil, nil); return err },
		"field of variable 1":      func() error { _, err := NewBinary([]float64{0, math.NaN()}, nil); return err },
		"weight of edge 0":         func() error { _, err := NewBinary(two, []Edge{{0, 1, inf}}); return err },
		"edge 0 joins variables 0": func() error { _, err := NewBinary(two, []Edge{{0, 2, 1}}); return err },
		"with itself":              func() error { _, err := NewBinary(two, []Edge{{1, 1, 1}}); return err },
		"joined by two edges":      func() error { _, err := NewBinary(two, []Edge{{0, 1, 1}, {1, 0, 1}}); return err },
		"1 states":                 func() error { _, err := NewTables([]int{1}, []float64{0}, nil, nil); return err },
		"257 states":               func() error { _, err := NewTables([]int{257}, nil, nil, nil); return err },
		"3 log potentials":         func() error { _, err := NewTables([]int{2, 2}, four[:3], nil, nil); return err },
		"log potential 0":          func() error { _, err := NewTables([]int{2}, []float64{inf, 0}, nil, nil); return err },
		"has 3 numbers":            func() error { _, err := NewTables([]int{2}, two, []Table{{2, 2, four[:3]}}, nil); return err },
		"row 1, column 0": func() error {
			_, err := NewTables([]int{2}, two, []Table{{2, 2, []float64{0, 0, inf, 0}}}, nil)
			return err
		},
		"has table 1 of 1": func() error {
			_, err := NewTables([]int{2, 2}, four, []Table{table}, []TableEdge{{0, 1, 1}})
			return err
		},
		"2 and 3": func() error {
			_, err := NewTables([]int{2, 3}, append(four, 0), []Table{table}, []TableEdge{{0, 1, 0}})
			return err
		},
		"weight of term 0":            func() error { _, err := NewTerms(two, []Term{{inf, []int32{0, 1}}}); return err },
		"1 members":                   func() error { _, err := NewTerms(two, []Term{{1, []int32{0}}}); return err },
		"members [0 2]":               func() error { _, err := NewTerms(two, []Term{{1, []int32{2, 0}}}); return err },
		"twice":                       func() error { _, err := NewTerms(two, []Term{{1, []int32{1, 1}}}); return err },
		"scan is \"zigzag\"":          func() error { _, err := NewGibbs(one(t), Options{Scan: "zigzag"}); return err },
		"scan is given":               func() error { _, err := NewGibbs(one(t), Options{Scan: Given}); return err },
		"its order has 1":             func() error { _, err := NewGibbs(one(t), Options{Scan: Random, Order: []int32{0}}); return err },
		"variable 7 of 2":             func() error { _, err := NewGibbs(one(t), Options{Order: []int32{0, 7}}); return err },
		"inverse temperature 1 is -1": func() error { _, err := NewGibbs(one(t), Options{Schedule: []float64{1, -1}}); return err },
		"potentials add up": func() error {
			_, err := NewBinary([]float64{1e308, 1e308}, []Edge{{0, 1, 1e308}})
			return err
		},
		"damping": func() error { _, _, err := MeanField(one(t), MeanFieldOptions{Damping: 1.5}); return err },
	}
	for want, f := range cases {
		err := f()
		var model *ModelError
		if !errors.As(err, &model) || !strings.Contains(err.Error(), want) || hintOf(err) == "" {
			t.Errorf("want a ModelError with %q and a hint, got %v", want, err)
		}
	}
}

// one is a model of two variables.
func one(t testing.TB) Model {
	return must(t)(NewBinary([]float64{0.5, -0.25}, []Edge{{0, 1, 0.75}}))
}

// The memory of the documentation: 12 bytes a variable and 24 an edge for
// Binary, 8 + 8 a state and 16 for Tables; and the heap holds no more.
func TestBytes(t *testing.T) {
	const rows, cols = 300, 400
	n, edges := rows*cols, Grid(rows, cols, 0.4)
	perBinary := 12*n + 24*len(edges) + 4
	perTables := (8+8*3)*n + 16*len(edges) + 8 + 2*8*9
	links, states := make([]TableEdge, len(edges)), make([]int, n)
	for e, v := range edges {
		links[e] = TableEdge{v.I, v.J, 0}
	}
	for i := range states {
		states[i] = 3
	}
	for name, c := range map[string]struct {
		make func() Model
		want int
	}{
		"binary": {func() Model { return must(t)(NewBinary(make([]float64, n), edges)) }, perBinary},
		"tables": {func() Model {
			return must(t)(NewTables(states, make([]float64, 3*n), []Table{Potts(3, 1)}, links))
		}, perTables},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m := c.make()
		runtime.GC()
		runtime.ReadMemStats(&after)
		held := int(after.HeapAlloc) - int(before.HeapAlloc)
		// Arrays are rounded up to pages of 8 KiB, and the runtime keeps some itself.
		if m.Bytes() > c.want || m.Bytes() < c.want-16 || held > c.want+1<<17 {
			t.Errorf("%s: %d bytes by its own account, %d on the heap, want %d", name, m.Bytes(), held, c.want)
		}
		runtime.KeepAlive(m)
	}
}

// hintOf returns the hint of an error.
func hintOf(err error) string {
	_, hint := words.Parts(err)
	return hint
}
