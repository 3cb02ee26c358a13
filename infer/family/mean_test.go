package family_test

import (
	"math"
	"testing"

	"glmbatch/infer/family"
)

// The inverse link undoes the link, in both tails: in logs where the mean is
// next to 0, and for every family and link of the table.
func TestMeansInvertLinks(t *testing.T) {
	of := map[string]func(mu float64) float64{
		"identity": func(mu float64) float64 { return mu }, "log": math.Log, "inverse": func(mu float64) float64 { return 1 / mu },
		"sqrt": math.Sqrt, "1/mu^2": func(mu float64) float64 { return 1 / (mu * mu) },
		"logit":   func(p float64) float64 { return math.Log(p) - math.Log1p(-p) },
		"cloglog": func(p float64) float64 { return math.Log(-math.Log1p(-p)) },
		"cauchit": func(p float64) float64 { return -1 / math.Tan(math.Pi*p) },
	}
	for _, row := range family.Table() {
		if row.Mean != nil {
			continue // the draws of TestPointwiseDraws have it
		}
		for _, link := range row.Links {
			name, wall := link.Name, link.Positive
			f := family.Family{Name: row.Name, Link: name}
			for _, eta := range []float64{-30, -8, -3, -0.7, -1e-9, 0, 1e-9, 0.4, 0.5, 0.6, 1, 2.5} {
				mu := []float64{math.NaN()}
				f.Means([]float64{eta}, [2]float64{}, mu)
				switch {
				case name == "probit":
					if want := math.Erfc(-eta/math.Sqrt2) / 2; math.Abs(mu[0]-want) > (1e-14+4e-16*eta*eta)*want { // the exponential of a logarithm
						t.Errorf("%s at %v: mean %v, want %v", f, eta, mu[0], want)
					}
				case wall && eta <= 0:
					if !math.IsNaN(mu[0]) {
						t.Errorf("%s at %v: %v beyond the wall", f, eta, mu[0])
					}
				case math.Abs(of[name](mu[0])-eta) > 1e-12*math.Max(1, math.Abs(eta)):
					t.Errorf("%s at %v: mean %v, whose link is %v", f, eta, mu[0], of[name](mu[0]))
				}
			}
		}
	}
}

// Nothing overflows at |eta| = 700, and small probabilities keep their digits.
func TestMeansInTheTails(t *testing.T) {
	for _, c := range []struct {
		link      string
		eta, want float64
	}{
		{"logit", -700, math.Exp(-700)}, {"logit", 700, 1}, {"cloglog", -700, math.Exp(-700)}, {"cloglog", 700, 1},
		{"probit", 700, 1}, {"probit", -700, 0}, {"log", 700, math.Exp(700)}, {"cauchit", -1e9, 1 / (math.Pi * 1e9)},
	} {
		mu := make([]float64, 1)
		for _, l := range family.Links() {
			if l.Name == c.link {
				mu[0] = l.Inverse(c.eta)
			}
		}
		if math.Abs(mu[0]-c.want) > 1e-13*c.want {
			t.Errorf("%s at %v: %v, want %v", c.link, c.eta, mu[0], c.want)
		}
	}
}
