package diag

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// simulateMaxima returns the sorted largest R-hat of each of reps repetitions
// with independent draws.
func simulateMaxima(rng *rand.Rand, reps, params, chains, draws int) []float64 {
	w := NewWorkspace()
	maxima := make([]float64, reps)
	for r := range maxima {
		for range params {
			maxima[r] = max(maxima[r], w.Summarize(draw(chains, draws, rng.Float64)).RHat)
		}
	}
	slices.Sort(maxima)
	return maxima
}

// TestPerfectRHat compares the formula's median with a simulated one.
//
// False alarms: the simulated median has a standard error of 1.25·0.01/√reps at
// 10 × 4 × 50 (the maximum's sd is 0.01); the tolerance of 0.0015 is 5.4 of
// them, 1e-7, for the quick form. Power: leaving out the folded R-hat, which
// moves the median by 0.0055, is caught with certainty; see
// TestPerfectRHatNeedsFolding. The full form (GLMBATCH_STAT=1) adds larger cases
// with tolerances of at least 5.4 standard errors.
func TestPerfectRHat(t *testing.T) {
	cases := []struct {
		reps, params, chains, draws int
		tolerance                   float64
	}{{2000, 10, 4, 50, 0.0015}}
	if os.Getenv("GLMBATCH_STAT") != "" {
		cases = append(cases, []struct {
			reps, params, chains, draws int
			tolerance                   float64
		}{{100, 7130, 4, 100, 0.0025}, {100, 7130, 4, 250, 0.001}, {200, 2001, 4, 500, 0.0005}, {2000, 50, 2, 50, 0.003}}...)
	}
	rng := rand.New(rand.NewPCG(20260101, 7))
	for _, c := range cases {
		maxima := simulateMaxima(rng, c.reps, c.params, c.chains, c.draws)
		got, want := PerfectRHat(c.params, c.chains, c.draws, 0.5), maxima[c.reps/2]
		t.Logf("%d parameters, %d × %d: formula %.4f, simulation %.4f", c.params, c.chains, c.draws, got, want)
		if math.Abs(got-want) > c.tolerance {
			t.Errorf("%d parameters, %d × %d: formula %.4f, simulation %.4f", c.params, c.chains, c.draws, got, want)
		}
	}
}

// TestPerfectRHatNeedsFolding: the formula for half as many R-hats, as if none
// were folded, is far outside the tolerance of TestPerfectRHat.
func TestPerfectRHatNeedsFolding(t *testing.T) {
	if d := PerfectRHat(10, 4, 50, 0.5) - PerfectRHat(5, 4, 50, 0.5); d < 0.004 {
		t.Errorf("halving the number of R-hats moves the median by %.4f only", d)
	}
}

func TestPerfectRHatOrder(t *testing.T) {
	if r := PerfectRHat(7130, 4, 100, 0.5); math.Abs(r-1.036) > 0.0005 {
		t.Errorf("7130 parameters, 4 × 100: %.4f, want 1.036", r)
	}
	for _, level := range []float64{1e-3, 0.5, 0.999} {
		last := 0.0
		for params := 1; params < 1e8; params *= 10 {
			r := PerfectRHat(params, 4, 1000, level)
			if !(r > last) {
				t.Errorf("level %g: %g at %d parameters, %g at a tenth of them", level, r, params, last)
			}
			last = r
		}
	}
	for _, r := range []float64{
		PerfectRHat(0, 4, 100, 0.5), PerfectRHat(1, 0, 100, 0.5), PerfectRHat(1, 4, 3, 0.5),
		PerfectRHat(1, 4, 100, 0), PerfectRHat(1, 4, 100, 1), PerfectRHat(1, 4, 100, math.NaN()),
	} {
		if !math.IsNaN(r) {
			t.Errorf("%g, want NaN", r)
		}
	}
}
