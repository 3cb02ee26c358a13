package dogs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomScan draws updates uniformly.
func randomScan(r *rand.Rand, n, length int) []int32 {
	out := make([]int32, length)
	for t := range out {
		out[t] = int32(r.IntN(n))
	}
	return out
}

// greedy is algorithm 2 with dense products, recomputed for every update.
func greedy(c *Influence, scan []int32, d Target) []int32 {
	n := c.Variables()
	b := ones(n)
	var out []int32
	for t := range scan {
		ahead := make([]float64, n)
		for k, i := range d.Variables {
			ahead[i] = d.weight(k)
		}
		for s := len(scan) - 1; s > t; s-- {
			i := scan[s]
			v := ahead[i]
			ahead[i] = 0
			near, value := c.Row(int(i))
			for k, j := range near {
				ahead[j] += v * value[k]
			}
		}
		best, gain := int32(-1), 1e-14
		for i := range n {
			if g := ahead[i] * (b[i] - c.pull(i, b)); g > gain*(1+1e-9) {
				best, gain = int32(i), g
			}
		}
		if best >= 0 {
			out = append(out, best)
			b[best] = c.pull(int(best), b)
		}
	}
	return out
}

// One round of Optimise makes the choices of the plain form of algorithm 2, whose D is recomputed for each update.
func TestAlgorithm2(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(8) {
		c := uneven(10+seed, 9, 0.06) // all influences differ: no ties
		for _, d := range []Target{All(9), {Variables: []int32{2, 5}}, {[]int32{1, 3}, []float64{2, 0.5}}} {
			scan := randomScan(r, 9, 40)
			want := greedy(c, scan, d)
			got := newDescent(c, d).round(scan, 0)
			used := newDescent(c, d)
			used.round(randomScan(r, 9, 30), 0.9*d.sum(ones(9))) // stops early
			if again := used.round(scan, 0); !slices.Equal(again, got) {
				t.Errorf("seed %d: a second round on another scan has left traces: %v, want %v", seed, again, got)
			}
			if k := min(len(got), len(want), 25); !slices.Equal(got[:k], want[:k]) {
				t.Errorf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}

// A round that stops early leaves no gains behind of variables that the next one
// does not come near.
func TestRoundsAreSeparate(t *testing.T) {
	c, d := lattice(1, 40, 0.3), Target{Variables: []int32{0, 39}}
	used := newDescent(c, d)
	used.round([]int32{20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1.999)
	last := slices.Repeat([]int32{39}, 12)
	if got, want := used.round(last, 0), newDescent(c, d).round(last, 0); len(got) == len(last) || !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The heap against a search through all keys.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 50
	h, keys := newHeap(n), make([]float64, n)
	for range 20_000 {
		i := r.IntN(n)
		keys[i] = float64(r.IntN(12) - 4) // ties, and keys that leave
		h.set(int32(i), keys[i])
		want, best := -1, 0.0
		for j, k := range keys {
			if k > best {
				want, best = j, k
			}
		}
		got, ok := h.top()
		if ok != (want >= 0) || ok && int(got) != want {
			t.Fatalf("top %d (%v), want %d", got, ok, want)
		}
	}
}

// A scan that always updates the same distribution of variables has the variation
// of random updates that are certain.
func TestRandomVariation(t *testing.T) {
	c := lattice(3, 3, 0.2)
	for i := range 9 {
		q := make([]float64, 9)
		q[i] = 1
		got, err := c.RandomVariation(q, 1, All(9))
		want, _ := c.Variation([]int32{int32(i)}, All(9))
		if err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("update of %d: %v, want %v (%v)", i, got, want, err)
		}
	}
	// Alike variables of a cycle: b stays constant, and falls by the factor
	// 1 − (1 − 2·0.3)/n each step.
	ring := symmetric(5, []pair{{0, 1, 0.3}, {1, 2, 0.3}, {2, 3, 0.3}, {3, 4, 0.3}, {4, 0, 0.3}})
	got, err := ring.RandomVariation(nil, 40, All(5))
	if want := 5 * math.Pow(1-(1-2*0.3)/5, 40); err != nil || math.Abs(got/want-1) > 1e-12 {
		t.Errorf("ring: %v, want %v", got, want)
	}
}

// Prefixes have the variation of each prefix to its own digits, though all but 1e-21 of the first one cancels; those of
// random scans are the variations of fewer steps.
func TestPrefixes(t *testing.T) {
	c, d := lattice(10, 10, 0.08), All(100)
	d.Weights = make([]float64, 100)
	for i := range d.Weights {
		d.Weights[i] = 1 + 0.1*float64(i%7)
	}
	scan := Systematic(100, 2500)
	got, err := c.Prefixes(scan, d)
	if err != nil || len(got) != len(scan) || !(got[2499] < 1e-11) {
		t.Fatal(got[len(got)-1], err)
	}
	for _, n := range []int{1, 2, 99, 100, 101, 1234, 2499, 2500} {
		if want, _ := c.Variation(scan[:n], d); !(math.Abs(got[n-1]/want-1) < 1e-9) {
			t.Errorf("after %d updates %v, want %v", n, got[n-1], want)
		}
	}
	if _, err := c.Prefixes([]int32{0, 100}, d); err == nil {
		t.Error("an update of no variable is no error")
	}
	random, err := c.RandomPrefixes(nil, 300, d)
	if err != nil || len(random) != 300 {
		t.Fatal(len(random), err)
	}
	for _, n := range []int{1, 17, 300} {
		if want, _ := c.RandomVariation(nil, n, d); random[n-1] != want {
			t.Errorf("after %d random updates %v, want %v", n, random[n-1], want)
		}
	}
}

// Search reaches what it is asked for, at the length where it stops and not one
// before; Optimise stops early on the way. Towards ends in the target and is the
// systematic scan for all.
func TestSearch(t *testing.T) {
	c := lattice(10, 10, 0.2)
	for _, d := range []Target{All(100), {Variables: []int32{55}}, {Variables: []int32{0, 99}}} {
		for _, below := range []float64{0.3, 0.01, 1e-6} {
			cert, err := c.Search(d, Options{Below: below, Rounds: 4})
			must(t, err)
			v, _ := c.Variation(cert.Scan, d)
			short, _ := c.Variation(cert.Scan[:len(cert.Scan)-1], d)
			if v != cert.Variation || v > below || short <= below && len(cert.Scan) > 1 || cert.Rounds < 1 {
				t.Errorf("%d targets, below %v: %d updates reach %v, one less %v", len(d.Variables), below, len(cert.Scan), v, short)
			}
		}
	}
	if got := c.Towards(All(100), 150); !slices.Equal(got[50:], Systematic(100, 100)) || got[49] != 99 {
		t.Errorf("towards all: %v", got)
	}
	if got := c.Towards(Target{Variables: []int32{0}}, 4); !slices.Equal(got, []int32{20, 10, 1, 0}) && !slices.Equal(got, []int32{2, 10, 1, 0}) {
		t.Errorf("towards a corner: %v", got)
	}
}
