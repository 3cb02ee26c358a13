package system

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// grid is an Ising model on a rectangle of variables, or a Potts model of more states.
func grid(t testing.TB, rows, columns, states int, coupling float64) *Field {
	t.Helper()
	n, edges := rows*columns, mrf.Grid(rows, columns, coupling)
	f := &Field{Variables: &Variables{Name: "g", N: n, Rows: rows, Columns: columns}, States: states, Edges: len(edges)}
	for a := range states {
		f.Labels = append(f.Labels, strconv.Itoa(a))
	}
	var err error
	if states == 2 {
		f.Model, err = mrf.NewBinary(make([]float64, n), edges)
	} else {
		var pairs []mrf.TableEdge
		for _, e := range edges {
			pairs = append(pairs, mrf.TableEdge{I: e.I, J: e.J})
		}
		f.Model, err = mrf.NewTables(slices.Repeat([]int{states}, n), make([]float64, n*states),
			[]mrf.Table{mrf.Potts(states, coupling)}, pairs)
	}
	must(t, err)
	return f
}

// setups are set-ups of all kinds over a grid of q states, that count in growing windows.
func setups(t testing.TB, q int, p Plan) map[string]*Setup {
	f := grid(t, 3, 4, q, 0.2)
	f.Watched = []int{0, 11}
	gibbs, err := mrf.NewGibbs(f.Model, mrf.Options{})
	must(t, err)
	herd, err := herded.New(f.Model, herded.Options{})
	must(t, err)
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
		must(t, err)
		out[c] = k
	}
	return out
}

// Collect returns, for every window that a growing run may end with, the counts of all states of plain chains with the
// same streams; errors are those of batch means,
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

// A chain that was saved and restored at any sweep resumes with the same bits and
// counts; a state that is cut short changes nothing and is an error.
func TestChainResumes(t *testing.T) {
	for _, q := range []int{2, 3} {
		plan := NewPlan(3, []int{9, 18, 36})
		plan.Conditionals = q == 3
		for name, s := range setups(t, q, plan) {
			k := kernels(t, s, 1)[0]
			for i := range 40 {
				state, err := k.MarshalBinary()
				must(t, err)
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
// marginals if these determine them, and the best state is Viterbi's.
func TestExactWaysAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	normals := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	f := grid(t, 1, 6, 3, 1)
	pairs := mrf.Table{Rows: 3, Cols: 3, Log: normals(9)}
	var edges []mrf.TableEdge
	for i := range int32(5) {
		edges = append(edges, mrf.TableEdge{I: i, J: i + 1})
	}
	m, err := mrf.NewTables(slices.Repeat([]int{3}, 6), normals(18), []mrf.Table{pairs}, edges)
	must(t, err)
	f.Model = m
	all, way, err := f.Exact()
	if err != nil || way != "enumeration of all states" {
		t.Fatal(way, err)
	}
	chain, err := mrf.ForwardBackward(f.Model)
	must(t, err)
	best, err := f.Viterbi()
	must(t, err)
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

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
