package dogs

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/mrf"
)

// gibbs has the full conditionals of a small model at every state.
type gibbs struct {
	m      mrf.Model
	pi     []float64
	cond   [][]float64 // of variable i in state at: cond[i][at·q + a]
	stride []int
}

func newGibbs(t testing.TB, m mrf.Model) *gibbs {
	ex, err := mrf.Enumerate(m)
	if err != nil {
		t.Fatal(err)
	}
	n := m.Variables()
	g := &gibbs{m: m, pi: ex.P, cond: make([][]float64, n), stride: make([]int, n)}
	for i, stride := n-1, 1; i >= 0; i-- {
		q := m.States(i)
		g.stride[i] = stride
		stride *= q
		g.cond[i] = make([]float64, q*len(g.pi))
		lw, x := make([]float64, q), make([]uint8, n)
		for at := range g.pi {
			m.LogWeights(lw, i, x)
			mrf.Conditional(g.cond[i][at*q:(at+1)*q], lw, 1)
			mrf.Next(m, x)
		}
	}
	return g
}

// lawAfter returns the law of all variables after a scan from the state at.
func (g *gibbs) lawAfter(scan []int32, at int) []float64 {
	p := make([]float64, len(g.pi))
	p[at] = 1
	return g.apply(scan, p)
}

// apply runs a scan on a law, in place.
func (g *gibbs) apply(scan []int32, p []float64) []float64 {
	for _, i := range scan {
		q, stride := g.m.States(int(i)), g.stride[i]
		for s := range p {
			if s/stride%q != 0 {
				continue
			}
			sum := 0.0
			for a := range q {
				sum += p[s+a*stride]
			}
			for a := range q {
				p[s+a*stride] = sum * g.cond[i][s*q+a]
			}
		}
	}
	return p
}

// distance returns the total variation distance between the laws of some
// variables under p and q.
func distance(m mrf.Model, p, q []float64, vars []int32) float64 {
	total := 1
	for _, i := range vars {
		total *= m.States(int(i))
	}
	diff := make([]float64, total)
	x := make([]uint8, m.Variables())
	for at := range p {
		cell := 0
		for _, i := range vars {
			cell = cell*m.States(int(i)) + int(x[i])
		}
		diff[cell] += p[at] - q[at]
		mrf.Next(m, x)
	}
	sum := 0.0
	for _, v := range diff {
		sum += math.Abs(v)
	}
	return sum / 2
}

// worst returns the largest distance from π over all starts.
func (g *gibbs) worst(scan []int32, vars []int32) float64 {
	out := 0.0
	for at := range g.pi {
		out = max(out, distance(g.m, g.lawAfter(scan, at), g.pi, vars))
	}
	return out
}

// small are models that can be enumerated, and whose influences contract.
func small(t testing.TB) map[string]mrf.Model {
	free, err := mrf.NewBinary([]float64{0.3, -1, 0.5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]mrf.Model{
		"ising 2 × 3": ising(t, 2, 3, 0.25), "binary": binary(t, 3, 5, 0.15), "potts": potts(t, 4, 4, 0.3),
		"terms": triples(t, 5, 0.3), "free": free,
	}
}

func targets(n int) []Target {
	return []Target{All(n), {Variables: []int32{0}}, {Variables: []int32{int32(n - 1), 1}}}
}

// randomScan draws updates uniformly.
func randomScan(r *rand.Rand, n, length int) []int32 {
	out := make([]int32, length)
	for t := range out {
		out[t] = int32(r.IntN(n))
	}
	return out
}

// Over all starts, the true total variation distance never exceeds the variation:
// of systematic and random scans of every length up to 3 sweeps, of optimised ones,
// for all variables, one, and two. An optimised scan's variation never exceeds its
// input's, and is what Variation says. A scan one step short of its certificate
// breaks it where variables are free: its last update is needed.
func TestCertificates(t *testing.T) {
	for name, m := range small(t) {
		n := m.Variables()
		g := newGibbs(t, m)
		broken := 0
		for kind, c := range map[string]*Influence{"bounds": Bounds(m), "exact": exact(t, m)} {
			r := rand.New(infer.NewStream(1, "certificates", name, kind))
			for _, d := range targets(n) {
				for length := 0; length <= 3*n; length += 1 + n/2 {
					for _, scan := range [][]int32{Systematic(n, length), randomScan(r, n, length)} {
						cert, err := c.Optimise(scan, d, Options{Rounds: 3})
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						input, _ := c.Variation(scan, d)
						again, _ := c.Variation(cert.Scan, d)
						if cert.Variation > input || cert.Input != input || again != cert.Variation || len(cert.Scan) > length {
							t.Errorf("%s, %s, %d updates: %+v from an input of %v, again %v", name, kind, length, cert, input, again)
						}
						for _, s := range [][]int32{scan, cert.Scan} {
							v, _ := c.Variation(s, d)
							if far := g.worst(s, d.Variables); far > v+1e-12 {
								t.Errorf("%s, %s: the scan %v is %v from π for %v, certified %v", name, kind, s, far, d.Variables, v)
							}
						}
						if k := len(cert.Scan); k > 0 && g.worst(cert.Scan[:k-1], d.Variables) > cert.Variation+1e-12 {
							broken++
						}
					}
				}
			}
		}
		t.Logf("%s: %d certificates broken by a scan one step short", name, broken)
		if name == "free" && broken == 0 {
			t.Errorf("%s: a scan one step short keeps every certificate", name)
		}
	}
}

// greedy is algorithm 2 with dense products, for every update anew.
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

// One round of Optimise makes the choices of the plain form of algorithm 2, whose
// D is computed anew for each update.
func TestAlgorithm2(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(8) {
		m := binary(t, 10+seed, 9, 0.06) // all influences differ: no ties
		c := Bounds(m)
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
	m, err := mrf.NewBinary(make([]float64, 40), mrf.Grid(1, 40, 0.3))
	if err != nil {
		t.Fatal(err)
	}
	c, d := Bounds(m), Target{Variables: []int32{0, 39}}
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
	c := Bounds(ising(t, 3, 3, 0.2))
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
	// 1 − (1 − 2·tanh θ)/n each step.
	ring, err := mrf.NewBinary(make([]float64, 5), []mrf.Edge{{I: 0, J: 1, Weight: 0.3}, {I: 1, J: 2, Weight: 0.3}, {I: 2, J: 3, Weight: 0.3}, {I: 3, J: 4, Weight: 0.3}, {I: 4, J: 0, Weight: 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Bounds(ring).RandomVariation(nil, 40, All(5))
	if want := 5 * math.Pow(1-(1-2*math.Tanh(0.3))/5, 40); err != nil || math.Abs(got/want-1) > 1e-12 {
		t.Errorf("ring: %v, want %v", got, want)
	}
}

// Search reaches what it is asked for, at the length where it stops and not one
// before; Optimise stops early on the way. Towards ends in the target and is the
// systematic scan for all.
func TestSearch(t *testing.T) {
	c := Bounds(ising(t, 10, 10, 0.2))
	for _, d := range []Target{All(100), {Variables: []int32{55}}, {Variables: []int32{0, 99}}} {
		for _, below := range []float64{0.3, 0.01, 1e-6} {
			cert, err := c.Search(d, Options{Below: below, Rounds: 4})
			if err != nil {
				t.Fatal(err)
			}
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
