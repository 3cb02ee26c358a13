package family

import (
	"math"
	"testing"
)

// Extremes have values between 0 and 1.
func TestCDFExtremes(t *testing.T) {
	for _, a := range []float64{1e-10, 0.5, 30, 1e6} {
		for _, x := range []float64{0, 1e-300, 1e-5, 1, a, 2 * a, 1e9, math.Inf(1)} {
			if v := incompleteGamma(a, x); !(v >= 0 && v <= 1) {
				t.Errorf("P(%v, %v) is %v", a, x, v)
			}
			for _, z := range []float64{0, 1e-300, 0.1, 0.5, 1 - 1e-16, 1} {
				if v := incompleteBeta(a, max(x, 1e-10), z); !math.IsInf(x, 1) && !(v >= 0 && v <= 1) {
					t.Errorf("I_%v(%v, %v) is %v", z, a, x, v)
				}
			}
		}
	}
}

// normalFall keeps its digits far out on both sides, and its product is the negative second derivative of log Φ.
func TestNormalFall(t *testing.T) {
	for _, c := range []struct{ t, fall, excess float64 }{
		{-1e8, 1e8, 1e-8}, {-100, 100.00999800099926, 0.00999800099926}, {-20.0001, 20.0498528222022, 0.0497528222022},
		{0, 0.7978845608028654, 0.7978845608028654}, {3, 0.004437839042125664, 3.004437839042126},
	} {
		fall, excess := normalFall(c.t)
		if math.Abs(fall/c.fall-1) > 1e-8 || math.Abs(excess/c.excess-1) > 1e-6 {
			t.Errorf("at %v: %v and %v, want %v and %v", c.t, fall, excess, c.fall, c.excess)
		}
	}
	_, above := normalFall(-20 - 1e-9)
	if _, below := normalFall(-20 + 1e-9); math.Abs(above/below-1) > 1e-10 {
		t.Errorf("%v and %v on the sides of −20", above, below)
	}
	if got := normalMean(func(v float64) float64 { return v * v * v * v }); math.Abs(got-3) > 1e-12 {
		t.Errorf("the fourth moment is %v, want 3", got)
	}
}
