package impute

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
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
			got, without := s.minEffective(t, r, true), s.minEffective(t, r, false)
			t.Logf("least effective draws %.0f, %.0f without", got, without)
			if got < least || without > least/2 {
				t.Errorf("%.0f effective draws, %.0f without, want %.0f and half of them", got, without, least)
			}
		})
	}
}

// minEffective is the fewest effective draws of a parameter of the regression and of models of columns.
func (s *study) minEffective(t *testing.T, r *truth, together bool) float64 {
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
		must(t, err)
		if words := setup.(infer.Explainer).Explain(); !strings.Contains(words, c.want) {
			t.Errorf("%d of 20 cells: %q, want %q", c.missing, words, c.want)
		}
	}
}
