package diag

import (
	"math"
	"strings"
	"testing"
)

// TestBetaQuantile compares with R's qbeta (testdata/diag/beta.csv). The index
// of a draw is floor(q·S): 1e-10 is far below 1/S.
func TestBetaQuantile(t *testing.T) {
	compared := 0
	for _, line := range readLines(t, "beta.csv")[1:] {
		f := strings.Split(line, ",")
		p, a, b, want := parse(t, f[0]), parse(t, f[1]), parse(t, f[2]), parse(t, f[3])
		compared++
		got := betaQuantile(p, a, b)
		if math.Abs(got-want) > 1e-10*want {
			t.Errorf("betaQuantile(%g, %g, %g) = %.17g, R gives %.17g", p, a, b, got, want)
		}
	}
	if compared != 8*7*6 {
		t.Errorf("%d quantiles compared", compared)
	}
}

// TestBetaCDF holds it to closed forms: I_x(a, 1) = x^a, I_x(1, b) = 1 − (1−x)^b
// and I_x(a, b) = 1 − I_(1−x)(b, a).
func TestBetaCDF(t *testing.T) {
	for _, x := range []float64{0x1p-20, 0x1p-7, 0.25, 0.5, 0.75, 1 - 0x1p-7} {
		for _, a := range []float64{0.5, 1, 2.5, 40, 1500} {
			for _, c := range [][2]float64{
				{betaCDF(x, a, 1), math.Pow(x, a)},
				{betaCDF(x, 1, a), -math.Expm1(a * math.Log1p(-x))},
				{betaCDF(x, a, 7), 1 - betaCDF(1-x, 7, a)},
			} {
				if math.Abs(c[0]-c[1]) > 1e-12*math.Max(c[1], 1e-3) {
					t.Errorf("x=%g a=%g: %.17g, want %.17g", x, a, c[0], c[1])
				}
			}
		}
	}
	if betaCDF(0, 2, 3) != 0 || betaCDF(1, 2, 3) != 1 {
		t.Error("the ends of the support are not 0 and 1")
	}
}

func TestLnGamma(t *testing.T) {
	for x := 0.25; x < 1e6; x *= 1.37 {
		want, _ := math.Lgamma(x)
		if got := lnGamma(x); math.Abs(got-want) > 4e-14*math.Max(1, math.Abs(want)) {
			t.Errorf("lnGamma(%g) = %.17g, want %.17g", x, got, want)
		}
	}
}
