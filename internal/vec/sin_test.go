package vec

import (
	"math"
	"testing"
)

// Sin is that of package math, in each quarter of a turn and at its ends.
func TestSin(t *testing.T) {
	for i := -40_000; i <= 40_000; i++ {
		for _, x := range []float64{float64(i) / 8, float64(i) * math.Pi / 4, math.Nextafter(float64(i)*math.Pi/4, 0)} {
			if got, want := Sin(x), math.Sin(x); math.Abs(got-want) > 2.5e-16 {
				t.Fatalf("sin(%v) = %v, want %v", x, got, want)
			}
		}
	}
}
