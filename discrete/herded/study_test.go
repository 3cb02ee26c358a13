package herded

import (
	"math"
	"os"
	"testing"
)

// The two-variable study: slopes of log error on log T, from where a chain has
// crossed between the two modes a few times (T·ε ≥ 8). Herded Gibbs −1, Gibbs −1/2.
//
// Herded slopes are deterministic. False alarms of the Gibbs slope: with 64 chains
// its standard error is below 0.05, the window is 4 of them wide on each side; the
// seed is fixed. GLMBATCH_STAT=1 adds ε = 0.001 and 0.0001 and prints the table of
// docs/discrete-studies.md.
func TestTwoVariables(t *testing.T) {
	cases := []struct {
		eps         float64
		first, last int
	}{{0.1, 7, 15}, {0.01, 10, 16}}
	if os.Getenv("GLMBATCH_STAT") == "1" {
		cases = append(cases, []struct {
			eps         float64
			first, last int
		}{{0.001, 13, 18}, {0.0001, 16, 21}}...)
	}
	for _, c := range cases {
		m := twoVariables(t, c.eps)
		lengths, herded := herdedErrors(t, m, c.first, c.last)
		_, gibbs := gibbsErrors(t, m, 64, c.first, c.last)
		sh, sg := slope(lengths, herded), slope(lengths, gibbs)
		end := len(lengths) - 1
		t.Logf("| %g | %.0f to %.0f | %.2f | %.2f | %.1e | %.1e |", c.eps, lengths[0], lengths[end], sh, sg, herded[end], gibbs[end])
		if math.Abs(sh+1) > 0.1 || math.Abs(sg+0.5) > 0.2 || herded[end] > gibbs[end]/4 {
			t.Errorf("ε = %g: slopes %v of herded Gibbs and %v of Gibbs, want −1 and −1/2", c.eps, sh, sg)
		}
	}
}
