package diag

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Products give the numbers that eigen-decompositions give, and brackets of the
// residual one that meet.
func TestConditionOfProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for _, n := range []int{1, 2, 6, 25, 45} {
		a := wishart(r, n)
		diagonal := make([]float64, n)
		for i := range n {
			s := math.Exp(r.NormFloat64())
			for j := range n {
				a[i*n+j] *= s
				a[j*n+i] *= s
			}
		}
		for i := range n {
			diagonal[i] = a[i*n+i]
		}
		want, err := ConditionNumbers(a, n)
		must(t, err)
		m, err := NewDefinite(a, n)
		must(t, err)
		got, err := ConditionOf(m, diagonal)
		must(t, err)
		t.Logf("n=%d: %.4g, by products %.4g", n, want, got)
		if math.Abs(got.Raw-want.Raw) > 1e-4*want.Raw || math.Abs(got.Correlation-want.Correlation) > 1e-4*want.Correlation {
			t.Errorf("n=%d: raw and correlation %v and %v, want %v and %v", n, got.Raw, got.Correlation, want.Raw, want.Correlation)
		}
		if got.ResidualLow > want.Residual*(1+1e-9) || want.ResidualLow > got.Residual*(1+1e-9) || got.Residual > 1.1*want.Residual || got.ResidualLow < 0.6*want.ResidualLow {
			t.Errorf("n=%d: residual in [%v, %v], want within [%v, %v]", n, got.ResidualLow, got.Residual, want.ResidualLow, want.Residual)
		}
	}
}

// A matrix that is not positive definite is refused, by its products too.
func TestConditionOfRefuses(t *testing.T) {
	for _, a := range [][]float64{{1, 1, 1, 1}, {1, 2, 2, 1}, {0, 0, 0, 1}, {math.NaN(), 0, 0, 1}} {
		if _, err := NewDefinite(a, 2); !errors.Is(err, ErrNotDefinite) {
			t.Errorf("%v: error %v", a, err)
		}
	}
	m, err := NewDefinite([]float64{2, 1, 1, 2}, 2)
	must(t, err)
	if got, err := ConditionOf(m, []float64{2, math.NaN()}); !errors.Is(err, ErrNotDefinite) || !math.IsNaN(got.Residual) {
		t.Errorf("%+v, error %v", got, err)
	}
}
