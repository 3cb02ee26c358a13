package family

import (
	"math"
	"math/rand/v2"
	"testing"

	"glmbatch/internal/variate"
)

// A count that is thinned or added to and back has the joint distribution of two poisson counts that share units: both ways
// have the same chance, by enumeration.
func TestThinnedCounts(t *testing.T) {
	stream := rand.New(rand.NewPCG(20260101, 8))
	const small, large, draws, most = 1.3, 3.1, 40_000, 12
	poissonAt := func(x, mean float64) float64 {
		l, _ := math.Lgamma(x + 1)
		return math.Exp(x*math.Log(mean) - mean - l)
	}
	for _, up := range []bool{true, false} {
		for x := 0.0; x < 4; x++ {
			from, to := small, large
			if !up {
				from, to = large, small
			}
			seen := make([]float64, most)
			for range draws {
				if y := int(thin(stream, x, from, to)); y < most {
					seen[y] += 1.0 / draws
				}
			}
			for y := range seen {
				low, high := min(x, float64(y)), max(x, float64(y))
				// units that both have, and those that the larger one has more: high − low of mean large − small
				pair := poissonAt(low, small) * poissonAt(high-low, large-small)
				want := pair / poissonAt(x, from)
				if up != (float64(y) >= x) && float64(y) != x {
					want = 0
				}
				// False alarms: below 1e-6 over the 96 shares, 6 standard errors.
				if se := math.Sqrt(want*(1-want)/draws) + 1e-9; math.Abs(seen[y]-want) > 6*se {
					t.Errorf("from %v of mean %v to %d of mean %v: share %.4f, want %.4f", x, from, y, to, seen[y], want)
				}
			}
		}
	}
}

// A negative binomial count is moved to one of another mean and the same shape. False alarms: below 1e-6, 6 standard
// errors of two moments. Power: 0.04 of a mean of 4.
func TestThinnedMixedCounts(t *testing.T) {
	stream := rand.New(rand.NewPCG(20260101, 8))
	const shape, draws = 1.5, 100_000
	for _, c := range [][2]float64{{2, 4}, {4, 2}} {
		mean, second := 0.0, 0.0
		for range draws {
			from := variate.NegativeBinomial(stream, c[0], shape)
			y, _ := negativeBinomialMean{}.Follow(stream, from, math.Log(c[0]), math.Log(c[1]), [2]float64{shape})
			mean, second = mean+y/draws, second+y*y/draws
		}
		variance := c[1] + c[1]*c[1]/shape
		if math.Abs(mean-c[1]) > 6*math.Sqrt(variance/draws) {
			t.Errorf("from mean %v: mean %.3f, want %v", c[0], mean, c[1])
		}
		if got := second - mean*mean; math.Abs(got/variance-1) > 6*4/math.Sqrt(draws) {
			t.Errorf("from mean %v: variance %.3f, want %.3f", c[0], got, variance)
		}
	}
}

// The variance of a cell is that of its draws, given the mean. False alarms: below 1e-6; a share of 0.08 is seen.
func TestCellVariance(t *testing.T) {
	const draws, eta = 200_000, 0.4
	for _, l := range table {
		link := l.Links[0]
		cell := l.Along(link).Cell
		if cell == nil {
			continue
		}
		at := Row{Eta: eta, Mean: link.Inverse(eta), Disp: [2]float64{3}, Trials: 1, Link: link}
		stream := rand.New(rand.NewPCG(20260101, 9))
		second := 0.0
		for range draws {
			d := l.Draw(stream, at) - at.Mean
			second += d * d / draws
		}
		if want := cell.Variance(at.Mean, at.Disp); math.Abs(second/want-1) > 0.04 {
			t.Errorf("%s: variance %v, that of draws %v", l.Name, want, second)
		}
	}
}
