package cggibbs

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// mixtures are priors that are normal given a scale, and others.
func mixtures(location, scale float64) []prior.Prior {
	return []prior.Prior{
		{Kind: prior.StudentT, DF: 3, Location: location, Scale: 0.8 * scale},
		{Kind: prior.Laplace, Location: -location, Scale: 0.7 * scale},
		{Kind: prior.Normal, Location: location, Scale: scale},
		{Kind: prior.Cauchy, Location: location, Scale: 0.4 * scale},
		{Kind: prior.Uniform, Low: -2 * scale, High: 1.5 * scale},
		{Kind: prior.Horseshoe, Scale: 0.5 * scale},
		{Kind: prior.RegularisedHorseshoe, Scale: 0.5 * scale, DF: 6, Slab: scale},
	}
}

// mixedPriors gives the columns of c the kinds of mixtures from the k-th on; a
// walled family keeps what holds it inside.
func mixedPriors(c infertest.Case, k int) infertest.Case {
	priors := append([]prior.Prior(nil), c.Model.Coefficients...)
	for j := range priors {
		if c.Model.Family.PositiveEta() && j == 0 {
			continue
		}
		at := mixtures(priors[j].Location, priors[j].Scale)
		priors[j] = at[(j+k)%len(at)]
		if j == c.Data.Intercept && priors[j].Kind.Shrinks() {
			priors[j] = at[0]
		}
		c.Name += "/" + string(priors[j].Kind)
	}
	c.Model.Coefficients = priors
	return c
}

// mixtureCases are models of every family with mixtures, some of them with more
// columns than rows, and those of horseshoes.
func mixtureCases() []infertest.Case {
	var out []infertest.Case
	for i, c := range append(infertest.Cases(), infertest.FamilyCases()...) {
		out = append(out, mixedPriors(c, i))
	}
	for i, c := range infertest.Cases()[1:] {
		out = append(out, mixedPriors(wide(c, 5, 8), 3*i))
	}
	return append(append(out, infertest.WeightedCases()...), infertest.HorseshoeCases()...)
}

// mixtureUpdates are the updates within the mixture basis.
var mixtureUpdates = []string{"", "stepping_out", "matched", "tangent"}

// The quick form takes one pair of case and update in thirteen.
func TestMixtureConformance(t *testing.T) {
	for i, c := range mixtureCases() {
		for k, update := range mixtureUpdates {
			o := Options{Basis: "mixture", Update: update}
			if !infertest.Full() && (i+k)%13 != 0 {
				continue
			}
			if _, err := o.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+update, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), sampler(o)) })
		}
	}
}

// Where R is all of K, drawing what the likelihood does not see leaves eta as it is,
// so that it is always accepted; the surrogate at ℓ = 0 is the point itself, and
// after its move K belongs to the scales.
func TestMixtureIdentities(t *testing.T) {
	for _, c := range append(infertest.HorseshoeCases(), mixedPriors(wide(infertest.Poisson(8), 5, 8), 0)) {
		s, err := New(simulated(t, c), Options{Basis: "mixture"})
		must(t, err)
		made, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		k := made.(*mixtureKernel)
		for i := range 40 {
			if info := step(t, k); math.Abs(info.Accept-1) > 1e-5 {
				t.Fatalf("%s, iteration %d: accepted with probability %v", c.Name, i, info.Accept)
			}
			k.drawSpreads()
			k.covariance()
			for g := range k.blocks {
				u := k.newSurrogate(g)
				u.at(0)
				for r, moved := range u.direction.Eta {
					if math.Abs(moved) > 1e-7*(1+math.Abs(k.point.Eta()[r])) {
						t.Fatalf("%s, iteration %d, row %d: the surrogate at 0 moves eta by %v", c.Name, i, r, moved)
					}
				}
				_, v := u.at(0.3)
				u.move(0.3)
				if got := k.point.Value().LogLik; math.Abs(got-v.LogLik) > 1e-6*(1+math.Abs(got)) {
					t.Errorf("%s, iteration %d: log likelihood %v after the move, %v foreseen", c.Name, i, got, v.LogLik)
				}
				before := append([]float64(nil), k.grams[g+1]...)
				k.drawSpreads()
				k.covariance()
				for e, x := range k.grams[g+1] {
					if math.Abs(before[e]-x) > 1e-9*(math.Abs(x)+k.grams[g+1][0]) {
						t.Fatalf("%s, iteration %d: entry %d of K is %v, of its scales %v", c.Name, i, e, before[e], x)
					}
				}
			}
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full. The quick form takes one pair of case and update in fifteen.
func TestMixtureInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range mixtureCases() {
		for k, update := range mixtureUpdates {
			o := Options{Basis: "mixture", Update: update}
			if !infertest.Full() && (2*i+k)%15 != 4 {
				continue
			}
			if _, err := o.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+update, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(o), Seed: seed, Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// mixtureWith is the sampler with something changed in its set-up.
func mixtureWith(change func(s *mixtureSetup)) infertest.Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		s, err := New(target, Options{Basis: "mixture"})
		if err != nil {
			return nil, err
		}
		change(s.(*mixtureSetup))
		return s, nil
	}
}

// coarse leaves most of K out of R, so that the directions outside R move eta by much, and their draw is often
// refused.
func coarse(s *mixtureSetup) { s.negligible = 0.3 }

// With most directions of K left out the draws are right still.
func TestMixtureIsRightWhateverIsLeftOut(t *testing.T) {
	for _, c := range []infertest.Case{mixedPriors(wide(infertest.Poisson(8), 5, 8), 0), infertest.HorseshoeCases()[1]} {
		refused := 0.0
		s, err := mixtureWith(coarse)(simulated(t, c))
		must(t, err)
		k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "coarse")})
		must(t, err)
		for range 200 {
			refused += (1 - step(t, k).Accept) / 200
		}
		if refused < 0.1 {
			t.Errorf("%s: %.3f of the draws refused: nothing is tested", c.Name, refused)
		}
		infertest.Invariance(t, infertest.Check{Case: c, Sampler: mixtureWith(coarse), Seed: infertest.Seed(t), Pairs: infertest.Scale(1000, 20_000)})
	}
}

// replaced returns the blocks of an iteration with number i another.
func replaced(i int, block mixtureBlock) func(s *mixtureSetup) {
	return func(s *mixtureSetup) {
		s.steps = append([]mixtureBlock(nil), s.steps...)
		s.steps[i] = block
	}
}

// mixtureFaults are faults of the blocks and of their order. drawSpreads is block 0,
// covariance 1, moveCoefficients 2, moveSurrogates 4, moveScales 5.
var mixtureFaults = []struct {
	name  string
	at    func() infertest.Case
	plant func(s *mixtureSetup)
}{
	{"K of the scales before", studentCase, func(s *mixtureSetup) {
		s.steps = append([]mixtureBlock(nil), s.steps...)
		s.steps[0], s.steps[1] = s.steps[1], s.steps[0]
	}},
	{"lambda moved before the coefficients, K not", otherHorseshoe, func(s *mixtureSetup) {
		s.steps = []mixtureBlock{s.steps[0], s.steps[1], s.steps[5], s.steps[2], s.steps[3]}
	}},
	{"scales of another law", studentCase, replaced(0, func(k *mixtureKernel) bool {
		k.drawSpreads()
		for c := range k.spread {
			k.spread[c] *= 2
			k.weights[c] *= 4
		}
		return true
	})},
	{"the rest is never refused", poissonCase, func(s *mixtureSetup) {
		coarse(s)
		move := s.steps[2]
		replaced(2, func(k *mixtureKernel) bool { return move(k) && redrawAnyway(k) })(s)
	}},
	{"surrogate without its normaliser", horseshoeCase, replaced(4, func(k *mixtureKernel) bool {
		return tiltedSurrogate(k, func(s *surrogate, l float64) float64 {
			if factor := s.factor(l); factor != nil {
				return 0.5 * factor.LogDet()
			}
			return 0
		})
	})},
	{"surrogate without its Jacobian", horseshoeCase, replaced(4, func(k *mixtureKernel) bool {
		return tiltedSurrogate(k, func(_ *surrogate, l float64) float64 { return -l })
	})},
}

func studentCase() infertest.Case {
	c := infertest.Bernoulli(12)
	for j := range c.Model.Coefficients {
		c.Model.Coefficients[j] = prior.Prior{Kind: prior.StudentT, DF: 2, Scale: 1}
	}
	return c
}

func poissonCase() infertest.Case { return mixedPriors(wide(infertest.Poisson(8), 5, 8), 0) }

func otherHorseshoe() infertest.Case { return infertest.HorseshoeCases()[1] }

func horseshoeCase() infertest.Case { return infertest.HorseshoeCases()[0] }

// redrawAnyway draws the directions outside R and accepts always.
func redrawAnyway(k *mixtureKernel) bool {
	factor := linalg.NewPivoted(k.gram, k.target.Rows(), k.mix.negligible)
	f := k.within(factor)
	k.point.Centred(k.theta)
	k.redraw(factor, f.line.v[len(k.mix.kept):])
	k.point.SetCentred(k.theta)
	return true
}

// tiltedSurrogate is the move of the first horseshoe with something added to its
// density.
func tiltedSurrogate(k *mixtureKernel, by func(s *surrogate, l float64) float64) bool {
	s := k.newSurrogate(0)
	f := tilted{s, func(l float64) float64 { return by(s, l) }}
	current, _ := f.at(0)
	l, _, moved, ok := k.slice.update(f, current, 1)
	if ok && moved {
		s.move(l)
	}
	return ok
}

// Each fault must be rejected, and the sampler without one is not, on the same
// pairs. False alarms of the latter: at most 1e-6 each.
func TestMixtureInvarianceCatches(t *testing.T) {
	for _, f := range mixtureFaults {
		t.Run(f.name, func(t *testing.T) {
			check := func(tb infertest.TB, s infertest.Sampler) {
				infertest.Invariance(tb, infertest.Check{Case: f.at(), Sampler: s, Seed: 1, Steps: 6, Pairs: infertest.Scale(1000, 20_000)})
			}
			infertest.MustReject(t, func(tb infertest.TB) { check(tb, mixtureWith(f.plant)) })
			if infertest.Full() {
				check(t, sampler(Options{Basis: "mixture"}))
			}
		})
	}
}

// Ranks begin at the sampler's own starts. False alarms: at most 1e-6 each. Power: a
// distance of 0.14 from uniform ranks with 460 pairs, of 0.03 with 10,000.
func TestMixtureRanks(t *testing.T) {
	for i, c := range []infertest.Case{poissonCase(), studentCase(), infertest.HorseshoeCases()[2], mixedPriors(infertest.Cases()[0], 1)} {
		if !infertest.Full() && i != 1 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Ranks(t, infertest.Check{Case: c, Sampler: sampler(Options{Basis: "mixture"}), Seed: infertest.Seed(t),
				Pairs: infertest.Scale(460, 10_000), Steps: infertest.Scale(5, 15), Draws: infertest.Scale(7, 15)})
		})
	}
}
