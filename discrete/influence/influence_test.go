package influence

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer/dogs"
)

func normals(r *rand.Rand, n int, scale float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = scale * r.NormFloat64()
	}
	return out
}

// binary is a random graph of n variables, some fields far from 0.
func binary(t testing.TB, seed uint64, n int, scale float64) *mrf.Binary {
	r := rand.New(rand.NewPCG(seed, 1))
	var edges []mrf.Edge
	for i := range n {
		for j := range i {
			if r.Float64() < 0.6 {
				edges = append(edges, mrf.Edge{I: int32(i), J: int32(j), Weight: scale * r.NormFloat64()})
			}
		}
	}
	m, err := mrf.NewBinary(normals(r, n, 3*scale), edges)
	must(t, err)
	return m
}

func ising(t testing.TB, rows, cols int, theta float64) *mrf.Binary {
	m, err := mrf.NewBinary(make([]float64, rows*cols), mrf.Grid(rows, cols, theta))
	must(t, err)
	return m
}

// potts is a cycle of n variables with random tables of 3 states.
func potts(t testing.TB, seed uint64, n int, scale float64) *mrf.Tables {
	r := rand.New(rand.NewPCG(seed, 2))
	states := make([]int, n)
	var tables []mrf.Table
	var edges []mrf.TableEdge
	for i := range n {
		states[i] = 3
		tables = append(tables, mrf.Table{Rows: 3, Cols: 3, Log: normals(r, 9, scale)})
		edges = append(edges, mrf.TableEdge{I: int32(i), J: int32((i + 1) % n), Table: int32(i)})
	}
	m, err := mrf.NewTables(states, normals(r, 3*n, scale), tables, edges)
	must(t, err)
	return m
}

func triples(t testing.TB, seed uint64, scale float64) *mrf.Terms {
	r := rand.New(rand.NewPCG(seed, 3))
	m, err := mrf.NewTerms(normals(r, 6, 3*scale), []mrf.Term{
		{Weight: scale * r.NormFloat64(), Members: []int32{0, 1, 2}}, {Weight: scale * r.NormFloat64(), Members: []int32{2, 3, 4, 5}},
		{Weight: scale * r.NormFloat64(), Members: []int32{0, 5}}, {Weight: scale * r.NormFloat64(), Members: []int32{1, 2}},
	})
	must(t, err)
	return m
}

func exact(t testing.TB, m mrf.Model) *dogs.Influence {
	c, err := Exact(m)
	must(t, err)
	return c
}

// brute returns C_ij by trying every state of all other variables.
func brute(m mrf.Model, i, j int) float64 {
	q := m.States(i)
	lw, p, first := make([]float64, q), make([]float64, q), make([]float64, q)
	worst := 0.0
	x := make([]uint8, m.Variables())
	for more := true; more; {
		for b := range m.States(j) {
			for c := range b {
				y := append([]uint8(nil), x...)
				y[j] = uint8(b)
				m.LogWeights(lw, i, y)
				mrf.Conditional(first, lw, 1)
				y[j] = uint8(c)
				m.LogWeights(lw, i, y)
				mrf.Conditional(p, lw, 1)
				sum := 0.0
				for a := range p {
					sum += math.Abs(p[a] - first[a])
				}
				worst = max(worst, sum/2)
			}
		}
		mrf.Next(m, x)
		more = mrf.Index(m, x) != 0
	}
	return worst
}

// Exact is the definition; Bounds are never below it. Theorem 11 is exact where
// b* ≠ 1, in fields too strong for the others to cancel.
func TestBoundsHold(t *testing.T) {
	exactly := 0
	for seed := range uint64(6) {
		scale := 0.1 + 0.2*float64(seed)
		equal, err := mrf.NewBinary(normals(rand.New(rand.NewPCG(seed, 4)), 6, 3*scale), mrf.Grid(2, 3, scale))
		must(t, err)
		for name, m := range map[string]mrf.Model{"binary": binary(t, seed, 6, scale), "equal": equal, "potts": potts(t, seed, 4, scale), "terms": triples(t, seed, scale)} {
			upper, true_ := Bounds(m), exact(t, m)
			for i := range m.Variables() {
				near, bound := upper.Row(i)
				_, value := true_.Row(i)
				for k, j := range near {
					if want := brute(m, i, int(j)); math.Abs(value[k]-want) > 1e-14 {
						t.Errorf("%s %d: Exact has %v for C[%d,%d], want %v", name, seed, value[k], i, j, want)
					}
					if bound[k] < value[k]-1e-14 {
						t.Errorf("%s %d: the bound %v of C[%d,%d] is below %v", name, seed, bound[k], i, j, value[k])
					}
					if b, ok := m.(*mrf.Binary); ok && starved(b, i, k) {
						exactly++
						if math.Abs(bound[k]-value[k]) > 1e-14 {
							t.Errorf("%s %d: theorem 11 gives %v for C[%d,%d] with b* ≠ 1, the influence is %v", name, seed, bound[k], i, j, value[k])
						}
					}
				}
			}
		}
	}
	if exactly < 10 {
		t.Errorf("only %d influences with b* ≠ 1 were compared", exactly)
	}
}

// starved reports whether b* ≠ 1 for neighbour k of i: the field outweighs all
// other couplings.
func starved(m *mrf.Binary, i, k int) bool {
	rest := 0.0
	for l, w := range m.Weights(i) {
		if l != k {
			rest += math.Abs(w)
		}
	}
	return math.Abs(m.Field(i)) > rest
}

// The bound of tables is reached: with the fields that put all weight on the
// states where the potentials differ most, the influence is tanh(δ/4). And an
// Ising grid without fields has tanh θ, theorem 11 with b* = 1.
func TestBoundsAreReached(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		table := mrf.Table{Rows: 2, Cols: 3, Log: normals(r, 6, 1)}
		low, high := 0, 0
		diff := make([]float64, 3)
		for a := range diff {
			diff[a] = table.Log[a] - table.Log[3+a]
			if diff[a] < diff[low] {
				low = a
			}
			if diff[a] > diff[high] {
				high = a
			}
		}
		unary := []float64{0, 0, -100, -100, -100} // of variable 1: half way between the two rows
		for _, a := range []int{low, high} {
			unary[2+a] = -(table.Log[a] + table.Log[3+a]) / 2
		}
		m, err := mrf.NewTables([]int{2, 3}, unary, []mrf.Table{table}, []mrf.TableEdge{{I: 0, J: 1}})
		must(t, err)
		_, bound := Bounds(m).Row(1)
		_, value := exact(t, m).Row(1)
		if want := math.Tanh((diff[high] - diff[low]) / 4); math.Abs(bound[0]-want) > 1e-14 || math.Abs(value[0]-want) > 1e-12 {
			t.Errorf("bound %v and influence %v, want %v", bound[0], value[0], want)
		}
	}
	for _, theta := range []float64{0.2, -0.2, 30, 1e-9} {
		_, v := Bounds(ising(t, 3, 3, theta)).Row(4)
		for _, c := range v {
			if want := math.Tanh(math.Abs(theta)); math.Abs(c/want-1) > 1e-6 || math.Abs(c-want) > 1e-15 {
				t.Errorf("θ = %v: influence %v, want %v", theta, c, want)
			}
		}
	}
}

// Exact refuses neighbourhoods that are too large.
func TestExactRefuses(t *testing.T) {
	if _, err := Exact(wide(t)); err == nil || !strings.Contains(err.Error(), "more than 65536 states; use Bounds") {
		t.Errorf("17 neighbours: %v", err)
	}
}

// wide is a variable with 17 neighbours.
func wide(t testing.TB) mrf.Model {
	var edges []mrf.Edge
	for j := range int32(17) {
		edges = append(edges, mrf.Edge{I: 0, J: j + 1, Weight: 0.1})
	}
	m, err := mrf.NewBinary(make([]float64, 18), edges)
	must(t, err)
	return m
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
