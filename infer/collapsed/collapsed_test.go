package collapsed

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/infer/mixture"
)

// density is log likelihood and log prior at a position, by the definition of the mixture.
func density(s *setup, position []float64) (logLik, logPrior float64) {
	k, d := s.Components, len(s.Of)
	logW, theta := make([]float64, k), make([]float64, k*d)
	s.read(position, logW, theta)
	at, one, scratch := make([]float64, s.rows), make([]float64, s.rows), make([]float64, s.rows)
	g, _ := math.Lgamma(float64(k) * s.opts.Concentration)
	g1, _ := math.Lgamma(s.opts.Concentration)
	logPrior = g - float64(k)*g1
	for c := range k {
		own := theta[c*d : (c+1)*d]
		logPrior += (s.opts.Concentration-1)*logW[c] + s.family.logPrior(own)
		s.family.logLik(own, one, scratch)
		for i, l := range one {
			at[i] += math.Exp(logW[c] + l)
		}
	}
	for _, p := range at {
		logLik += math.Log(p)
	}
	return logLik, logPrior
}

func TestConformance(t *testing.T) {
	for _, e := range examples {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprint(e.name, " plain ", plain), func(t *testing.T) {
				s := e.setup(t, Options{Options: mixture.Options{Components: 3, Concentration: 1.5}, Plain: plain})
				infertest.Conforms(t, s, infertest.Posterior{Parameters: s.Parameters(),
					LogDensity: func(p []float64) (float64, float64) { return density(s, p) },
					Other: func() ([]byte, error) {
						return e.setup(t, Options{Options: mixture.Options{Components: 2}}).chain(t, 1).MarshalBinary()
					}})
			})
		}
	}
}

// three are three coins of 100 throws each: few, half and most of them heads.
var three = example{name: "three coins", family: trialsOf, data: ones([]float64{5, 50, 95}, []float64{100, 100, 100}),
	prior: "beta(1, 1)"}

// With two components the coin in the middle belongs to either with equal probabilities. The plain sampler never
// moves it: given that it is one of two coins with about 3/4 heads, a component of 1/20 is e⁻⁷⁰ times as likely.
// The collapsed sampler does not hold the components' probabilities while it draws the label, and has the exact
// distribution.
func TestPlainIsStuck(t *testing.T) {
	for _, plain := range []bool{true, false} {
		k := three.setup(t, Options{Options: mixture.Options{Components: 2}, Plain: plain}).chain(t, 3)
		exact, total := 0.0, 0.0
		labellings(k, func(int) {
			p := math.Exp(k.logTarget())
			if total += p; k.labels[0] == k.labels[1] {
				exact += p
			}
		})
		exact /= total
		copy(k.labels, []uint8{0, 0, 1})
		k.collect()
		k.drawParameters()
		k.Evaluate()
		const iterations = 20_000
		share := 0.0
		for range iterations {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if k.labels[0] == k.labels[1] {
				share += 1.0 / iterations
			}
		}
		switch {
		case plain && math.Abs(share-1) > 1e-9:
			t.Errorf("the plain sampler had the first two coins together in %v of its iterations, not all", share)
		case !plain && math.Abs(share-exact) > 6*0.5/math.Sqrt(iterations/3):
			t.Errorf("the collapsed sampler had the first two coins together in %.4f of its iterations, all labellings "+
				"have %.4f", share, exact)
		}
	}
}

// Several chains of the plain sampler disagree about what no label moves, and those of the collapsed one agree: means
// of the lesser intercept over four chains.
func TestChainsOfThePlainSamplerDisagree(t *testing.T) {
	spread := func(plain bool) float64 {
		s := three.setup(t, Options{Options: mixture.Options{Components: 2}, Plain: plain})
		least, largest := math.Inf(1), math.Inf(-1)
		position := make([]float64, s.Len())
		for c := range 4 {
			k, err := s.Kernel(infer.Chain{Index: c, Count: 4, Stream: infer.NewStream(1, "three", fmt.Sprint(c))})
			must(t, err)
			mean := 0.0
			for range 4000 {
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
				k.Position(position)
				mean += position[2] / 4000
			}
			least, largest = min(least, mean), max(largest, mean)
		}
		return largest - least
	}
	if plain, collapsed := spread(true), spread(false); !(plain > 1.5 && collapsed < 0.2) {
		t.Errorf("means of the lesser intercept spread over %.3f with the plain sampler, %.3f with the collapsed one", plain,
			collapsed)
	}
}
