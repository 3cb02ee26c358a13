package glm

import (
	"math"
	"testing"
)

// With a gaussian likelihood of fixed sigma and normal priors the Hessian is
// XᵀX/σ² and the prior's precisions, wherever it is taken.
func TestHessianOfGaussian(t *testing.T) {
	x := NewDense(5, 2)
	copy(x.Values, []float64{1, 1, 1, 1, 1, 0.5, -2, 3, 100, 7})
	target, err := NewTarget(&Data{X: x, Intercept: 0, Y: []float64{1, 2, 0, 4, 2}}, Model{
		Family:       Family{Name: "gaussian", Link: "identity"},
		Coefficients: []Prior{{Kind: Normal, Scale: 3}, {Kind: Normal, Scale: 0.1}},
		Dispersion:   Prior{Kind: HalfNormal, Scale: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	const logSigma = 0.7
	got := target.Hessian([]float64{0.3, -0.2, logSigma})
	precision := math.Exp(-2 * logSigma)
	for j := range 2 {
		for l := range 2 {
			want := 0.0
			for i := range 5 {
				want += x.Col(j)[i] * x.Col(l)[i] * precision
			}
			if j == l {
				want += []float64{1. / 9, 100}[j]
			}
			if math.Abs(got[j*2+l]-want) > 1e-6*math.Abs(want) {
				t.Errorf("(%d, %d) is %v, want %v", j, l, got[j*2+l], want)
			}
		}
	}
}
