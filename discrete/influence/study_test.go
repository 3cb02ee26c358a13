package influence

import (
	"os"
	"syscall"
	"testing"

	"glmbatch/infer/dogs"
)

// processor returns the processor seconds of this process.
func processor() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}

// Figure 1 of the paper, a 10 × 10 Ising model without fields, θ = 0.25: how many
// updates each scan needs for a variation of 1 % of the target. The optimised scan
// never needs more than the systematic one, and that no more than the random one.
// GLMBATCH_STAT=1 adds targets, prints the table of docs/discrete-studies.md and, as figure
// 2, the scan for a corner of 1000 × 1000 variables.
func TestFigure1(t *testing.T) {
	c := Bounds(ising(t, 10, 10, 0.25))
	cases := []dogs.Target{{Variables: []int32{0}}}
	if os.Getenv("GLMBATCH_STAT") == "1" {
		cases = append(cases, dogs.Target{Variables: []int32{55}}, dogs.All(100))
	}
	for _, d := range cases {
		below := 0.01 * float64(len(d.Variables))
		before := processor()
		cert, err := c.Search(d, dogs.Options{Below: below, Rounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		spent := processor() - before
		systematic := needs(t, below, func(n int) float64 { v, _ := c.Variation(dogs.Systematic(100, n), d); return v })
		random := needs(t, below, func(n int) float64 { v, _ := c.RandomVariation(nil, n, d); return v })
		t.Logf("| %d of 100 | %d | %d | %d | %.3f s |", len(d.Variables), len(cert.Scan), systematic, random, spent)
		if len(cert.Scan) > systematic || systematic > random {
			t.Errorf("%d targets: %d updates, systematic %d, random %d", len(d.Variables), len(cert.Scan), systematic, random)
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

// Figure 2: 1000 × 1000 variables, the corner as target. The paper finds a scan of
// 16 updates in 15 s; the set-up here, influences included, is timed.
func TestFigure2(t *testing.T) {
	if os.Getenv("GLMBATCH_STAT") != "1" {
		t.Skip("a model of a million variables; set GLMBATCH_STAT=1")
	}
	m := ising(t, 1000, 1000, 0.25)
	for _, below := range []float64{0.2, 0.1, 0.01} {
		before := processor()
		c := Bounds(m)
		bounds := processor() - before
		cert, err := c.Search(dogs.Target{Variables: []int32{0}}, dogs.Options{Below: below, Rounds: 20})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("| %g | %d | %.2f s | %.2f s |", below, len(cert.Scan), bounds, processor()-before)
	}
}
