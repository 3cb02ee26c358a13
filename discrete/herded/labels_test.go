package herded

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// sentence is a chain CRF of n words with 5 labels: unary potentials N(0, 3²)
// for each word, transitions N(0, 1.5²) shared by all; skip joins words 5 apart that
// are drawn to agree, as equal words of a text are.
func sentence(t testing.TB, r *rand.Rand, transition mrf.Table, n int, skip bool) mrf.Model {
	const labels = 5
	states, unary := make([]int, n), make([]float64, n*labels)
	for i := range states {
		states[i] = labels
	}
	for k := range unary {
		unary[k] = 3 * r.NormFloat64()
	}
	var edges []mrf.TableEdge
	for i := range n - 1 {
		edges = append(edges, mrf.TableEdge{I: int32(i), J: int32(i + 1)})
	}
	for i := 0; skip && i+5 < n; i += 3 {
		edges = append(edges, mrf.TableEdge{I: int32(i), J: int32(i + 5), Table: 1})
	}
	m, err := mrf.NewTables(states, unary, []mrf.Table{transition, mrf.Potts(labels, 1)}, edges)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// finder looks for the most probable labels in so many sweeps.
type finder struct {
	name  string
	setup func(m mrf.Model) (infer.Setup, error)
	n     int
}

func finders() []finder {
	var out []finder
	for _, n := range []int{100, 400, 800} {
		out = append(out, finder{fmt.Sprintf("annealed Gibbs, %d", n), func(m mrf.Model) (infer.Setup, error) {
			return mrf.NewGibbs(m, mrf.Options{Schedule: mrf.Linear(0.2, 5, n)})
		}, n})
	}
	for _, n := range []int{100, 400, 800} {
		out = append(out, finder{fmt.Sprintf("herded, %d", n), func(m mrf.Model) (infer.Setup, error) { return New(m, Options{Start: Mode}) }, n})
	}
	return out
}

func seconds() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// Labelling: the share of sequences whose best sample is the most probable one, by
// Viterbi on chains. On skip chains, where Viterbi does not apply, the truth is
// that of annealing for 4000 sweeps, or better where a method found better. The
// short form holds both methods to half of the chains; GLMBATCH_STAT=1 prints the
// table of docs/discrete-studies.md.
func TestLabelling(t *testing.T) {
	sequences := 10
	long := os.Getenv("GLMBATCH_STAT") == "1"
	if long {
		sequences = 100
	}
	for _, skip := range []bool{false, true} {
		if skip && !long {
			continue
		}
		r := rand.New(rand.NewPCG(9, 9))
		transition := mrf.Table{Rows: 5, Cols: 5, Log: make([]float64, 25)}
		for k := range transition.Log {
			transition.Log[k] = 1.5 * r.NormFloat64()
		}
		kinds := finders()
		found, best, spent := make([][]float64, len(kinds)), make([]float64, sequences), make([]float64, len(kinds))
		exactly := 0.0
		for n := range sequences {
			m := sentence(t, r, transition, 20, skip)
			before := seconds()
			best[n] = mostProbable(t, m, skip, n)
			exactly += seconds() - before
			for f, kind := range kinds {
				before := seconds()
				u := look(t, kind, m, n)
				spent[f] += seconds() - before
				found[f] = append(found[f], u)
				best[n] = max(best[n], u)
			}
		}
		t.Logf("skip chains %v: the truth took %.2g ms a sequence", skip, 1000*exactly/float64(sequences))
		for f, kind := range kinds {
			share := 0.0
			for n, u := range found[f] {
				if u > best[n]-1e-9 {
					share += 1 / float64(sequences)
				}
			}
			t.Logf("| %s | %.0f %% | %.2g ms |", kind.name, 100*share, 1000*spent[f]/float64(sequences))
			if share < 0.5 && kind.n == 800 {
				t.Errorf("%s: best labels of %v of the sequences", kind.name, share)
			}
		}
	}
}

// look returns the largest U that a method sees.
func look(t testing.TB, kind finder, m mrf.Model, n int) float64 {
	s, err := kind.setup(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(4, kind.name, fmt.Sprint(n))})
	if err != nil {
		t.Fatal(err)
	}
	for range kind.n {
		_, _ = k.Step()
	}
	return k.(mrf.Sampler).Best(make([]uint8, m.Variables()))
}

// mostProbable returns the U of Viterbi's labels, or what long annealing finds.
func mostProbable(t testing.TB, m mrf.Model, skip bool, n int) float64 {
	if skip {
		return look(t, finder{"truth", func(m mrf.Model) (infer.Setup, error) {
			return mrf.NewGibbs(m, mrf.Options{Schedule: mrf.Linear(0.2, 5, 4000)})
		}, 4000}, m, n)
	}
	_, u, err := mrf.Viterbi(m)
	if err != nil || math.IsNaN(u) {
		t.Fatal(err)
	}
	return u
}
