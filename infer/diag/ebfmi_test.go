package diag

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestEBFMI(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		energy []float64
		want   float64
	}{
		// Steps 1 + 4 + 1 + 9 = 15; mean 2, squares 1 + 0 + 4 + 1 + 4 = 10.
		"by hand":    {[]float64{1, 2, 4, 3, 0}, 1.5},
		"shifted":    {[]float64{1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 3, 1e9}, 1.5},
		"constant":   {[]float64{3, 3, 3, 3}, nan},
		"too short":  {[]float64{1, 2, 3}, nan},
		"not finite": {[]float64{1, 2, inf, 3}, nan},
		"no number":  {[]float64{1, 2, nan, 3}, nan},
	} {
		if got := EBFMI(c.energy); !(math.Abs(got-c.want) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// An autoregression with coefficient a has 2(1 − a): the threshold 0.3 is reached at a = 0.85. The errors are below
// 0.03 at 200,000 draws.
func TestEBFMIOfAutoregression(t *testing.T) {
	for _, a := range []float64{0, 0.5, 0.85, 0.95} {
		rng := rand.New(rand.NewPCG(1, 2))
		energy := make([]float64, 200_000)
		for i := 1; i < len(energy); i++ {
			energy[i] = a*energy[i-1] + rng.NormFloat64()
		}
		if got, want := EBFMI(energy), 2*(1-a); math.Abs(got-want) > 0.03 {
			t.Errorf("a = %v: %v, want %v", a, got, want)
		}
	}
}
