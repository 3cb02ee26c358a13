package influence

import (
	"math"
	"os"
	"testing"

	"glmbatch/discrete/mrf"
	"glmbatch/infer/dogs"
)

// agreement returns E Σ s_i·s_j over the edges of a side × side grid under a law.
func agreement(m *mrf.Binary, p []float64) float64 {
	x, sum := make([]uint8, m.Variables()), 0.0
	for at := range p {
		for i := range x {
			for _, j := range m.Neighbours(i) {
				if int(j) < i {
					if x[i] == x[j] {
						sum += p[at]
					} else {
						sum -= p[at]
					}
				}
			}
		}
		mrf.Next(m, x)
	}
	return sum
}

// expected returns what Gibbs chains from uniform states expect of agreement at
// theta after a scan of a length, optimised at this theta or systematic: exactly,
// from the probabilities of all states.
func expected(t testing.TB, side, length int, theta float64, optimised bool) float64 {
	m := ising(t, side, side, theta)
	g := newGibbs(t, m)
	scan := dogs.Systematic(side*side, length)
	if optimised {
		cert, err := Bounds(m).Optimise(scan, dogs.All(side*side), dogs.Options{Rounds: 10})
		if err != nil {
			t.Fatal(err)
		}
		scan = cert.Scan
	}
	p := make([]float64, len(g.pi))
	for at := range p {
		p[at] = 1 / float64(len(p))
	}
	return agreement(m, g.apply(scan, p))
}

// Figure 3: maximum likelihood by Markov chain Monte Carlo on grids of 3 × 3 and
// 4 × 4, one coupling, data of θ = 0.2 without noise. A gradient that compares the
// data with chains of a short scan ends where these expect what the data have: at a
// coupling too large. It is computed exactly, by bisection. The optimised scan's is
// nearer, and as near where it has no updates to spare. GLMBATCH_STAT=1 adds lengths and 4 × 4 and prints the table of
// docs/discrete-studies.md.
func TestFigure3(t *testing.T) {
	const theta = 0.2
	cases := map[int][]int{3: {12}}
	if os.Getenv("GLMBATCH_STAT") == "1" {
		cases = map[int][]int{3: {9, 12, 15, 18}, 4: {16, 20, 24, 32}}
	}
	for _, side := range []int{3, 4} {
		for _, length := range cases[side] {
			m := ising(t, side, side, theta)
			ex, err := mrf.Enumerate(m)
			if err != nil {
				t.Fatal(err)
			}
			data := agreement(m, ex.P)
			var found [2]float64
			for k, optimised := range []bool{false, true} {
				low, high := theta/2, 0.31
				for high-low > 1e-4 {
					mid := (low + high) / 2
					if expected(t, side, length, mid, optimised) < data {
						low = mid
					} else {
						high = mid
					}
				}
				found[k] = (low + high) / 2
			}
			t.Logf("| %d × %d | %d | %.4f | %.4f |", side, side, length, found[0], found[1])
			nearer := math.Abs(found[0]-theta) - math.Abs(found[1]-theta)
			if spare := length > side*side; nearer < -1e-4 || spare && nearer < 2e-4 {
				t.Errorf("%d × %d, %d updates: systematic %v, optimised %v, truth %v", side, side, length, found[0], found[1], theta)
			}
		}
	}
}
