package cggibbs

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// An iteration of several moves is as many iterations of one, to the bit, in every basis: what lies between draws
// is left out and nothing else; in a lean warm-up it is one. In the basis reduced that holds for the directions
// that the likelihood depends on; the remaining ones are drawn once.
func TestMovesAreIterations(t *testing.T) {
	const moves, warmup = 3, 7
	mixed := posterior(t, "poisson", 20, 30, prior.Prior{Kind: prior.Laplace, Scale: 1})
	plain := posterior(t, "gaussian", 40, 5, unitNormal)
	wide := posterior(t, "bernoulli", 12, 40, unitNormal)
	for _, o := range []Options{
		{}, {Scan: "random"}, {Update: "stepping_out"}, {Basis: "rotated"}, {Basis: "rotated", Scan: "random"},
		{Basis: "rotated", Joint: "on"}, {Basis: "reduced"}, {Basis: "mixture"},
		{lean: true}, {Basis: "rotated", lean: true}, {Basis: "rotated", Joint: "on", lean: true}, {Basis: "reduced", lean: true},
		{Basis: "mixture", lean: true},
	} {
		o.RefreshEvery = -1 // refreshes are counted in iterations
		target := plain
		if o.Basis == "mixture" {
			target = mixed
		} else if o.Basis == "reduced" {
			target = wide
		}
		kernel := func(moves int) infer.Kernel {
			o := o
			o.Moves = moves
			s, err := New(target, o)
			must(t, err)
			k, err := s.Kernel(infer.Chain{Count: 4, Warmup: warmup, Stream: infer.NewStream(1, "chain")})
			must(t, err)
			return k
		}
		several, single := kernel(moves), kernel(0)
		a, b := make([]float64, target.Dim()), make([]float64, target.Dim())
		for i := range 30 {
			got := step(t, several)
			var want infer.Info
			evaluations, moves := int64(0), moves
			if o.lean && i < warmup {
				moves = 1
			}
			for range moves {
				want = step(t, single)
				evaluations += want.Evaluations
			}
			several.Position(a)
			single.Position(b)
			if o.Basis == "reduced" {
				clear(a)
				clear(b)
			}
			if got.LogLik != want.LogLik || got.Evaluations != evaluations || !slices.Equal(a, b) {
				t.Fatalf("%+v: iteration %d: log_lik %v after %d evaluations at %v, want %v, %d, %v", o, i, got.LogLik,
					got.Evaluations, a, want.LogLik, evaluations, b)
			}
		}
	}
}

// Sweeps follow joint proposals in regular iterations, of which those of a lean warm-up have one proposal. A state
// that was saved in warm-up or after it continues with the same bits.
func TestSweepsFollowProposals(t *testing.T) {
	const moves, warmup, every, steps = 5, 10, 3, 40
	target := posterior(t, "bernoulli", 40, 3, unitNormal)
	s, err := New(target, Options{Basis: "rotated", Joint: "swept", Moves: moves, SweepEvery: every, lean: true})
	must(t, err)
	fresh := func(index int) infer.Kernel {
		k, err := s.Kernel(infer.Chain{Index: index, Count: 4, Warmup: warmup, Stream: infer.NewStream(1, "chain", strconv.Itoa(index))})
		must(t, err)
		return k
	}
	var infos []infer.Info
	var states [][]byte
	for k := fresh(0); len(infos) < steps; {
		state, err := k.MarshalBinary()
		must(t, err)
		states, infos = append(states, state), append(infos, step(t, k))
	}
	for i, info := range infos {
		proposals, sweeps := int64(moves), i%every == 0
		if i < warmup {
			proposals = 1
		}
		if got := info.Evaluations - proposals; sweeps && got < 3 || !sweeps && got != 0 {
			t.Errorf("iteration %d: %d evaluations besides %d proposals", i, got, proposals)
		}
		k := fresh(1)
		for range i % 3 {
			step(t, k)
		}
		must(t, k.UnmarshalBinary(states[i]))
		for j := i; j < min(steps, i+12); j++ {
			if got := step(t, k); got != infos[j] {
				t.Fatalf("restored at iteration %d: iteration %d is %+v, want %+v", i, j, got, infos[j])
			}
		}
	}
}

// Where sampling is less than a tenth of what a draw costs, auto makes so many moves that it is worth 0.8 of an
// independent one, whatever they cost and keep.
func TestMovesWhereTheyAreCheap(t *testing.T) {
	cheap := 0
	for _, around := range []float64{2e4, 1e5, 2e6} {
		for _, move := range []float64{10, 300, 1000, 5000, 20_000, 1e6} {
			for _, rest := range []float64{0, 100, 5000} {
				for _, kept := range []float64{0, 0.1, 0.3, 0.5, 0.7} {
					for _, bounded := range []bool{false, true} {
						s := scheme{setup: 1e7, move: move, rest: rest, bounded: bounded, worth: sweeping(kept)}
						moves, cost := costs{around: around}.least(s)
						if moves < 1 || moves > autoMoves || !(cost <= costs{around: around}.after(s, 1)) {
							t.Errorf("%+v: %d moves at %v", s, moves, cost)
						}
						// one move more, which bounded schemes look at, is as cheap
						if s.sampled(2*moves) >= sampledShare*(around+s.sampled(2*moves)) {
							continue
						}
						cheap++
						if worth := s.worth(moves); worth < 0.8 && moves < autoMoves {
							t.Errorf("around %v, move %v, rest %v, kept %v: %d moves, a draw worth %.2f", around, move, rest, kept,
								moves, worth)
						}
					}
				}
			}
		}
	}
	if cheap < 100 {
		t.Errorf("%d cases are cheap", cheap)
	}
	if moves, _ := (costs{around: 1e5, given: 7}).least(scheme{move: 1, worth: sweeping(0)}); moves != 7 {
		t.Errorf("%d moves, 7 were asked for", moves)
	}
}

// expected returns a function's expectation after a step from each state.
func expected(step [][]float64, f []float64) []float64 {
	next := make([]float64, len(f))
	for i := range step {
		for j, a := range step[i] {
			next[i] += a * f[j]
		}
	}
	return next
}

// The worth that a pilot computes from weights is that of the chain: on states with the weights' distribution,
// whose transition probabilities are enumerated, the variance of a mean over that of independent draws is 1/worth.
// A sweep, which redraws with probability 1 − kept, follows every every draws, counted from any of them.
func TestPilotForetellsWorth(t *testing.T) {
	const states = 64
	for _, spread := range []float64{0, 0.3, 1} {
		weights, values := make([]float64, states), make([]float64, states)
		stream := infer.NewStream(1, "weights")
		total := 0.0
		for i := range weights {
			values[i] = math.Sin(float64(i))
			weights[i] = math.Exp(spread * 4 * (stream.Float64() - 0.5))
			total += weights[i]
		}
		p := jointPilot{proposals: states, refused: make([]float64, states), squares: [][]float64{make([]float64, states)}}
		step := make([][]float64, states) // transition probabilities
		mean, square := 0.0, 0.0
		for i, x := range weights {
			step[i] = make([]float64, states)
			step[i][i] = 1
			for j, y := range weights {
				if a := min(1, y/x) / states; i != j {
					step[i][j] = a
					step[i][i] -= a
				}
			}
			p.refused[i] = step[i][i] - 1./states // what comes back to itself was accepted
			mean += x / total * values[i]
		}
		for i, x := range weights {
			e := values[i] - mean
			p.squares[0][i] = x / total * e * e
			square += p.squares[0][i]
		}
		for i := range weights {
			p.squares[0][i] /= square
		}
		for _, c := range []struct {
			moves, every int
			kept         float64
		}{{1, 1, 0.999999}, {3, 1, 0.999999}, {1, 1, 0.3}, {1, 8, 0.3}, {2, 3, 0.5}} {
			lags, f := 1.0, slices.Clone(values)
			for lag := range 400 { // draws
				for range c.moves {
					f = expected(step, f)
				}
				kept := 0.0 // after the sweeps among lag + 1 draws, whichever is the first
				for first := range c.every {
					kept += math.Pow(c.kept, float64((first+lag+1)/c.every)) / float64(c.every)
				}
				for i, x := range weights {
					lags += 2 * kept * x / total * (values[i] - mean) * (f[i] - mean) / square
				}
			}
			if got := p.worth(c.moves, c.every, c.kept); math.Abs(got*lags-1) > 0.1 {
				t.Errorf("spread %v, %+v: worth %.3f, of the chain %.3f", spread, c, got, 1/lags)
			}
		}
	}
}

// Joint moves are taken where proposals cover the tails only, and the reason says how far they do.
func TestAutoTakesJointMovesWhereTheyCoverTheTails(t *testing.T) {
	covered := explained(t, posterior(t, "bernoulli", 2000, 6, unitNormal))
	if !strings.Contains(covered, "joint moves between draws, of which a pilot accepted") ||
		!strings.Contains(covered, "Pareto tail of shape") {
		t.Errorf("2000 × 6: %s", covered)
	}
	for _, seed := range []uint64{1, 2, 3} {
		target := separated(t, 60, 2, seed)
		words := explained(t, target)
		if !strings.Contains(words, "no joint moves: the importance weights of 256 proposals") {
			t.Errorf("separated, seed %d: %s", seed, words)
		}
		if c := choose(target.Vectorised(), Options{}); c.joint != nil {
			t.Errorf("separated, seed %d: joint moves", seed)
		}
	}
}

// A sweep after joint proposals, and several proposals to a draw, leave the posterior as it is: one of each count in
// the variants of the joint tests, here with every scale of priors that auto gives them.
//
// False alarms: at most 1e-6 for each. Power: a distance of 0.19 between distributions with 460 pairs, of 0.029 in
// full.
func TestMovesInvariance(t *testing.T) {
	heavyTails := infertest.Bernoulli(12)
	heavyTails.Model.Coefficients = slices.Clone(heavyTails.Model.Coefficients)
	for j := range heavyTails.Model.Coefficients {
		heavyTails.Model.Coefficients[j] = prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 1}
	}
	for _, o := range []Options{
		{Basis: "auto", Moves: 2}, {Moves: 2, Scan: "random"}, {Basis: "rotated", Joint: "swept", Moves: 3, Update: "doubling"},
		{Basis: "rotated", Joint: "swept", Moves: 2, SweepEvery: 3, Update: "doubling"},
	} {
		infertest.Invariance(t, infertest.Check{Case: heavyTails, Sampler: sampler(o), Seed: infertest.Seed(t), Steps: 3,
			Pairs: infertest.Scale(460, 20_000)})
		infertest.Conformance(t, simulated(t, heavyTails), sampler(o))
	}
}
