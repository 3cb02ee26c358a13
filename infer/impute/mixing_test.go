package impute

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/internal/variate"
)

// Coefficients of a column of which most cells are missing mix: 2 × 400 iterations are worth the effective draws below,
// and half of them are not reached without moves of coefficients and cells together.
func TestMostlyMissingMixes(t *testing.T) {
	for name, least := range map[string]float64{"two states": 230, "levels": 250, "counts": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mostlyMissing()[name]
			s.n, s.unseen, s.alone = 120, false, true
			r := s.draw(infer.NewStream(77, "mixing"))
			got, without := s.leastEffective(t, r, true), s.leastEffective(t, r, false)
			t.Logf("least effective draws %.0f, %.0f without", got, without)
			if got < least || without > least/2 {
				t.Errorf("%.0f effective draws, %.0f without, want %.0f and half of them", got, without, least)
			}
		})
	}
}

// leastEffective is the fewest effective draws of a parameter of the regression and of models of columns.
func (s *study) leastEffective(t *testing.T, r *truth, together bool) float64 {
	var chains [2][][]float64
	models := 0
	for c := range chains {
		s.single = !together
		k := s.kernel(t, r, 5, fmt.Sprint("mixing", c))
		theta := make([]float64, len(k.params))
		models = len(theta) - len(r.missU) - len(s.numbers(0))*len(r.missV)
		chains[c] = make([][]float64, models)
		for i := range 500 {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if i < 100 {
				continue
			}
			k.Position(theta)
			for j := range chains[c] {
				chains[c][j] = append(chains[c][j], theta[j])
			}
		}
	}
	least := math.Inf(1)
	for j := range models {
		var halves [][]float64
		for c := range chains {
			halves = append(halves, chains[c][j][:200], chains[c][j][200:])
		}
		least = min(least, diag.ESSBulk(halves))
	}
	return least
}

// Cells move with the coefficients where a fifth of a column is missing or more, and not otherwise.
func TestWhichCellsMoveTogether(t *testing.T) {
	for _, c := range []struct {
		missing int
		want    string
	}{{3, "(3, multinomial), w (0, gaussian); coordinate"},
		{4, "w (0, gaussian); coefficients move together with the cells of v; coordinate"}} {
		s := study{family: bernoulli, levels: true, n: 20}
		r := s.draw(infer.NewStream(3, "which"))
		r.missU, r.missV = []int{1, 7}, []int{0, 5, 9, 12}[:c.missing]
		setup, err := New(s.problem(r), nil)
		if err != nil {
			t.Fatal(err)
		}
		if words := setup.(infer.Explainer).Explain(); !strings.Contains(words, c.want) {
			t.Errorf("%d of 20 cells: %q, want %q", c.missing, words, c.want)
		}
	}
}

// A count that is thinned or added to and back has the pair of laws of two poisson counts that share units: both ways
// have the same chance, by enumeration.
func TestThinnedCounts(t *testing.T) {
	s := mostlyMissing()["counts"]
	_, k := s.chainOf(t, "thinned")
	f := &following{k: k}
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
				if y := int(f.thin(x, from, to)); y < most {
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
	s := mostlyMissing()["counts"]
	_, k := s.chainOf(t, "thinned")
	f := &following{k: k}
	const shape, draws = 1.5, 100_000
	for _, c := range [][2]float64{{2, 4}, {4, 2}} {
		mean, second := 0.0, 0.0
		for range draws {
			y := f.thinMixed(variate.NegativeBinomial(k.stream, c[0], shape), shape, c[0], c[1])
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
