package herded

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/internal/words"
)

// complete is a complete graph of n binary variables with random couplings and
// fields.
func complete(t testing.TB, n int, scale float64) mrf.Model {
	r := rand.New(rand.NewPCG(1, 2))
	field := make([]float64, n)
	var edges []mrf.Edge
	for i := range field {
		field[i] = scale * r.NormFloat64()
		for j := range i {
			edges = append(edges, mrf.Edge{I: int32(i), J: int32(j), Weight: scale * r.NormFloat64()})
		}
	}
	m, err := mrf.NewBinary(field, edges)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// models are complete and other graphs of each kind.
func models(t testing.TB) map[string]mrf.Model {
	r := rand.New(rand.NewPCG(3, 4))
	normals := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64() / 2
		}
		return out
	}
	grid, err := mrf.NewBinary(normals(6), mrf.Grid(2, 3, 0.4))
	if err != nil {
		t.Fatal(err)
	}
	mixed, err := mrf.NewTables([]int{2, 3, 3}, normals(8), []mrf.Table{{Rows: 2, Cols: 3, Log: normals(6)}, {Rows: 3, Cols: 3, Log: normals(9)}},
		[]mrf.TableEdge{{I: 0, J: 1, Table: 0}, {I: 0, J: 2, Table: 0}, {I: 1, J: 2, Table: 1}})
	if err != nil {
		t.Fatal(err)
	}
	terms, err := mrf.NewTerms(normals(5), []mrf.Term{{Weight: 0.4, Members: []int32{0, 1, 2}}, {Weight: -0.4, Members: []int32{0, 3, 2}}, {Weight: 0.3, Members: []int32{3, 4}}})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]mrf.Model{"complete": complete(t, 4, 0.2), "grid": grid, "mixed": mixed, "terms": terms}
}

// begin returns a chain of m.
func begin(t testing.TB, m mrf.Model, o Options, path string) *Chain {
	t.Helper()
	s, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, path)})
	if err != nil {
		t.Fatal(err)
	}
	return k.(*Chain)
}

// follow compares a chain with algorithm 1 written out: a weight vector for every
// state of the neighbours, or for every sum of potentials, found by its text. It
// returns the first sweep in which they differ, or n.
func follow(t testing.TB, m mrf.Model, k *Chain, n int, shared bool) int {
	x := slices.Clone(k.x)
	weights := map[string][]float64{}
	for it := range n {
		info, err := k.Step()
		if err != nil {
			t.Fatal(err)
		}
		degrees := int64(0)
		for i := range x {
			degrees += int64(len(m.Neighbours(i)))
			lw, p := make([]float64, m.States(i)), make([]float64, m.States(i))
			m.LogWeights(lw, i, x)
			mrf.Conditional(p, lw, 1)
			name := fmt.Sprint(i)
			for _, j := range m.Neighbours(i) {
				name += fmt.Sprint(" ", x[j])
			}
			if shared {
				name = fmt.Sprint(i)
				for _, v := range lw {
					name += fmt.Sprintf(" %.6f", v-lw[0]+1e-12)
				}
			}
			w, ok := weights[name]
			if !ok {
				w = make([]float64, len(p))
				weights[name] = w
			}
			top := 0
			for a := range w {
				if w[a] > w[top]+1e-9 {
					top = a
				}
			}
			for a := range w {
				w[a] += p[a]
			}
			w[top]--
			x[i] = uint8(top)
		}
		if !slices.Equal(x, k.x) || math.Abs(info.LogLik-mrf.LogDensity(m, x)) > 1e-10 || info.Touched != degrees {
			return it
		}
	}
	return n
}

// Exact: chains decide as algorithm 1 does, for 2000 sweeps, without sharing and
// with weights shared by sums.
func TestFollowsAlgorithm(t *testing.T) {
	for name, m := range models(t) {
		for _, sharing := range []Sharing{None, Sums} {
			k := begin(t, m, Options{Sharing: sharing, Start: Zero}, name)
			if it := follow(t, m, k, 2000, sharing == Sums); it < 2000 {
				t.Errorf("%s, sharing %s: sweep %d differs", name, sharing, it)
			}
		}
	}
}

// discrepancy returns the largest |n_a − m·p_a| over states of the others and
// outcomes a of a run of n sweeps, n_a of m visits, and half the sum of all.
func discrepancy(m mrf.Model, k *Chain, n int, after func(*Chain)) (worst, half float64) {
	gap := map[string][]float64{}
	for range n {
		before := slices.Clone(k.x)
		_, _ = k.Step()
		if after != nil {
			after(k)
		}
		x := before
		for i := range x {
			lw, p := make([]float64, m.States(i)), make([]float64, m.States(i))
			m.LogWeights(lw, i, x)
			mrf.Conditional(p, lw, 1)
			name := fmt.Sprint(i)
			for _, j := range m.Neighbours(i) {
				name += fmt.Sprint(" ", x[j])
			}
			if gap[name] == nil {
				gap[name] = make([]float64, len(p))
			}
			x[i] = k.x[i]
			for a := range p {
				gap[name][a] += -p[a]
			}
			gap[name][x[i]]++
		}
	}
	for _, g := range gap {
		for _, v := range g {
			worst = max(worst, math.Abs(v))
			half += math.Abs(v) / 2
		}
	}
	return worst, half
}

// Among the visits of every state of the neighbours, outcomes come up as often
// as their probability says, within 1 (two states) or the number of states.
// A weight that is not kept, once in three sweeps, breaks it.
func TestMatchesConditionals(t *testing.T) {
	for name, m := range models(t) {
		for _, from := range []Start{Zero, Mode, Offset} {
			most := float64(mrf.MaxStates(m) - 1)
			k := begin(t, m, Options{Start: from}, name)
			d, half := discrepancy(m, k, 1000, nil)
			if d >= most+1e-9 {
				t.Errorf("%s, start %s: discrepancy %v", name, from, d)
			}
			if told := k.moved(); from == Zero && math.Abs(told-half) > 1e-9 || told < half-1e-9 {
				t.Errorf("%s, start %s: Bound has Σ D = %v, counted %v", name, from, told, half)
			}
			k = begin(t, m, Options{Start: from}, name)
			old := slices.Clone(k.w)
			d, _ = discrepancy(m, k, 1000, func(k *Chain) {
				if k.Iterations()%3 == 0 { // stale weights of one variable
					copy(k.w[:k.base[1]], old[:k.base[1]])
				}
				copy(old, k.w)
			})
			if d < most+1 {
				t.Errorf("%s, start %s: stale weights give a discrepancy of %v only", name, from, d)
			}
		}
	}
}

// The classes of sums: equal couplings have degree + 1, sums that agree by
// chance have one place, and a 40-neighbour star that would need 2^40 weights
// has 41.
func TestClasses(t *testing.T) {
	star := func(weights ...float64) mrf.Model {
		var edges []mrf.Edge
		for j, w := range weights {
			edges = append(edges, mrf.Edge{I: 0, J: int32(j + 1), Weight: w})
		}
		m, err := mrf.NewBinary(make([]float64, len(weights)+1), edges)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	equal := slices.Repeat([]float64{0.3}, 40)
	equal[7] = -0.3
	for _, c := range []struct {
		m    mrf.Model
		want int
	}{
		{star(1, 1, 1, 1), 5}, {star(1, 2, 3), 7}, {star(1, 2, 4), 8}, {star(equal...), 41}, {star(0.1, 0.2, 0), 4},
		{star(0.1, 0.2, 0.3), 7}, // 0.1 + 0.2 − 0.3 is 0 up to rounding
	} {
		m, want := c.m, c.want
		s, err := New(m, Options{Sharing: Sums})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.base[1]; got != want {
			t.Errorf("%d places, want %d", got, want)
		}
		if s.WeightBytes() != 8*int64(s.base[m.Variables()]) {
			t.Errorf("%d bytes", s.WeightBytes())
		}
	}
	states, edges := []int{3, 3, 3, 3, 3}, []mrf.TableEdge{}
	for j := range 4 {
		edges = append(edges, mrf.TableEdge{I: int32(j + 1), J: 0})
	}
	potts, err := mrf.NewTables(states, make([]float64, 15), []mrf.Table{mrf.Potts(3, 0.7)}, edges)
	if err != nil {
		t.Fatal(err)
	}
	// 15 ways to have 4 neighbours in 3 states, a weight for each state.
	if s, err := New(potts, Options{Sharing: Sums}); err != nil || s.base[1] != 45 {
		t.Errorf("%v weights of a Potts variable, want 45 (%v)", s, err)
	}
	if s, err := New(potts, Options{}); err != nil || s.base[1] != 81*3 {
		t.Errorf("%v weights of a Potts variable without sharing, want 243 (%v)", s, err)
	}
}

// Memory is counted and refused before it is allocated.
func TestMemory(t *testing.T) {
	big := complete(t, 41, 0.1)
	for _, sharing := range []Sharing{None, Sums} { // its couplings all differ
		_, err := New(big, Options{Sharing: sharing})
		var refused *MemoryError
		if !errors.As(err, &refused) || refused.Degree != 40 || refused.Bytes < 8*math.Pow(2, 39) || hintOf(err) == "" {
			t.Errorf("sharing %s of 40 neighbours: %v", sharing, err)
		}
	}
	m := models(t)["grid"]
	s, err := New(m, Options{MaxBytes: 8 * 4 * (4 + 8/2)}) // 4 corners of 2 neighbours, 2 variables of 3
	if err != nil || s.WeightBytes() != 8*(4*4+2*8) {
		t.Errorf("grid: %v, %v", s, err)
	}
	if _, err := New(m, Options{MaxBytes: 8*(4*4+2*8) - 1}); err == nil {
		t.Error("one byte less was accepted")
	}
	if _, err := New(m, Options{Sharing: Sums, MaxBytes: 8*(4*3+2*4) - 1}); err == nil {
		t.Error("one byte less than the sums need was accepted")
	}
	for _, o := range []Options{{Sharing: "some"}, {Start: "one"}, {MaxBytes: -1}} {
		if _, err := New(m, o); err == nil || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	free, err := mrf.NewBinary(make([]float64, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := models(t)
	for _, c := range []struct {
		m       mrf.Model
		sharing Sharing
		want    string
		of      Bounded
	}{
		{free, None, "rational", OfMarginals},
		{all["complete"], None, "", OfLaw},
		{all["mixed"], None, "", OfLaw},
		{all["complete"], Sums, "shared", OfNothing},
		{all["grid"], None, "open", OfNothing},
	} {
		k := begin(t, c.m, Options{Sharing: c.sharing}, "warn")
		_, _ = k.Step()
		got := strings.Join(k.Warnings(), "; ")
		if !strings.Contains(got, c.want) || (c.want == "") != (got == "") || !strings.Contains(k.Explain(), got) {
			t.Errorf("warnings %q, want %q; explained as %q", got, c.want, k.Explain())
		}
		if start := k.Start(); start != "states drawn uniformly, weights mode" {
			t.Errorf("a chain starts with %q", start)
		}
		if b := k.Bound(); b.Of != c.of || !(b.Value >= 0 && b.Value <= 1) {
			t.Errorf("bound %+v, want one of %s", b, c.of)
		}
	}
}

// A chain that was saved and restored continues with its bits; damaged states are
// errors and change nothing.
func TestResume(t *testing.T) {
	for name, m := range models(t) {
		for _, o := range []Options{{Start: Zero}, {Sharing: Sums, Start: Offset}} {
			k, other := begin(t, m, o, name), begin(t, m, o, "elsewhere")
			_, _ = other.Step()
			for it := range 140 {
				saved, err := k.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				if err := other.UnmarshalBinary(saved); err != nil {
					t.Fatal(err)
				}
				ia, _ := k.Step()
				ib, _ := other.Step()
				a, _ := k.MarshalBinary()
				if b, _ := other.MarshalBinary(); ia != ib || !bytes.Equal(a, b) {
					t.Fatalf("%s, %+v: sweep %d after a restore differs", name, o, it)
				}
			}
			good, _ := k.MarshalBinary()
			for n := range good {
				bad := slices.Clone(good[:n])
				if n == 41 { // not cut, but with a state that the variable has not
					bad = slices.Clone(good)
					bad[n] = 9
				}
				if err := k.UnmarshalBinary(bad); err == nil {
					t.Errorf("damaged state %d was accepted", n)
				}
			}
			if again, _ := k.MarshalBinary(); !bytes.Equal(again, good) {
				t.Error("a damaged state changed the chain")
			}
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	for name, m := range models(t) {
		k := begin(t, m, Options{Sharing: Sums}, name)
		if n := testing.AllocsPerRun(200, func() { _, _ = k.Step() }); n > 0 {
			t.Errorf("%s: %v allocations a step", name, n)
		}
	}
}

// The bits of version 1.
func TestPinned(t *testing.T) {
	want := map[string]string{
		"complete": "[0 1 0 0] 4598696038700316230 4611449356886269696 [1 1 0 1] [1 1 0 1] 4598896694309229348 4611449356886269697 [1 1 0 1] ",
		"grid":     "[1 1 1 1 1 1] 4601629390284255106 4616130546751893312 [1 1 1 1 1 1] [1 1 1 1 1 1] 13811235894414602960 4616130546751893314 [1 1 1 1 1 1] ",
		"mixed":    "[1 0 0] 4590477805361054792 4611539765751009784 [0 1 2] [1 2 2] 13812281699841588240 4611539765751009786 [0 1 2] ",
		"terms":    "[1 0 0 0 0] 4598809768409763796 4613579652292030574 [1 1 1 0 0] [1 1 1 0 0] 4601778289109148350 4613579652292030573 [1 1 1 0 0] ",
	}
	for name, m := range models(t) {
		got := ""
		for _, o := range []Options{{Start: Zero}, {Sharing: Sums, Start: Offset}} {
			k := begin(t, m, o, "pinned")
			for range 500 {
				_, _ = k.Step()
			}
			best, pos := make([]uint8, len(k.x)), make([]float64, len(k.x))
			k.Position(pos)
			got += fmt.Sprint(pos, math.Float64bits(k.w[1]), math.Float64bits(k.Best(best)), best, " ")
		}
		if got != want[name] {
			t.Errorf("%q: %q,", name, got)
		}
	}
}

// hintOf returns the hint of an error.
func hintOf(err error) string {
	_, hint := words.Parts(err)
	return hint
}

// The constants of theorem 2 are the formulas of the paper, here of two variables whose least conditional probability
// and overlaps are known, and the program's own bound is below λ/T. Seen red: l = π_min for π_minⁿ.
func TestConstants(t *testing.T) {
	m, err := mrf.NewBinary([]float64{0, 0}, []mrf.Edge{{I: 0, J: 1, Weight: 0.5 * math.Log(3) / 2}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := 1 / (1 + math.Sqrt(3)) // of disagreeing, given the other
	keep := 4 * p * p
	c, ok := s.Constants()
	lambda, from := 4*(2-keep)/(p*p*keep), 2*(p*p+1+2*p)/(p*p)
	if !ok || math.Abs(c.Least-p) > 1e-14 || math.Abs(c.Eta-(1-keep)) > 1e-14 || math.Abs(c.Lambda/lambda-1) > 1e-13 ||
		math.Abs(c.From/from-1) > 1e-13 {
		t.Errorf("%+v, %v; want λ = %v from %v on", c, ok, lambda, from)
	}
	k, _ := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1)})
	for range 200 {
		_, _ = k.Step()
	}
	if b := k.(*Chain).Bound(); b.Of != OfLaw || b.Value > c.Lambda/200 {
		t.Errorf("the bound is %+v, λ/T %v", b, c.Lambda/200)
	}
	if _, ok := must(New(must(mrf.NewBinary([]float64{1, 1}, nil)), Options{})).Constants(); ok {
		t.Error("constants of a graph without edges")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
