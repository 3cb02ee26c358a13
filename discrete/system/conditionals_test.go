package system

import (
	"math"
	"testing"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Averages of conditional probabilities are those of the states that iterations ended in, written out, over any window.
func TestConditionalsAreAveraged(t *testing.T) {
	for _, q := range []int{2, 3} {
		plan := NewPlan(5, []int{15, 25})
		plan.Conditionals = true
		for name, s := range setups(t, q, plan) {
			chains, want := kernels(t, s, 2), mrf.NewMarginals(s.Model)
			for i := range s.N {
				clear(want.At(i))
			}
			lw, p := make([]float64, q), make([]float64, q)
			for _, k := range chains {
				for sweep := range 25 {
					if _, err := k.Step(); err != nil {
						t.Fatal(err)
					}
					x := k.(*Chain).sampler.State()
					for i := range x {
						s.Model.LogWeights(lw, i, x)
						mrf.Conditional(p, lw, 1)
						for a := range p {
							if sweep >= 15 {
								want.At(i)[a] += p[a] / 20
							}
						}
					}
				}
			}
			got := s.Collect(chains, 15, 25, true, true).Marginals
			for i := range s.N {
				for a, w := range want.At(i) {
					if math.Abs(got.At(i)[a]-w) > 1e-13 {
						t.Fatalf("%s: P(x%d = %d) is %v, averaged %v", name, i, a, got.At(i)[a], w)
					}
				}
			}
		}
	}
}

// Averages of conditionals have less error than those of states, of Gibbs and of herded chains, on a grid of 3 × 3
// variables with couplings of both signs, 200 sweeps, by enumeration; and their Monte Carlo errors say so.
//
// Deterministic: no false alarms.
func TestConditionalsHaveLessError(t *testing.T) {
	f := grid(t, 3, 3, 2, 0.25)
	edges := mrf.Grid(3, 3, 0.25)
	for k := range edges {
		if k%3 == 0 {
			edges[k].Weight = -0.25
		}
	}
	m, err := mrf.NewBinary([]float64{0.1, -0.2, 0.3, 0, 0.2, -0.1, 0.05, 0.4, -0.3}, edges)
	must(t, err)
	exact, err := mrf.Enumerate(m)
	must(t, err)
	f.Model = m
	for _, name := range []string{"gibbs", "herded"} {
		var errorsBy, mcse [2]float64
		for mode := range 2 {
			plan := NewPlan(0, []int{200})
			plan.Conditionals = mode == 1
			var inner infer.Setup
			if name == "gibbs" {
				inner, err = mrf.NewGibbs(m, mrf.Options{})
			} else {
				inner, err = herded.New(m, herded.Options{})
			}
			must(t, err)
			s, err := f.NewSetup(inner, plan, nil)
			must(t, err)
			for _, k := range kernels(t, s, 40) {
				for range 200 {
					_, _ = k.Step()
				}
				r := s.Collect([]infer.Kernel{k}, 0, 200, true, true)
				for i := range s.N {
					e := r.Marginals.At(i)[1] - exact.Marginals.At(i)[1]
					errorsBy[mode] += e * e / 40 / float64(s.N)
					mcse[mode] += r.MCSE[2*i+1] * r.MCSE[2*i+1] / 40 / float64(s.N)
				}
			}
		}
		t.Logf("%s: error %.5f of states, %.5f of conditionals; Monte Carlo errors %.5f and %.5f", name,
			math.Sqrt(errorsBy[0]), math.Sqrt(errorsBy[1]), math.Sqrt(mcse[0]), math.Sqrt(mcse[1]))
		if errorsBy[1] > 0.7*errorsBy[0] {
			t.Errorf("%s: averages of conditionals have a mean squared error of %v, of states %v", name, errorsBy[1], errorsBy[0])
		}
		if ratio := mcse[1] / errorsBy[1]; name == "gibbs" && (ratio < 0.5 || ratio > 1.5) {
			t.Errorf("the squared Monte Carlo errors of conditionals are %.2f of the squared errors", ratio)
		}
	}
}
