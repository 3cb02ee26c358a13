package glm

import (
	"math"
	"slices"
)

// Curved is a Predictor that also gives slope and curvature of the log
// likelihood along a coefficient. The rows' derivatives at the point are cached
// beside eta, so that one pass with exponentials, at the place looked at, serves
// one update: what a move has computed there is what the next update needs.
type Curved struct {
	*Predictor
	fresh      bool // grad and curv belong to eta
	grad, curv []float64
	nextGrad   []float64 // at the place that AlongCurve looked at
	nextCurv   []float64
}

// Curve is the log likelihood at a place with its first derivative and its
// negative second one along a coefficient.
type Curve struct {
	Value
	Slope, Curvature float64
}

// NewCurved gives a predictor these passes. It must be moved through the Curved
// alone from then on.
func NewCurved(p *Predictor) *Curved {
	n := len(p.eta)
	return &Curved{Predictor: p, grad: make([]float64, n), curv: make([]float64, n),
		nextGrad: make([]float64, n), nextCurv: make([]float64, n)}
}

// Stale tells that the point was moved in another way than by Jump.
func (c *Curved) Stale() { c.fresh = false }

// Here returns the curve along coefficient j at the point. Cost: O(n), with
// exponentials after Stale only.
func (c *Curved) Here(j int) Curve {
	if !c.fresh {
		c.pass(c.eta, 0, c.grad, c.curv)
		c.fresh = true
	}
	return c.along(j, c.value, c.grad, c.curv)
}

// AlongCurve returns the curve with delta added to coefficient j. Cost: O(n).
func (c *Curved) AlongCurve(j int, delta float64) Curve {
	sum := c.pass(c.t.data.X.Col(j), delta, c.nextGrad, c.nextCurv)
	v := Value{sum: sum}
	if c.t.kind.linear() {
		v.linear = math.FMA(delta, c.t.xty[j], c.value.linear)
	}
	v.LogLik = c.t.logLik(v.sum, v.linear, &c.disp)
	return c.along(j, v, c.nextGrad, c.nextCurv)
}

// Jump adds delta to coefficient j; v must be what the last AlongCurve
// returned, for the same change.
func (c *Curved) Jump(j int, delta float64, v Value) {
	c.Predictor.Move(j, delta, v)
	c.grad, c.nextGrad = c.nextGrad, c.grad
	c.curv, c.nextCurv = c.nextCurv, c.curv
	c.fresh = true
}

// along sums the rows' derivatives along a column.
func (c *Curved) along(j int, v Value, grad, curv []float64) Curve {
	x := c.t.data.X.Col(j)
	return Curve{v, c.t.kernels.Dot(x, grad), c.t.kernels.CurvatureAlong(x, curv)}
}

// pass writes the rows' derivatives at eta + delta·x, and returns the family's
// sum there.
func (c *Curved) pass(x []float64, delta float64, grad, curv []float64) (sum float64) {
	t := c.t
	switch {
	case t.kind == logit && t.weights == nil:
		sum = t.kernels.Log1pExpCurve(c.eta, x, delta, grad, curv)
		for i, y := range t.data.Y {
			grad[i] = y - grad[i]
		}
		return sum
	case t.kind == poisson && t.weights == nil:
		sum = t.kernels.ExpCurve(c.eta, x, delta, curv)
		for i, y := range t.data.Y {
			grad[i] = y - curv[i]
		}
		return sum
	}
	copy(grad, c.eta)
	t.kernels.Axpy(delta, x, grad)
	t.RowCurvature(grad, c.disp.at[:], curv)
	t.RowGradient(grad, c.disp.at[:], grad)
	return t.sum(c.eta, x, delta, c.disp.at)
}

// LogConcave tells whether the log likelihood is a concave function of eta on
// all of the real line, whatever the dispersions.
func (f Family) LogConcave() bool {
	return slices.Contains([]Family{
		{"gaussian", "identity"}, {"bernoulli", "logit"}, {"binomial", "logit"}, {"poisson", "log"},
		{"bernoulli", "probit"}, {"binomial", "probit"}, {"bernoulli", "cloglog"}, {"binomial", "cloglog"},
		{"negative_binomial", "log"}, {"gamma", "log"},
	}, f)
}
