package family

import (
	"math"
	"testing"
)

// For large sigma/beta the density is nearly normal, with a relative error of (beta/sigma)², and no terms cancel. The two
// forms of a term agree at their limit.
func TestExgaussianSteep(t *testing.T) {
	for _, ratio := range []float64{1e3, 1e6, 1e12} {
		disp := [2]float64{2, 2 / ratio}
		for _, z := range []float64{-3, -0.5, 0, 1, 4} {
			got := exgaussianTerm(float64(2*z)+disp[1], disp) - math.Log(disp[1])
			want := -0.5*z*z - math.Log(2) - halfLog2Pi
			if math.Abs(got-want) > 100/(ratio*ratio)+1e-11 {
				t.Errorf("sigma/beta = %v, %v sd off the mean: %v, normal %v", ratio, z, got, want)
			}
		}
	}
	for _, ratio := range []float64{15, 25, 60} {
		disp := [2]float64{ratio, 1}
		at := func(by float64) float64 { return exgaussianTerm(float64(ratio*(ratio-steep+by)), disp) }
		if below, above := at(-1e-12), at(1e-12); math.Abs(below-above) > 1e-9 {
			t.Errorf("sigma/beta = %v: %v and %v on the sides of −steep", ratio, below, above)
		}
	}
}
