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
