package glm

import "glmbatch/infer/design"

// Columns are neighbouring coefficients of a dense design that move together: a Curved's passes along several
// columns instead of one. It belongs to one chain.
type Columns struct {
	*Curved
	next []float64 // eta at the place that Along looked at
}

// NewColumns gives these passes to a Curved of a dense design.
func NewColumns(c *Curved) *Columns { return &Columns{c, make([]float64, len(c.eta))} }

// block returns columns first to first+m−1.
func (c *Columns) block(first, m int) []float64 {
	x := c.t.data.X.(*design.Dense)
	return x.Values[first*x.Rows : (first+m)*x.Rows]
}

// Here writes the slopes of the log likelihood at the point along as many coefficients as slopes is long, from first
// on. Cost: O(n) for each.
func (c *Columns) Here(first int, slopes []float64) {
	c.rowsHere()
	c.t.kernels.DotColumns(c.block(first, len(slopes)), c.grad, slopes)
}

// Along returns the log likelihood with step added to coefficients from first on, and writes the slopes there. The
// point stays. Cost: O(n) for each coefficient, twice, and one pass with exponentials.
func (c *Columns) Along(first int, step, slopes []float64) Value {
	c.reserve()
	block := c.block(first, len(step))
	copy(c.next, c.eta)
	c.t.kernels.AxpyColumns(step, block, c.next)
	v := Value{sum: c.passOf(c.t.rows, c.t.weights, c.next, c.next, 0, c.nextGrad, c.nextCurv)}
	if c.t.form.Linear() {
		v.linear = c.value.linear + c.t.kernels.Dot(step, c.t.xty[first:first+len(step)])
	}
	v.LogLik = c.t.logLik(v.sum, v.linear, &c.disp)
	c.t.kernels.DotColumns(block, c.nextGrad, slopes)
	return v
}

// Jump moves where the last Along looked; v must be what it returned.
func (c *Columns) Jump(first int, step []float64, v Value) {
	c.t.kernels.Axpy(1, step, c.beta[first:first+len(step)])
	c.next = c.exchange(c.next, v)
	c.grad, c.nextGrad = c.nextGrad, c.grad
	c.curv, c.nextCurv = c.nextCurv, c.curv
	c.at = c.moves
}

// AddCurvatures adds the negative second derivatives of the log likelihood at the point along each coefficient. Cost:
// O(n·d).
func (c *Columns) AddCurvatures(dst []float64) {
	c.rowsHere()
	for j := range dst {
		_, curve := c.t.kernels.Slopes(c.block(j, 1), c.grad, c.curv)
		dst[j] += curve
	}
}
