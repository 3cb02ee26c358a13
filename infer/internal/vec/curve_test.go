package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestCurvatureAlong(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 30 {
		sum := 0.0
		x, w := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], w[i] = r.NormFloat64(), r.Float64()
			sum += x[i] * x[i] * w[i]
		}
		if got := CurvatureAlong(x, w); math.Abs(got-sum) > 1e-14*(1+sum) {
			t.Errorf("n = %d: %v, want %v", n, got, sum)
		}
	}
}
