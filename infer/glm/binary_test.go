package glm

import (
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// Slopes of outcomes that are certain are finite wherever the chain's start may
// lie: at eta = 800 the cloglog's e^eta overflows, and a row without failures
// has nothing to multiply it by.
func TestSlopesOfCertainOutcomes(t *testing.T) {
	for _, link := range []string{"logit", "probit", "cloglog", "cauchit"} {
		for _, eta := range []float64{-1e8, -800, 800, 1e8} {
			y := 0.0
			if eta > 0 {
				y = 1
			}
			x := design.NewDense(1, 1)
			x.Col(0)[0] = 1
			target, err := NewTarget(&Data{X: x, Y: []float64{y}}, Model{Family: Family{Name: "bernoulli", Link: link}, Coefficients: []prior.Prior{{Kind: prior.Cauchy, Scale: 1}}})
			must(t, err)
			p, grad := NewPoint(target), []float64{0}
			p.SetTheta([]float64{eta})
			p.Gradient(grad, []float64{0})
			curv := []float64{0}
			target.RowCurvature([]float64{eta}, nil, curv)
			if sum := grad[0] + curv[0] + p.LogPosterior(); math.IsNaN(sum) || math.IsInf(sum, 0) {
				t.Errorf("%s at %v: gradient %v, curvature %v, log density %v", link, eta, grad[0], curv[0], p.LogPosterior())
			}
		}
	}
}

// A subnormal residual counts as 0: the gradient is that of the prior.
func TestSubnormalResiduals(t *testing.T) {
	e := example{data: &Data{X: design.NewDense(1, 1), Intercept: -1, Y: []float64{0}}, model: Model{
		Family: Family{Name: "bernoulli", Link: "logit"}, Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 1e6}}}}
	e.data.X.(*design.Dense).Values[0] = 1
	p := NewPoint(mustTarget(t, e))
	grad, rows := make([]float64, 1), make([]float64, 1)
	for _, c := range []struct {
		eta  float64
		kept bool
	}{{700, true}, {708, true}, {709, false}, {740, false}} {
		p.SetUnconstrained([]float64{-c.eta})
		p.Gradient(grad, rows)
		if (rows[0] != 0) != c.kept {
			t.Errorf("eta = −%v: residual %v, kept: %v", c.eta, rows[0], c.kept)
		}
	}
}
