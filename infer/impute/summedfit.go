package impute

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// maxFits bounds Newton's steps of a first fit, each halved at most fitHalvings times; it ends where one gains less
// than fitGain in log density.
const maxFits, fitHalvings, fitGain = 40, 12, 1e-3

// firstFit is where the coefficients of a model start from, and the metric of their moves.
type firstFit struct {
	centre []float64
	factor *linalg.Chol // of the curvature there
	sigma  float64      // of a gaussian model
	cells  []float64    // predicted states of the column's missing cells, where these follow
}

// fitTogether fits the models whose coefficients move together with cells one after the other, each to the rows that
// show its column, with the cells of columns before it summed out or at their predicted values. Where one has no finite
// density there, coefficients and cells take turns.
func (s *setup) fitTogether() error {
	if s.summed == nil {
		return nil
	}
	k, err := s.bare(infer.Chain{Count: 1, Stream: infer.NewStream(0, "impute", "first fit")})
	if err != nil {
		return err
	}
	for _, r := range k.readers {
		r.point.SetUnconstrained(r.Target.Penalised())
	}
	k.startCells(func(column, row int) float64 { return s.problem.Columns[column].Data.Y[row] })
	k.rewriteAll()
	k.refresh()
	for _, m := range s.summed.models {
		k.sums = append(k.sums, k.newSummedChain(m))
	}
	for i, c := range k.sums {
		var ok bool
		if c.firstFit, ok = c.fit(i); !ok {
			s.summed = nil
			return nil
		}
		if c.follows {
			c.predict()
			k.placeCells(c.summedModel)
			k.rewriteAll()
		}
	}
	return nil
}

// startTogether starts coefficients around their first fits, with twice the standard deviations there, cells of columns
// of states at a draw and others at their predicted values.
func (k *kernel) startTogether() {
	if k.summed == nil {
		return
	}
	for _, m := range k.summed.models {
		if m.follows {
			k.placeCells(m)
		}
	}
	k.rewriteAll()
	for _, m := range k.summed.models {
		k.sums = append(k.sums, k.newSummedChain(m))
	}
	for _, c := range k.sums {
		c.arrive()
		c.disperse()
		copy(c.value, c.here.value)
	}
	k.drawSummed()
	k.arriveAll()
}

// placeCells moves the cells of a column to their predicted states.
func (k *kernel) placeCells(m *summedModel) {
	y := k.system
	for i, q := range k.cells[m.column] {
		z := k.z[int(q)*y.width : int(q+1)*y.width]
		z[y.first+m.column] = m.cells[i] - y.centre[m.column]
		y.spell(z)
	}
}

// fit finds the mode of the coefficients given the models before it, by Newton's steps from their priors'
// locations. It reports false if the density has no curvature there.
func (c *summedChain) fit(before int) (firstFit, bool) {
	c.arrive()
	c.readOffset(false)
	c.gatherOthers(before)
	c.left = make([]bool, len(c.place))
	if c.follows {
		for _, i := range c.k.problem.Columns[c.column].Missing {
			c.left[i] = true
		}
	}
	dim := c.d * c.sets
	u, slope := &c.here, make([]float64, dim)
	for i := range u.theta {
		u.theta[i] = c.priorCentre(i % c.d)
	}
	var out firstFit
	for range maxFits {
		c.spreadOut(u)
		curvature := make([]float64, dim*dim)
		ok := c.look(u, slope, curvature)
		factor, err := linalg.Cholesky(curvature, dim)
		if !ok || err != nil {
			break
		}
		out.factor = factor
		factor.Solve(slope)
		if !(c.climb(u, slope) > fitGain) {
			break
		}
	}
	if out.factor == nil {
		return out, false
	}
	c.densities(u)
	copy(c.value, u.value)
	c.left, out.centre = nil, slices.Clone(u.theta)
	if len(c.disp) > 0 {
		out.sigma = c.disp[0]
	}
	return out, true
}

// climb moves a point by a step, or by the part of it that gains.
func (c *summedChain) climb(u *summedPoint, step []float64) (gain float64) {
	from, size, before := append([]float64(nil), u.theta...), 1.0, u.total
	slope := make([]float64, len(step))
	for range fitHalvings {
		copy(u.theta, from)
		kernels.Axpy(size, step, u.theta)
		if c.look(u, slope, nil) && u.total > before {
			return u.total - before
		}
		size *= 0.5
	}
	copy(u.theta, from)
	return 0
}

// spreadOut sets the standard deviation of a gaussian model to that of what the point leaves.
func (c *summedChain) spreadOut(u *summedPoint) {
	if c.choosing() || c.linear < 0 && !c.reader.Target.ClosedGaussian() {
		return
	}
	c.densities(u)
	c.weigh(u)
	squares, rows := 0.0, 0.0
	for i := range c.place {
		mask := c.k.summed.lacks[i]
		for p := range c.points[mask] {
			at := int(c.first[i]) + p
			rest := float64(u.score[at] * c.disp[0] * c.disp[0])
			squares = math.FMA(float64(u.chance[int(c.start[i])+p]*rest), rest, squares)
			if u.curv[at] > 0 {
				rows += u.chance[int(c.start[i])+p]
			}
		}
	}
	if rows > 0 && squares > 0 {
		c.disp[0] = math.Sqrt(squares / rows)
	}
}

// priorCentre is the location of a coefficient's prior.
func (c *summedChain) priorCentre(j int) float64 {
	if c.linear >= 0 {
		x := c.k.system.models[c.linear].prior[j].Location
		if j == 0 {
			x -= c.k.system.centre[c.column]
		}
		return x
	}
	return c.reader.Target.Model().Coefficients[j].Location
}

// predict finds the means of the column's cells under the fit, about.
func (c *summedChain) predict() {
	column := &c.k.problem.Columns[c.column]
	for _, row := range column.Missing {
		at, best := int(c.first[row]), math.Inf(-1)
		for p := range c.points[c.k.summed.lacks[row]] {
			if x := c.others[int(c.start[row])+p]; x > best {
				best, at = x, int(c.first[row])+p
			}
		}
		e := c.here.eta[at]
		state := e
		switch {
		case c.linear >= 0:
			state += c.k.system.centre[c.column]
		case column.whole():
			state = math.Round(vec.Exp(min(e, 30)))
		case column.positive():
			state = vec.Exp(min(max(e, -300), 300))
		default:
			state = vec.Logistic(min(max(e, -30), 30))
		}
		c.cells = append(c.cells, state)
	}
}

// disperse moves the coefficients to a random point about the fit.
func (c *summedChain) disperse() {
	step := make([]float64, len(c.centre))
	for j := range step {
		step[j] = 2 * variate.Normal(c.k.Stream)
	}
	c.factor.SolveUpper(step)
	for {
		copy(c.here.theta, c.centre)
		kernels.Axpy(1, step, c.here.theta)
		c.densities(&c.here)
		if c.weigh(&c.here); math.Abs(c.here.total) <= math.MaxFloat64 || vec.SumSquares(step) == 0 {
			break
		}
		for j := range step {
			step[j] *= 0.5
		}
	}
	c.settle(c.here.theta)
	if c.linear >= 0 {
		c.k.fits[c.linear].logSigma = vec.Log(c.sigma)
	}
}
