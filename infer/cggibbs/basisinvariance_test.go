package cggibbs

import (
	"math"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// Every basis and update on every family, and on models with both kinds of
// priors and with more columns than rows. The quick form takes one pair of case and
// variant in nine of the closed families, in thirty of the others.
//
// False alarms: at most 1e-6 for each check, 1e-5 over those of the quick form. Power: a distance of 0.19 between
// distributions with 460 pairs, of 0.029 in full.
func TestBasisInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range append(append(basisCases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		for k, v := range basisVariants {
			every := 18
			if i >= len(basisCases()) {
				every = 60
			}
			if !infertest.Full() && (2*i+k)%every != 0 {
				continue
			}
			if _, err := v.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(v.Options), Seed: seed,
					Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Faults of the frame, planted in a setup that is otherwise right.
var frameFaults = map[string]func(s *basisSetup){
	"curvature of the prior": func(s *basisSetup) {
		for j := range s.frame.Curvature {
			s.frame.Curvature[j] *= 0.2
		}
	},
	"centre of the prior": func(s *basisSetup) {
		for j := range s.frame.Centre {
			s.frame.Centre[j] += 1.5
		}
	},
	"B is not W·T": func(s *basisSetup) {
		x := *s.frame.Like.Data().X.(*design.Dense)
		x.Values = append([]float64(nil), x.Values...)
		for i := range x.Rows {
			x.Col(0)[i] *= -1
		}
		s.frame.Like = s.frame.Like.Rebased(&x, s.frame.Like.Data().Offset)
	},
}

// Each fault of the frame must be rejected, in both bases.
func TestBasisInvarianceCatches(t *testing.T) {
	for name, plant := range frameFaults {
		for _, c := range []infertest.Case{infertest.Bernoulli(12), wide(infertest.Poisson(8), 5, 8)} {
			for _, basis := range []string{"rotated", "reduced"} {
				t.Run(name+"/"+c.Name+"/"+basis, func(t *testing.T) {
					faulty := func(target *glm.Target) (infer.Setup, error) {
						o := Options{Basis: basis}
						if basis == "reduced" { // rows need the frame in few sweeps only
							o.Update = "stepping_out"
						}
						s, err := New(target, o)
						if err != nil {
							return nil, err
						}
						if r, ok := s.(*reducedSetup); ok {
							plant(r.basisSetup)
						} else {
							plant(s.(*basisSetup))
						}
						return s, nil
					}
					infertest.MustReject(t, func(tb infertest.TB) {
						infertest.Invariance(tb, infertest.Check{Case: c, Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(1000, 20_000)})
					})
				})
			}
		}
	}
}

// Ranks begin at the sampler's own starts. False alarms: at most 1e-6 each. Power:
// a distance of 0.14 from uniform ranks with 460 pairs, of 0.03 with 10,000.
func TestBasisRanks(t *testing.T) {
	seed := infertest.Seed(t)
	cases := []infertest.Case{wide(infertest.Bernoulli(12), 5, 8), mixed(infertest.Poisson(8)), infertest.Gaussian(6, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5})}
	for i, c := range cases {
		for k, basis := range []string{"rotated", "reduced"} {
			if !infertest.Full() && (i+k)%2 == 0 {
				continue
			}
			t.Run(c.Name+"/"+basis, func(t *testing.T) {
				infertest.Ranks(t, infertest.Check{Case: c, Sampler: sampler(Options{Basis: basis}), Seed: seed,
					Pairs: infertest.Scale(460, 10_000), Steps: infertest.Scale(5, 15), Draws: infertest.Scale(7, 15)})
			})
		}
	}
}

// frozenZ is a chain of the reduced basis whose z never leaves its start, while
// what the likelihood does not see is drawn as ever.
func frozenZ(k *basisKernel) infer.Info {
	k.Iteration++
	k.arrive()
	return infer.Info{LogLik: k.point.Value().LogLik}
}

// The reduced basis can hide this: with z frozen at four starts most coefficients of a wide model pass R-hat ≤
// 1.01, so that z and log_lik must be gated. Both show it: their R-hat is infinite, for they never move. A chain
// that moves passes in all three.
func TestFrozenZIsSeen(t *testing.T) {
	const n, d, chains, draws = 4, 500, 4, 600
	target := simulated(t, wide(infertest.Bernoulli(12), n, d))
	for _, frozen := range []bool{true, false} {
		s, err := New(target, Options{Basis: "reduced"})
		must(t, err)
		theta, z, logLik := make([][][]float64, d), make([][][]float64, n), make([][]float64, chains)
		for c := range chains {
			made, err := s.Kernel(infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(4, strconv.Itoa(c))})
			must(t, err)
			k := made.(*reducedKernel).basisKernel
			for j := range d {
				theta[j] = append(theta[j], nil)
			}
			for j := range n {
				z[j] = append(z[j], nil)
			}
			at := make([]float64, d)
			for range draws {
				info := infer.Info{}
				if frozen {
					info = frozenZ(k)
				} else {
					info = step(t, k)
				}
				k.Position(at)
				logLik[c] = append(logLik[c], info.LogLik)
				for j, v := range at {
					theta[j][c] = append(theta[j][c], v)
				}
				for j, v := range k.z() {
					z[j][c] = append(z[j][c], v)
				}
			}
		}
		passed, zPassed, likPassed := share(theta), share(z), share([][][]float64{logLik})
		t.Logf("frozen %v: R-hat ≤ 1.01 for %.3f of the coefficients, %.3f of z, %.0f of log_lik", frozen, passed, zPassed, likPassed)
		switch {
		case frozen && (passed < 0.5 || zPassed > 0 || likPassed > 0):
			t.Errorf("frozen z: %v of the coefficients pass, %v of z, %v of log_lik: want most, none, none", passed, zPassed, likPassed)
		case !frozen && (passed < 0.98 || zPassed < 0.7 || likPassed < 1):
			t.Errorf("moving z: %v of the coefficients pass, %v of z, %v of log_lik", passed, zPassed, likPassed)
		}
	}
}

// share returns the share of quantities with R-hat ≤ 1.01.
func share(chains [][][]float64) float64 {
	passed := 0
	for _, c := range chains {
		if r := diag.NewWorkspace().Summarize(c).RHat; !math.IsNaN(r) && r <= 1.01 {
			passed++
		}
	}
	return float64(passed) / float64(len(chains))
}
