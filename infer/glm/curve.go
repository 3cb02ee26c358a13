package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// Curved is a Point that also gives slope and curvature of the log likelihood along a coefficient. The rows'
// derivatives at the point are cached together with eta, so that one pass with exponentials, at the evaluated
// point, serves one update: the next update needs what a move has computed there.
type Curved struct {
	*Point
	at         uint64 // the moves of the point at which grad and curv belong to eta
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

// NewCurved gives a point these passes.
func NewCurved(p *Point) *Curved { return &Curved{Point: p} }

// reserve makes the memory of the rows' derivatives, which a sampler without slopes does not take.
func (c *Curved) reserve() {
	if n := len(c.eta); len(c.grad) < n {
		all := make([]float64, 4*n)
		c.grad, c.curv, c.nextGrad, c.nextCurv = all[:n:n], all[n:2*n:2*n], all[2*n:3*n:3*n], all[3*n:]
	}
}

// fresh reports whether the rows' derivatives are those of the point.
func (c *Curved) fresh() bool { return c.at == c.moves }

// Here returns the curve along coefficient j at the point. Cost: O(n), with
// exponentials after a move other than Jump only.
func (c *Curved) Here(j int) Curve {
	c.rowsHere()
	return c.along(j, c.value, c.grad, c.curv)
}

// rowsHere brings the rows' derivatives to the point.
func (c *Curved) rowsHere() {
	if !c.fresh() {
		c.reserve()
		c.pass(c.eta, 0, c.grad, c.curv)
		c.at = c.moves
	}
}

// AlongCurve returns the curve with delta added to coefficient j. Cost: O(n), of
// a sparse column O(what it stores).
func (c *Curved) AlongCurve(j int, delta float64) Curve {
	c.reserve()
	x := c.t.data.X.Column(j)
	var v Value
	if x.Rows == nil {
		v.sum = c.pass(x.Values, delta, c.nextGrad, c.nextCurv)
	} else {
		n := c.gather(j, x)
		v.sum = c.value.sum + (c.passNear(x, delta) - n.base)
	}
	if c.t.form.Linear() {
		v.linear = math.FMA(delta, c.t.xty[j], c.value.linear)
	}
	v.LogLik = c.t.logLik(v.sum, v.linear, &c.disp)
	m := len(x.Values)
	return c.curveOf(v, x.Values, c.nextGrad[:m], c.nextCurv[:m])
}

// Local returns the curve along coefficient j at the point from one pass, as AlongCurve
// does, but without the rows' derivatives where the family's sum does without them.
// Cost: O(n), of a sparse column O(what it stores).
func (c *Curved) Local(j int) Curve {
	if !c.t.form.Linear() {
		v := c.AlongCurve(j, 0)
		v.Value = c.value
		return v
	}
	var m simd.Moments
	if x := c.t.data.X.Column(j); x.Rows == nil {
		m = c.t.sumMoments(c.t.weights, c.eta, x.Values)
	} else {
		c.gatherRows(j, x)
		m = c.t.sumMoments(c.near.weights, c.near.eta, x.Values)
		c.near.base = m.Value
	}
	return Curve{c.value, c.t.xty[j] - m.Slope, m.Curve}
}

// sumMoments sums over rows of these weights what the family sums, of a kind with a linear
// part, with its derivatives along x.
func (t *Target) sumMoments(w, eta, x []float64) simd.Moments {
	switch {
	case t.form == family.Exponential && w != nil:
		return t.kernels.WeightedExpMoments(w, eta, x, 0)
	case t.form == family.Exponential:
		return t.kernels.ExpMoments(eta, x, 0)
	case w != nil:
		return t.kernels.WeightedLog1pExpMoments(w, eta, x, 0)
	}
	return t.kernels.Log1pExpMoments(eta, x, 0)
}

// LocalDirection is Local along a direction. Cost: O(n).
func (c *Curved) LocalDirection(d *Direction) Curve {
	if c.t.form.Linear() {
		m := c.t.sumMoments(c.t.weights, c.eta, d.Eta)
		return Curve{c.value, d.linear - m.Slope, m.Curve}
	}
	c.reserve()
	c.pass(d.Eta, 0, c.nextGrad, c.nextCurv)
	return c.curveOf(c.value, d.Eta, c.nextGrad, c.nextCurv)
}

// Move is Point.Move. The rows' derivatives are kept where the column is
// sparse.
func (c *Curved) Move(j int, delta float64, v Value) {
	x := c.t.data.X.Column(j)
	if !c.fresh() || x.Rows == nil {
		c.Point.Move(j, delta, v)
		return
	}
	c.gather(j, x)
	c.passNear(x, delta)
	c.Jump(j, delta, v)
}

// Jump adds delta to coefficient j; v must be what the last AlongCurve
// returned, for the same change.
func (c *Curved) Jump(j int, delta float64, v Value) {
	fresh := c.fresh()
	c.Point.Move(j, delta, v)
	if x := c.t.data.X.Column(j); x.Rows != nil {
		for i, r := range x.Rows {
			c.grad[r], c.curv[r] = c.nextGrad[i], c.nextCurv[i]
		}
	} else {
		c.grad, c.nextGrad = c.nextGrad, c.grad
		c.curv, c.nextCurv = c.nextCurv, c.curv
		fresh = true
	}
	if fresh {
		c.at = c.moves
	}
}

// along sums the rows' derivatives along a column.
func (c *Curved) along(j int, v Value, grad, curv []float64) Curve {
	x := c.t.data.X.Column(j)
	if x.Rows != nil {
		return Curve{v, x.DotBy(c.t.kernels, grad), x.SumSquares(curv)}
	}
	return c.curveOf(v, x.Values, grad, curv)
}

// curveOf sums the derivatives of rows along their x.
func (c *Curved) curveOf(v Value, x, grad, curv []float64) Curve {
	slope, curve := c.t.kernels.Slopes(x, grad, curv)
	return Curve{v, slope, curve}
}

// passNear writes the derivatives of the gathered rows after a move to the
// beginnings of nextGrad and nextCurv, and returns the family's sum over them.
func (c *Curved) passNear(x design.Column, delta float64) (sum float64) {
	n := &c.near
	m := len(x.Values)
	return c.passOf(*c.respond(), n.weights, n.eta, x.Values, delta, c.nextGrad[:m], c.nextCurv[:m])
}

// pass writes the rows' derivatives at eta + delta·x, and returns the family's
// sum there.
func (c *Curved) pass(x []float64, delta float64, grad, curv []float64) (sum float64) {
	return c.passOf(c.t.rows, c.t.weights, c.eta, x, delta, grad, curv)
}

// passOf is pass over rows of these responses and weights.
func (c *Curved) passOf(r family.Rows, w, eta, x []float64, delta float64, grad, curv []float64) (sum float64) {
	t := c.t
	switch {
	case t.form == family.Softplus && w == nil:
		sum = t.kernels.Log1pExpCurve(eta, x, delta, grad, curv)
		t.kernels.Minus(grad, r.Y, grad)
		return sum
	case t.form == family.Exponential && w == nil:
		sum = t.kernels.ExpCurve(eta, x, delta, curv)
		t.kernels.Minus(grad, r.Y, curv)
		return sum
	}
	copy(grad, eta)
	t.kernels.Axpy(delta, x, grad)
	if t.form == family.Termwise {
		t.slopes(r, grad, c.disp.at, grad, curv, nil)
		return t.sumTerms(r, eta, x, delta, c.disp.at)
	}
	t.rowCurvature(r, grad, c.disp.at[:], curv)
	t.rowGradient(r, grad, c.disp.at[:], grad)
	return t.sumOf(r.Y, w, eta, x, delta)
}
