package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The fused passes have the sums of the plain ones and the derivatives of the
// elementary functions.
func TestCurves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 7, 8, 511, 512, 513, 1200} {
		eta, x := make([]float64, n), make([]float64, n)
		for i := range eta {
			eta[i], x[i] = 20*r.NormFloat64(), r.NormFloat64()
		}
		first, second := make([]float64, n), make([]float64, n)
		near := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-14*math.Abs(want)) {
				t.Errorf("n = %d: %s is %v, want %v", n, what, got, want)
			}
		}
		near("log1pexp", Log1pExpCurve(eta, x, 0.7, first, second), SumLog1pExpAlong(eta, x, 0.7))
		for i := range eta {
			at := math.FMA(0.7, x[i], eta[i])
			near("first", first[i], Logistic(at))
			near("second", second[i], Logistic(at)*Logistic(-at))
		}
		near("exp", ExpCurve(eta, x, 0.1, first), SumExpAlong(eta, x, 0.1))
		sum := 0.0
		for i := range eta {
			near("exp's own", first[i], Exp(math.FMA(0.1, x[i], eta[i])))
			sum += x[i] * x[i] * second[i]
		}
		if got := CurvatureAlong(x, second); math.Abs(got-sum) > 1e-13*(1+sum) {
			t.Errorf("n = %d: curvature %v, want %v", n, got, sum)
		}
	}
}
