package mrf

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// differ returns the largest difference of two oracles' answers.
func differ(a, b *Exact) float64 {
	worst := math.Abs(a.LogZ - b.LogZ)
	for k, p := range a.Marginals.p {
		worst = max(worst, math.Abs(p-b.Marginals.p[k]))
	}
	return worst
}

// Enumerate against sums of the definition.
func TestEnumerate(t *testing.T) {
	for _, e := range examples(t) {
		ex, err := Enumerate(e.model)
		if err != nil {
			t.Fatal(err)
		}
		z, first := 0.0, 0.0 // first: P(x_0 = 1)
		everyState(e.model, func(x []uint8, at int) {
			p := math.Exp(e.u(x))
			z += p
			first += p * float64(x[0])
			if off := ex.P[at] - math.Exp(e.u(x)-ex.LogZ); Index(e.model, x) != at || !(math.Abs(off) < 1e-14) {
				t.Fatalf("%s: state %v at %d (Index %d) is off by %v", e.name, x, at, Index(e.model, x), off)
			}
		})
		if math.Abs(ex.LogZ-math.Log(z)) > 1e-13 || math.Abs(ex.Marginals.At(0)[1]-first/z) > 1e-14 {
			t.Errorf("%s: log Z %v and first marginal %v, want %v and %v", e.name, ex.LogZ, ex.Marginals.At(0)[1], math.Log(z), first/z)
		}
	}
	if _, err := Enumerate(must(t)(NewBinary(make([]float64, 23), nil))); err == nil {
		t.Error("2^23 states were enumerated")
	}
}

// chainModel is a random chain of unequal numbers of states, with a missing edge.
func chainModel(t testing.TB, n int) Model {
	r := rand.New(rand.NewPCG(3, 4))
	states := make([]int, n)
	var unary []float64
	for i := range states {
		states[i] = 2 + i%3
		unary = append(unary, normals(r, states[i])...)
	}
	var tables []Table
	var edges []TableEdge
	for i := range n - 1 {
		if i == 4 {
			continue
		}
		edges = append(edges, TableEdge{int32(i), int32(i + 1), int32(len(tables))})
		tables = append(tables, Table{states[i], states[i+1], normals(r, states[i]*states[i+1])})
	}
	return must(t)(NewTables(states, unary, tables, edges))
}

// Three routes to one answer: enumeration, frontier, forward-backward.
func TestOraclesAgree(t *testing.T) {
	models := []Model{chainModel(t, 8)}
	for _, e := range examples(t) {
		models = append(models, e.model)
	}
	for k, m := range models {
		want, err := Enumerate(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Transfer(m)
		if err != nil {
			t.Fatal(err)
		}
		if off := differ(want, got); off > 1e-13 {
			t.Errorf("model %d: Transfer is off by %v", k, off)
		}
		fb, err := ForwardBackward(m)
		if k > 0 {
			var refused *ModelError
			if !errors.As(err, &refused) {
				t.Errorf("model %d is no chain: %v", k, err)
			}
			continue
		}
		if off := differ(want, fb); err != nil || off > 1e-13 {
			t.Errorf("ForwardBackward is off by %v, error %v", off, err)
		}
	}
}

// Closed forms: a chain of n spins without fields has Z = 2ⁿ·cosh(J)ⁿ⁻¹, also
// where e^U overflows; a ring of n, numbered with bandwidth 2, has
// Z = (2·cosh J)ⁿ + (2·sinh J)ⁿ.
func TestClosedForms(t *testing.T) {
	const n = 3000
	for _, j := range []float64{0.3, -2, 40} {
		m := must(t)(NewBinary(make([]float64, n), Grid(1, n, j)))
		logCosh := math.Abs(j) + math.Log1p(math.Exp(-2*math.Abs(j))) - math.Ln2
		want := n*math.Ln2 + (n-1)*logCosh
		for name, oracle := range map[string]func(Model) (*Exact, error){"Transfer": Transfer, "ForwardBackward": ForwardBackward} {
			ex, err := oracle(m)
			if err != nil || math.Abs(ex.LogZ/want-1) > 1e-13 || math.Abs(ex.Marginals.At(n / 2)[0]-0.5) > 1e-10 {
				t.Errorf("%s, J = %v: log Z %v, want %v (%v)", name, j, ex.LogZ, want, err)
			}
		}
	}
	around := []int32{0, 2, 4, 6, 8, 10, 12, 13, 11, 9, 7, 5, 3, 1} // neighbours' numbers differ by 2 at most
	edges := make([]Edge, len(around))
	for k, i := range around {
		edges[k] = Edge{i, around[(k+1)%len(around)], 0.7}
	}
	ex, err := Transfer(must(t)(NewBinary(make([]float64, 14), edges)))
	want := math.Log(math.Pow(2*math.Cosh(0.7), 14) + math.Pow(2*math.Sinh(0.7), 14))
	if err != nil || math.Abs(ex.LogZ-want) > 1e-12 {
		t.Errorf("ring: log Z %v, want %v (%v)", ex.LogZ, want, err)
	}
}

// A strip of 5 × 4 has what Enumerate says, whose sums of 2^20 terms are good to
// 1e-11; the two ends of one of 100 × 8 are alike.
func TestStrips(t *testing.T) {
	m := must(t)(NewBinary(make([]float64, 20), Grid(5, 4, 0.4)))
	want, _ := Enumerate(m)
	got, err := Transfer(m)
	if err != nil || differ(want, got) > 1e-11 {
		t.Errorf("5 × 4: off by %v (%v)", differ(want, got), err)
	}
	field := make([]float64, 800)
	field[0], field[799] = 0.5, 0.5
	long, err := Transfer(must(t)(NewBinary(field, Grid(100, 8, 0.35))))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		if a, b := long.Marginals.At(i)[1], long.Marginals.At(799 - i)[1]; math.Abs(a-b) > 1e-11 {
			t.Fatalf("marginals of %d and its mirror image: %v and %v", i, a, b)
		}
	}
	if _, err := Transfer(must(t)(NewBinary(make([]float64, 900), Grid(30, 30, 1)))); err == nil {
		t.Error("a frontier of 2^30 states was accepted")
	}
}

// Viterbi against the best of all states.
func TestViterbi(t *testing.T) {
	m := chainModel(t, 8)
	ex, _ := Enumerate(m)
	best := 0
	for k, p := range ex.P {
		if p > ex.P[best] {
			best = k
		}
	}
	x, u, err := Viterbi(m)
	if err != nil || Index(m, x) != best || math.Abs(u-LogDensity(m, x)) > 1e-13 {
		t.Errorf("Viterbi finds state %d with U %v, want %d with %v (%v)", Index(m, x), u, best, LogDensity(m, x), err)
	}
	skip := must(t)(NewBinary(make([]float64, 3), []Edge{{0, 1, 1}, {0, 2, 1}}))
	if _, _, err := Viterbi(skip); err == nil {
		t.Error("an edge that skips a variable was accepted")
	}
}

// Mean field is exact without edges, and elsewhere at a fixed point of its
// equations, whatever the damping.
func TestMeanField(t *testing.T) {
	free := must(t)(NewTables([]int{2, 3}, []float64{0, 1, 0.5, -1, 2}, nil, nil))
	want, _ := Enumerate(free)
	q, r, err := MeanField(free, MeanFieldOptions{})
	if err != nil || !r.Converged || differ(want, &Exact{LogZ: want.LogZ, Marginals: q}) > 1e-14 {
		t.Errorf("without edges: %+v, %v", r, err)
	}
	for _, e := range examples(t) {
		for _, damping := range []float64{0.5, 1} {
			q, r, err := MeanField(e.model, MeanFieldOptions{Damping: damping, Tolerance: 1e-13})
			if err != nil || !r.Converged {
				t.Fatalf("%s: %+v, %v", e.name, r, err)
			}
			if off := meanFieldResidual(e, q); off > 1e-11 {
				t.Errorf("%s with damping %v is no fixed point: %v", e.name, damping, off)
			}
		}
	}
	// A damping of ¼ goes a quarter of the way of the first move, from the uniform law.
	whole, _, _ := MeanField(free, MeanFieldOptions{MaxSweeps: 1})
	quarter, _, _ := MeanField(free, MeanFieldOptions{MaxSweeps: 1, Damping: 0.25})
	for i, uniform := range []float64{1. / 2, 1. / 3} {
		for a, p := range whole.At(i) {
			if got, want := quarter.At(i)[a], uniform+(p-uniform)/4; math.Abs(got-want) > 1e-15 {
				t.Errorf("state %d of variable %d: a quarter of the way is %v, want %v", a, i, got, want)
			}
		}
	}
	_, r, _ = MeanField(examples(t)[0].model, MeanFieldOptions{MaxSweeps: 1})
	if r.Converged || r.Sweeps != 1 {
		t.Errorf("one sweep: %+v", r)
	}
}

// meanFieldResidual returns how far q is from q_i ∝ exp(E_q[U | x_i]), the
// expectation taken over all states of the definition.
func meanFieldResidual(e example, q *Marginals) float64 {
	worst := 0.0
	for i := range e.model.Variables() {
		lw := make([]float64, e.model.States(i))
		everyState(e.model, func(x []uint8, _ int) {
			p := 1.0
			for j, a := range x {
				if j != i {
					p *= q.At(j)[a]
				}
			}
			lw[x[i]] += p * e.u(x)
		})
		normalise(lw)
		for a, p := range lw {
			worst = max(worst, math.Abs(p-q.At(i)[a]))
		}
	}
	return worst
}
