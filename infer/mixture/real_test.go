package mixture

import (
	"math"
	"testing"

	"glmbatch/infer"
)

// The mass of a mode counts a dispersion of either sign as it is, and not by its logarithm.
func TestMassOfEitherSign(t *testing.T) {
	l := &Layout{Components: 2, Of: []infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept},
		{Name: "sigma", Kind: infer.Dispersion}, {Name: "alpha", Kind: infer.Dispersion}}, Real: []int{2}}
	of := func(shift float64) float64 {
		m := newMass(l)
		for i := range 8 {
			v := 0.1 * float64(i)
			m.add(-3, []float64{-0.7 - v/9, -0.7 + v/9}, []float64{0, 1 + v, shift - v, 5, 2 + v, shift + v})
		}
		return m.log()
	}
	if at, moved := of(0), of(-4); math.IsNaN(at) || math.IsInf(at, 0) || math.Abs(at-moved) > 1e-9 {
		t.Errorf("log mass %v around alpha = 0, %v around −4", at, moved)
	}
}
