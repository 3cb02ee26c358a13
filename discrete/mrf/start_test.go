package mrf

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
)

// Chains and mean field begin at each variable's own most probable state, whatever its neighbours are; a variable whose
// field is zero begins anywhere. Seen red: the conditional given the neighbours instead of the field.
func TestStartAtOwnStates(t *testing.T) {
	binary, err := NewBinary([]float64{0.2, -0.1, 0, 3}, []Edge{{0, 1, 5}, {1, 2, -5}, {2, 3, 5}})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := NewTables([]int{3, 2, 4}, []float64{0, 2, 1, -1, -2, 1, 1, 0, 1}, []Table{Potts(3, 4)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	terms, err := NewTerms([]float64{-1, 1, 2}, []Term{{Members: []int32{0, 1, 2}, Weight: 9}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    Model
		x    [2][]uint8 // drawn
		want [2][]uint8
	}{
		"binary": {binary, [2][]uint8{{0, 1, 0, 0}, {1, 0, 1, 0}}, [2][]uint8{{1, 0, 0, 1}, {1, 0, 1, 1}}},
		"tables": {tables, [2][]uint8{{0, 1, 3}, {2, 1, 2}}, [2][]uint8{{1, 0, 3}, {1, 0, 0}}},
		"terms":  {terms, [2][]uint8{{0, 0, 0}, {1, 1, 1}}, [2][]uint8{{0, 1, 1}, {0, 1, 1}}},
	} {
		for i, drawn := range c.x {
			x := slices.Clone(drawn)
			if err := Anywhere.Place(c.m, x); err != nil || !slices.Equal(x, drawn) {
				t.Errorf("%s: anywhere moved %v to %v, %v", name, drawn, x, err)
			}
			if err := Own.Place(c.m, x); err != nil || !slices.Equal(x, c.want[i]) {
				t.Errorf("%s: %v starts at %v, %v; want %v", name, drawn, x, err, c.want[i])
			}
		}
	}
	fixedStarts(t, tables)
	s, err := NewGibbs(binary, Options{Start: Own})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint8]int{}
	for chain := range 64 {
		k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "own", string(rune('a'+chain)))})
		if err != nil {
			t.Fatal(err)
		}
		x := k.(Sampler).State()
		if x[0] != 1 || x[1] != 0 || x[3] != 1 {
			t.Fatalf("chain %d starts at %v", chain, x)
		}
		seen[x[2]]++
	}
	if seen[0] < 12 || seen[1] < 12 { // false alarm: 4e-7
		t.Errorf("a variable without a field starts at %v", seen)
	}
	// One sweep of mean field from the fields' laws: tanh(θ_0 + 5·E s_1) with E s_1 = tanh(−0.1).
	q, _, err := MeanField(binary, MeanFieldOptions{MaxSweeps: 1, Start: Own})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := q.At(0)[1]-q.At(0)[0], math.Tanh(0.2+5*math.Tanh(-0.1)); math.Abs(got-want) > 1e-14 {
		t.Errorf("mean field: mean %v, want %v", got, want)
	}
	if _, err := NewGibbs(binary, Options{Start: "middle"}); err == nil {
		t.Error("a start that there is not")
	}
	if _, _, err := MeanField(binary, MeanFieldOptions{Start: "middle"}); err == nil {
		t.Error("mean field: a start that there is not")
	}
}

// fixedStarts checks that chains, and the marginals of mean field, begin at the first or the last state of each variable.
// Seen red: 1 as the last state of every variable.
func fixedStarts(t *testing.T, m Model) {
	t.Helper()
	for s, want := range map[Start][]uint8{First: {0, 0, 0}, Last: {2, 1, 3}} {
		x := []uint8{1, 1, 1}
		if err := s.Place(m, x); err != nil || !slices.Equal(x, want) {
			t.Errorf("%s: %v, %v; want %v", s, x, err, want)
		}
		q := NewMarginals(m)
		s.laws(m, q)
		for i, a := range want {
			if q.At(i)[a] != 1 {
				t.Errorf("%s: variable %d of mean field begins at %v", s, i, q.At(i))
			}
		}
	}
}
