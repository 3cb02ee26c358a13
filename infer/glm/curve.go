package glm

import (
	"math"
	"slices"

	"glmbatch/infer/internal/simd"
	"glmbatch/infer/internal/vec"
)

// Curved is a Predictor that also gives slope and curvature of the log
// likelihood along a coefficient: for the closed sums in one pass of vector
// kernels, for a law from its rows' derivatives, which are cached at the point.
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
	c := &Curved{Predictor: p}
	if _, closed := c.moments(p.eta, 0); !closed {
		n := len(p.eta)
		c.grad, c.curv = make([]float64, n), make([]float64, n)
		c.nextGrad, c.nextCurv = make([]float64, n), make([]float64, n)
	}
	return c
}

// Stale tells that the point was moved in another way than by Jump.
func (c *Curved) Stale() { c.fresh = false }

// Here returns the curve along coefficient j at the point. Cost: O(n).
func (c *Curved) Here(j int) Curve {
	if m, closed := c.moments(c.t.data.X.Col(j), 0); closed {
		return c.closed(j, c.value, m)
	}
	if !c.fresh {
		c.pass(c.eta, 0, c.grad, c.curv)
		c.fresh = true
	}
	return c.along(j, c.value, c.grad, c.curv)
}

// AlongCurve returns the curve with delta added to coefficient j. Cost: O(n).
func (c *Curved) AlongCurve(j int, delta float64) Curve {
	var v Value
	m, closed := c.moments(c.t.data.X.Col(j), delta)
	if closed {
		v.sum = m.Value
	} else {
		v.sum = c.pass(c.t.data.X.Col(j), delta, c.nextGrad, c.nextCurv)
	}
	if c.t.kind.linear() {
		v.linear = math.FMA(delta, c.t.xty[j], c.value.linear)
	}
	v.LogLik = c.t.logLik(v.sum, v.linear, &c.disp)
	if closed {
		return c.closed(j, v, m)
	}
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

// moments returns the moments of a closed sum; false for other kinds.
func (c *Curved) moments(x []float64, delta float64) (simd.Moments, bool) {
	t := c.t
	switch {
	case t.kind == logit && t.weights == nil:
		return simd.Log1pExpMoments(c.eta, x, delta), true
	case t.kind == logit:
		return simd.WeightedLog1pExpMoments(t.weights, c.eta, x, delta), true
	case t.kind == poisson && t.weights == nil:
		return simd.ExpMoments(c.eta, x, delta), true
	case t.kind == poisson:
		return simd.WeightedExpMoments(t.weights, c.eta, x, delta), true
	case t.kind == gaussian && t.weights == nil:
		return simd.SquaresMoments(t.data.Y, c.eta, x, delta), true
	}
	return simd.Moments{}, false
}

// closed makes a curve of the moments of a closed sum.
func (c *Curved) closed(j int, v Value, m simd.Moments) Curve {
	if c.t.kind == gaussian {
		precision := 1 / c.disp.at[0] / c.disp.at[0]
		return Curve{v, -precision * m.Slope, precision * m.Curve}
	}
	return Curve{v, c.t.xty[j] - m.Slope, m.Curve}
}

// along sums the rows' derivatives along a column.
func (c *Curved) along(j int, v Value, grad, curv []float64) Curve {
	x := c.t.data.X.Col(j)
	return Curve{v, simd.Dot(x, grad), vec.CurvatureAlong(x, curv)}
}

// pass writes the rows' derivatives at eta + delta·x, and returns the family's
// sum there.
func (c *Curved) pass(x []float64, delta float64, grad, curv []float64) (sum float64) {
	t := c.t
	copy(grad, c.eta)
	simd.Axpy(delta, x, grad)
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
