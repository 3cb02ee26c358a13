package diag

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func wishart(r *rand.Rand, n int) []float64 {
	g, a := make([]float64, n*n), make([]float64, n*n)
	for i := range g {
		g[i] = r.NormFloat64()
	}
	for i := range n {
		for j := range n {
			for k := range n {
				a[i*n+j] += g[i*n+k] * g[j*n+k]
			}
		}
		a[i*n+i] += 0.5
	}
	return a
}

// Two variables: the correlation's number is the best, (1 + |ρ|)/(1 − |ρ|). A
// diagonal matrix has 1. Tridiagonal Toeplitz: equal diagonals are best for
// matrices with property A (Forsythe and Straus 1955), κ = cot²(π/2(n+1)).
func TestConditionOfKnownMatrices(t *testing.T) {
	toeplitz := make([]float64, 9*9)
	for i := range 9 {
		for j := range 9 {
			switch i - j {
			case 0:
				toeplitz[i*9+j] = 2
			case 1, -1:
				toeplitz[i*9+j] = -1
			}
		}
	}
	tan := math.Tan(math.Pi / 20)
	for name, c := range map[string]struct {
		a                   []float64
		n                   int
		raw, corr, residual float64
	}{
		"pair":     {[]float64{4, 1.8, 1.8, 1}, 2, 0, 19, 19},
		"diagonal": {[]float64{1, 0, 0, 0, 100, 0, 0, 0, 10000}, 3, 10000, 1, 1},
		"toeplitz": {toeplitz, 9, 1 / (tan * tan), 1 / (tan * tan), 1 / (tan * tan)},
	} {
		got, err := ConditionNumbers(c.a, c.n)
		must(t, err)
		if c.raw > 0 && math.Abs(got.Raw-c.raw) > 1e-9*c.raw || math.Abs(got.Correlation-c.corr) > 1e-9*c.corr {
			t.Errorf("%s: %+v, want raw %v and correlation %v", name, got, c.raw, c.corr)
		}
		if got.Residual < c.residual*(1-1e-9) || got.Residual > 1.02*c.residual || got.ResidualLow > c.residual*(1+1e-9) || got.ResidualLow < c.residual/1.021 {
			t.Errorf("%s: residual in [%v, %v], want %v", name, got.ResidualLow, got.Residual, c.residual)
		}
	}
}

// The residual number does not depend on the scales of the variables, and is
// that of the inverse matrix; the bounds hold each other.
func TestResidualConditionIsInvariant(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for _, n := range []int{2, 5, 12} {
		a := wishart(r, n)
		s := make([]float64, n)
		for j := range s {
			s[j] = math.Exp(2 * r.NormFloat64())
		}
		one, err := ConditionNumbers(a, n)
		must(t, err)
		two, err := ConditionNumbers(scaled(a, s, n), n)
		must(t, err)
		if one.ResidualLow > two.Residual*(1+1e-9) || two.ResidualLow > one.Residual*(1+1e-9) {
			t.Errorf("n=%d: residual in [%v, %v], scaled in [%v, %v]", n, one.ResidualLow, one.Residual, two.ResidualLow, two.Residual)
		}
		if one.Residual > 1.05*one.ResidualLow || one.Residual > one.Correlation {
			t.Errorf("n=%d: %+v", n, one)
		}
	}
}

func TestConditionRefuses(t *testing.T) {
	for _, a := range [][]float64{{1, 1, 1, 1}, {1, 2, 2, 1}, {0, 0, 0, 1}, {math.NaN(), 0, 0, 1}} {
		if got, err := ConditionNumbers(a, 2); !errors.Is(err, ErrNotDefinite) || !math.IsNaN(got.Residual) {
			t.Errorf("%v: %+v, error %v", a, got, err)
		}
	}
}
