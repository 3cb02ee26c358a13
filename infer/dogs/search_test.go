package dogs

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// The 40 × 40 model of the paper, θ = 1/3.915: rows sum to 1.00006, and the spectral radius is 0.9971. 64 power
// iterations do not show that it is below 1, because effects of the edge have not reached the middle by then. For a
// radius of 1.0142 (θ = 0.26) as many do not show that it is above.
func TestNormsOfThePapersModel(t *testing.T) {
	for _, theta := range []float64{1 / 3.915, 0.26} {
		c := lattice(40, 40, theta)
		rho := 4 * math.Tanh(theta) * math.Cos(math.Pi/41)
		n := c.Norms()
		if n.Rows <= 1 || n.Floor > rho || n.Spectral < rho || (n.Spectral < 1) != (rho < 1) || (n.Floor >= 1) != (rho >= 1) {
			t.Errorf("θ = %v: %+v, want a row sum above 1 and bounds on the side of %v", theta, n, rho)
		}
		_, err := c.Optimise(c.Towards(Target{Variables: []int32{0}}, 64), Target{Variables: []int32{0}}, Options{})
		if refused := new(NormError); errors.As(err, &refused) != (rho >= 1) {
			t.Errorf("θ = %v: %v", theta, err)
		}
	}
}

// Parts of a graph are bounded each by itself: the radius of a star is 0.72, though its row sum is 1.25, and that
// of a separate pair 0.9. In one power iteration over both the star would fade away, and its row sum stay.
func TestNormsOfParts(t *testing.T) {
	pairs := grid(40, 40, 1/3.915)
	first := int32(1600)
	for j := range int32(3) {
		pairs = append(pairs, pair{first, first + 1 + j, 1.25 / 3})
	}
	pairs = append(pairs, pair{first + 4, first + 5, 0.9})
	n := symmetric(int(first)+7, pairs).Norms() // the last one is alone
	if math.Abs(n.Rows-1.25) > 1e-12 || n.Spectral >= 1 || n.Floor < 0.9-1e-12 {
		t.Errorf("%+v, want a row sum of 1.25 and a spectral radius from 0.9 to 1", n)
	}
}

// A radius that no bound has set apart from 1 is not called too large.
func TestUndecidedNorms(t *testing.T) {
	open := (&NormError{Norms{Rows: 1.1, Columns: 1.2, Spectral: 1.00006, Floor: 0.9971}}).Reason()
	if !strings.Contains(open, "may be too strong") || !strings.Contains(open, "between 0.9971 and 1.00006") {
		t.Error(open)
	}
	closed := (&NormError{Norms{Rows: 1.1, Columns: 1.2, Spectral: 1.06, Floor: 1.05}}).Reason()
	if !strings.Contains(closed, "are too strong") || !strings.Contains(closed, "at least 1.05, none below 1") {
		t.Error(closed)
	}
}

// Search finds no longer scan than the systematic one, and does not leave the length where doubling ended. The first
// two of these cases are shorter by the systematic scan than by doubled lengths, the third by bisection.
func TestSearchIsNoLongerThanSystematic(t *testing.T) {
	for _, c := range []struct {
		rows, cols    int
		theta, below  float64
		target        []int32
		rounds, limit int // the longest that is good; 0: as the systematic scan
	}{
		{1, 3, 0.5648308542368713, 0.01, []int32{2}, 1, 0},          // doubling: 22, systematic 21
		{4, 2, 0.22805736145124278, 0.2, []int32{2, 3}, 20, 0},      // 23 and 20
		{10, 10, 0.1, 0.01, []int32{55}, 20, 55},                    // 64
		{10, 10, 0.25, 0.2, []int32{0, 99}, 20, 0},                  //
		{40, 40, 1 / 3.915, 0.25, []int32{0}, 2, 50_000},            // the paper's model
		{10, 10, 0.2, 1, All(100).Variables, 20, 0},                 // Towards is systematic
		{3, 3, 0.25, 0.5, []int32{0, 2, 4, 6, 8, 1, 3, 5, 7}, 3, 0}, //
		{1, 40, 0.5, 0.01, []int32{39}, 5, 0},                       // systematic scans go along a chain
		{1, 40, 0.5, 0.01, []int32{0}, 5, 0},                        // and against it
		{2, 20, 0.3, 1e-6, []int32{7, 8, 30}, 4, 0},                 //
		{10, 10, 0.2, 0.9999999999, []int32{12}, 1, 1},              // one update does
		{5, 5, 0.25, 24.999, All(25).Variables, 1, 1},               //
	} {
		influence, d := lattice(c.rows, c.cols, c.theta), Target{Variables: c.target}
		got, err := influence.Search(d, Options{Below: c.below, Rounds: c.rounds})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		limit := c.limit
		if limit == 0 {
			limit = needs(t, c.below, func(n int) float64 {
				v, _ := influence.Variation(Systematic(c.rows*c.cols, n), d)
				return v
			})
		}
		t.Logf("%d × %d, θ = %.4g: %d updates, at most %d are good", c.rows, c.cols, c.theta, len(got.Scan), limit)
		if v, _ := influence.Variation(got.Scan, d); len(got.Scan) > limit || v != got.Variation || v > c.below {
			t.Errorf("%+v: %d updates to %v (certified %v), want at most %d", c, len(got.Scan), v, got.Variation, limit)
		}
	}
}

// Where scans towards the target do not come near enough within MaxLength, the systematic one is taken.
func TestSearchFallsBackOnSystematic(t *testing.T) {
	got, err := lattice(4, 2, 0.22805736145124278).Search(Target{Variables: []int32{2, 3}}, Options{Below: 0.2, Rounds: 1, MaxLength: 20})
	if err != nil || len(got.Scan) > 20 || got.Variation > 0.2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Strong influences elsewhere do not keep a scan from being certified: in another part of the graph, and behind weak ones.
func TestSearchBesideStrongInfluences(t *testing.T) {
	for name, link := range map[string]float64{"another part": 0, "behind a weak edge": 0.01} {
		pairs := []pair{{0, 1, math.Tanh(0.2)}, {1, 2, math.Tanh(0.2)}}
		for i := int32(3); i < 8; i++ { // all pairs of five: a row sum far above 1
			for j := i + 1; j < 8; j++ {
				pairs = append(pairs, pair{i, j, math.Tanh(1)})
			}
		}
		if link > 0 {
			pairs = append(pairs, pair{2, 3, link})
		}
		c, d := symmetric(8, pairs), Target{Variables: []int32{0, 1}}
		if n := c.Norms(); n.Floor < 1 {
			t.Fatalf("%s: norms %+v are no test", name, n)
		}
		const below = 0.02
		systematic := 1
		for v, _ := c.Variation(Systematic(8, systematic), d); v > below; v, _ = c.Variation(Systematic(8, systematic), d) {
			if systematic++; systematic > 1000 {
				t.Fatalf("%s: no systematic scan does", name)
			}
		}
		got, err := c.Search(d, Options{Below: below, Rounds: 20})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v, _ := c.Variation(got.Scan, d); len(got.Scan) >= systematic || v != got.Variation || v > below {
			t.Errorf("%s: %d updates to %v (certified %v), the systematic scan takes %d", name, len(got.Scan), v, got.Variation,
				systematic)
		}
	}
}

// needs returns the least length at which a variation is not above below, by
// bisection of lengths.
func needs(t testing.TB, below float64, variation func(int) float64) int {
	t.Helper()
	high := 1
	for variation(high) > below {
		if high *= 2; high > 1<<22 {
			t.Fatalf("no scan of %d updates does", high)
		}
	}
	low := high / 2
	for high-low > 1 {
		if mid := (low + high) / 2; variation(mid) > below {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
