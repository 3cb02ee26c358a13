package cggibbs

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// varianceCDF returns the distribution of σ² given the distance delta from a prior's location, in closed form, from
// the definitions in drawSpreads.
func varianceCDF(p prior.Prior, delta float64) func(float64) float64 {
	phi := distuv.UnitNormal.CDF
	if p.Kind == prior.Laplace { // 1/σ² ~ InverseGaussian(mu, lambda)
		mu, lambda := 1/(p.Scale*math.Abs(delta)), 1/(p.Scale*p.Scale)
		return func(v float64) float64 {
			x := 1 / v
			root := math.Sqrt(lambda / x)
			return 1 - phi(root*(x/mu-1)) - math.Exp(2*lambda/mu)*phi(-root*(x/mu+1))
		}
	}
	df := p.DF
	if p.Kind == prior.Cauchy {
		df = 1
	}
	return distuv.InverseGamma{Alpha: (df + 1) / 2, Beta: (df*p.Scale*p.Scale + delta*delta) / 2}.CDF
}

// distance is that of Kolmogorov and Smirnov of draws, which it sorts, from a law.
func distance(draws []float64, cdf func(float64) float64) (d float64) {
	slices.Sort(draws)
	n := float64(len(draws))
	for i, v := range draws {
		u := cdf(v)
		d = max(d, u-float64(i)/n, float64(i+1)/n-u)
	}
	return d
}

// The draw of a mixing scale has its distribution, apart from any chain.
//
// False alarms: at most 1e-6 for the 8 checks together (Massart 1990). Power: with
// 200,000 draws the critical distance is 0.0065; σ² that is 10 % too large, which is the
// planted fault, moves each law by 0.019 or more.
func TestMixingScalesHaveTheirLaw(t *testing.T) {
	const n = 200_000
	limit := math.Sqrt(math.Log(2/(1e-6/8)) / (2 * n))
	for _, p := range []prior.Prior{
		{Kind: prior.Laplace, Scale: 0.7}, {Kind: prior.Laplace, Scale: 3},
		{Kind: prior.StudentT, DF: 5, Scale: 0.7}, {Kind: prior.Cauchy, Scale: 2},
	} {
		for _, delta := range []float64{0.3, -1.5} {
			name := fmt.Sprintf("%s, scale %g, at %g", p.Kind, p.Scale, delta)
			stream := infer.NewStream(infertest.Seed(t), "mixing scales", name)
			draws, faulty := make([]float64, n), make([]float64, n)
			for i := range draws {
				draws[i] = drawVariance(stream, p, delta)
				faulty[i] = 1.1 * draws[i]
			}
			cdf := varianceCDF(p, delta)
			if d := distance(draws, cdf); d > limit {
				t.Errorf("%s: off by %.4f, limit %.4f", name, d, limit)
			}
			if d := distance(faulty, cdf); d <= limit {
				t.Errorf("%s: variances 10 %% too large pass: off by %.4f, limit %.4f", name, d, limit)
			}
		}
	}
}
