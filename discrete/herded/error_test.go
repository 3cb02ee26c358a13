package herded

import (
	"math"
	"testing"

	"glmbatch/discrete/mrf"
)

// empirical counts the states that iterations end in.
type empirical struct {
	m     mrf.Model
	count []float64
	n     float64
}

func (e *empirical) add(x []uint8) {
	e.count[mrf.Index(e.m, x)]++
	e.n++
}

// distance returns the total variation distance to p.
func (e *empirical) distance(p []float64) float64 {
	sum := 0.0
	for k, c := range e.count {
		sum += math.Abs(c/e.n - p[k])
	}
	return sum / 2
}

func newEmpirical(m mrf.Model, states int) *empirical {
	return &empirical{m: m, count: make([]float64, states)}
}

// slope returns the least-squares slope of log error on log T.
func slope(t, err []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(t))
	for k := range t {
		x, y := math.Log(t[k]), math.Log(err[k])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// worstErrors returns lengths at powers of 2, and for each the largest error up to
// the next, so that a chance zero does not count.
func worstErrors(step func(), at func() float64, first, last int) (lengths, errs []float64) {
	n := 0
	for ; n < 1<<first; n++ {
		step()
	}
	for e := first; e < last; e++ {
		worst := 0.0
		for ; n < 2<<e; n++ {
			step()
			if n%max(1, 1<<e/64) == 0 {
				worst = max(worst, at())
			}
		}
		lengths, errs = append(lengths, math.Pow(2, float64(e))), append(errs, worst)
	}
	return lengths, errs
}

// Theorem 1: without edges every marginal is within 1/T of its probability at
// every T; a rational one a/b is exact at every multiple of b. The joint distribution of
// irrational ones, which are independent over the rationals, converges too; that of
// equal rational ones, started alike, does not, as the warning states.
func TestEmptyGraph(t *testing.T) {
	half := func(p float64) float64 { return math.Log(p/(1-p)) / 2 }
	for name, p := range map[string][]float64{
		"irrational": {math.Sqrt2 - 1, math.Pi - 3, math.Sqrt(3) - 1},
		"rational":   {1. / 3, 2. / 5, 1. / 3},
	} {
		field := make([]float64, len(p))
		for i := range p {
			field[i] = half(p[i])
		}
		m, err := mrf.NewBinary(field, nil)
		if err != nil {
			t.Fatal(err)
		}
		k := begin(t, m, Options{Start: Zero}, "empty")
		ex, _ := mrf.Enumerate(m)
		law, ones := newEmpirical(m, 8), make([]float64, 3)
		for n := 1; n <= 30_000; n++ {
			_, _ = k.Step()
			law.add(k.x)
			for i, a := range k.x {
				ones[i] += float64(a)
				off := math.Abs(ones[i] - float64(n)*p[i])
				if off/float64(n) > k.Bound().Value+1e-12 || off >= 1 || name == "rational" && n%15 == 0 && off > 1e-9 {
					t.Fatalf("%s: %v ones of variable %d after %d sweeps, bound %+v", name, ones[i], i, n, k.Bound())
				}
			}
		}
		if b := begin(t, m, Options{Start: Offset}, "offset"); b.widest() != 1 {
			t.Errorf("an offset start may be off by %v, want 1", b.widest())
		}
		for i, a := range firstVisits(t, m) {
			if (a == 1) != (p[i] > 0.5) {
				t.Errorf("%s: the mode start begins with state %d of variable %d, p = %v", name, a, i, p[i])
			}
		}
		joint := law.distance(ex.P)
		if name == "irrational" && joint > 1e-3 || name == "rational" && joint < 0.2 {
			t.Errorf("%s: the joint law is off by %v", name, joint)
		}
	}
}

// Theorem 2: on complete graphs the distribution of all variables converges as 1/T. At
// every T the distance is below the bound, and the slope of the largest distance
// over [T, 2T] on T is −1. Stale weights of one
// variable break both.
func TestCompleteGraph(t *testing.T) {
	for name, m := range models(t) {
		if name != "complete" && name != "mixed" {
			continue
		}
		ex, _ := mrf.Enumerate(m)
		for _, stale := range []bool{false, true} {
			k, law, broken := begin(t, m, Options{Start: Zero}, "complete"), newEmpirical(m, len(ex.P)), false
			old := make([]float64, len(k.w))
			step := func() {
				copy(old, k.w)
				_, _ = k.Step()
				if stale {
					copy(k.w[:k.base[1]], old)
				}
				law.add(k.x)
			}
			lengths, errs := worstErrors(step, func() float64 {
				d := law.distance(ex.P)
				broken = broken || d > k.Bound().Value+1e-12
				return d
			}, 6, 14)
			s := slope(lengths, errs)
			t.Logf("%s, stale %v: slope %.3f, distance at the end %.2g, bound %.2g", name, stale, s, errs[len(errs)-1], k.Bound().Value)
			if good := s < -0.9 && s > -1.1 && !broken && k.Bound().Value < 0.1; good == stale {
				t.Errorf("%s, stale %v: slope %v, bound broken: %v, last bound %v", name, stale, s, broken, k.Bound().Value)
			}
		}
	}
}

// twoVariables is the example of Bornn et al., section 4.1: P(0,0) = 1/4 − ε,
// P(0,1) = P(1,0) = ε, P(1,1) = 3/4 − ε.
func twoVariables(t testing.TB, eps float64) mrf.Model {
	lw := []float64{math.Log(0.25 - eps), math.Log(eps), math.Log(eps), math.Log(0.75 - eps)}
	m, err := mrf.NewTables([]int{2, 2}, make([]float64, 4), []mrf.Table{{Rows: 2, Cols: 2, Log: lw}}, []mrf.TableEdge{{I: 0, J: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// firstVisits returns the state after one sweep from a Mode start.
func firstVisits(t testing.TB, m mrf.Model) []uint8 {
	k := begin(t, m, Options{Start: Mode}, "first")
	_, _ = k.Step()
	return k.x
}

// The bound of a complete graph is (Σ D_i + 1)/((1 − η)·T), computed here from the
// weights and, by enumeration, from the conditionals. The one in the numerator is what
// the start of the states adds: it is most of a bound whose weights are back near
// where they began.
func TestBoundIsTheFormula(t *testing.T) {
	m := complete(t, 4, 0.2)
	keep := 1.0
	lw, p := make([]float64, 2), make([]float64, 2)
	for i := range 4 {
		least := [2]float64{1, 1}
		for state := range 16 {
			x := []uint8{uint8(state & 1), uint8(state >> 1 & 1), uint8(state >> 2 & 1), uint8(state >> 3 & 1)}
			m.LogWeights(lw, i, x)
			mrf.Conditional(p, lw, 1)
			least[0], least[1] = min(least[0], p[0]), min(least[1], p[1])
		}
		keep *= least[0] + least[1]
	}
	k := begin(t, m, Options{Start: Zero}, "formula")
	for n := 1.0; n <= 3000; n++ {
		_, _ = k.Step()
		moved := 0.0
		for _, w := range k.w { // binary: one weight for two states
			moved += math.Abs(w)
		}
		want := min(1, (moved+1)/(keep*n))
		if got := k.Bound(); got.Of != OfLaw || math.Abs(got.Value-want) > 1e-12*want {
			t.Fatalf("after %v sweeps: %+v, want %v", n, got, want)
		}
	}
	if k.Bound().Value > 0.5 {
		t.Errorf("the bound at the end says little: %+v", k.Bound())
	}
}
