package vec

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Four columns at a time and one give the same bits, and sums that differ from
// Dot's by rounding; Axpy4 has the bits of four Axpy.
func TestFour(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		col := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = r.NormFloat64()
			}
			return v
		}
		x, y, c := col(), col(), [4][]float64{col(), col(), col(), col()}
		var got [4]float64
		got[0], got[1], got[2], got[3] = Dot4(x, c[0], c[1], c[2], c[3])
		w := [4]float64{0.3, -1.7, 2.1, 0.9}
		want := append([]float64(nil), y...)
		for k := range got {
			if one := Dot1(x, c[k]); one != got[k] || math.Abs(one-Dot(x, c[k])) > 1e-13 {
				t.Errorf("n = %d, column %d: %v of four, %v alone, %v by Dot", n, k, got[k], one, Dot(x, c[k]))
			}
			Axpy(w[k], c[k], want)
		}
		Axpy4(&w, c[0], c[1], c[2], c[3], y)
		for i := range y {
			if y[i] != want[i] {
				t.Errorf("n = %d: Axpy4 gives %v, four Axpy %v", n, y[i], want[i])
			}
		}
	}
}

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
