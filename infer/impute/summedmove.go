package impute

import (
	"math"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// moveSummed moves the coefficients of all models that cells of summed columns bear on with these summed out, then
// draws the cells.
func (k *kernel) moveSummed() {
	if len(k.summed.columns) == 0 {
		return
	}
	for _, c := range k.sums {
		c.arrive()
	}
	for _, c := range k.sums {
		if c.reads == 0 && c.own < 0 {
			continue
		}
		c.gatherOthers(len(k.sums))
		c.move()
	}
	k.drawSummed()
	k.arriveAll()
}

// arrive reads coefficients, dispersions and the cells that are not summed out.
func (c *summedChain) arrive() {
	for _, row := range c.k.rows {
		c.fill(row, false)
	}
	c.here.theta = c.coefficients(c.here.theta)
	c.disp = c.disp[:0]
	if c.linear >= 0 {
		c.disp = append(c.disp, vec.Exp(c.k.fits[c.linear].logSigma))
	} else {
		c.disp = append(c.disp, c.reader.disp...)
	}
	c.readOffset(true)
	c.densities(&c.here)
	copy(c.value, c.here.value)
}

// coefficients writes those of the model, one linear predictor after the other.
func (c *summedChain) coefficients(dst []float64) []float64 {
	dst = dst[:0]
	if c.linear >= 0 {
		return append(dst, c.k.fits[c.linear].alpha...)
	}
	for _, i := range c.readers {
		for j := range c.d {
			dst = append(dst, c.k.readers[i].point.Beta(j))
		}
	}
	return dst
}

// settle writes them back, and leaves linear predictors to arriveAll.
func (c *summedChain) settle(theta []float64) {
	if c.linear >= 0 {
		copy(c.k.fits[c.linear].alpha, theta)
		return
	}
	for a, i := range c.readers {
		c.k.readers[i].point.SetCoefficients(theta[a*c.d : (a+1)*c.d])
	}
}

// gatherOthers sums what the first models but this one say of its cases.
func (c *summedChain) gatherOthers(models int) {
	k, t := c.k, c.k.summed
	for i, mask := range t.lacks {
		if mask == 0 {
			continue
		}
		sums := k.sumOthers(c, i, models)
		to := c.others[c.start[i]:c.start[i+1]]
		if len(to) == len(sums) {
			copy(to, sums)
			continue
		}
		cases := c.cases[mask]
		for v := range to {
			to[v] = math.Inf(-1)
		}
		for s, x := range sums {
			to[cases[s]] = max(to[cases[s]], x)
		}
		total := c.here.chance[:len(to)]
		clear(total)
		for s, x := range sums {
			if v := cases[s]; to[v] > math.Inf(-1) {
				total[v] += vec.Exp(x - to[v])
			}
		}
		for v, x := range total {
			if x > 0 {
				to[v] += vec.Log(x)
			}
		}
	}
}

// sumOthers returns the sum of the log densities of the first models but one (nil: of all of these) at each combination
// of a row.
func (k *kernel) sumOthers(but *summedChain, row, models int) []float64 {
	mask := k.summed.lacks[row]
	k.combined = grown(k.combined, len(k.summed.combos[mask]))
	clear(k.combined)
	for _, c := range k.sums[:models] {
		if c == but {
			continue
		}
		value := c.value[c.start[row]:]
		for s, v := range c.cases[mask] {
			k.combined[s] += value[v]
		}
	}
	return k.combined
}

// leaps is the number of leapfrog steps of a trajectory.
const leaps = 4

// move moves the coefficients of the model by a trajectory of Hamiltonian dynamics. Step sizes are drawn, a quarter of
// the usual ones in every fourth iteration.
//
// Source: Neal (2011), MCMC using Hamiltonian dynamics, section 5.3, doi:10.1201/b10905.
func (c *summedChain) move() {
	dim := c.d * c.sets
	size := math.FMA(0.6, c.k.Stream.Float64(), 0.7) / math.Sqrt(math.Sqrt(float64(dim)))
	if c.k.Iteration%4 == 3 {
		size *= 0.25
	}
	p := make([]float64, dim)
	for j := range p {
		p[j] = variate.Normal(c.k.Stream)
	}
	threshold := vec.Log(1 - c.k.Stream.Float64())
	c.k.Evaluations++
	if there, ratio := c.trajectory(p, size); threshold < ratio {
		c.here = *there
		copy(c.value, there.value)
		c.settle(there.theta)
	}
}

// trajectory follows the dynamics from the chain's point, in coordinates in which the first fit has unit curvature,
// and leaves the momentum at the end in p. It returns the end and the logarithm of the ratio of both densities,
// −Inf if a density or a slope on the way is not finite.
func (c *summedChain) trajectory(p []float64, size float64) (there *summedPoint, ratio float64) {
	slope, step := make([]float64, len(p)), make([]float64, len(p))
	there = &summedPoint{theta: append([]float64(nil), c.here.theta...)}
	if !c.look(&c.here, slope, nil) {
		return there, math.Inf(-1)
	}
	energy := math.FMA(-0.5, vec.SumSquares(p), c.here.total)
	c.factor.SolveLower(slope)
	kernels.Axpy(0.5*size, slope, p)
	for l := range leaps {
		copy(step, p)
		c.factor.SolveUpper(step)
		kernels.Axpy(size, step, there.theta)
		if !c.look(there, slope, nil) {
			return there, math.Inf(-1)
		}
		c.factor.SolveLower(slope)
		if l < leaps-1 {
			kernels.Axpy(size, slope, p)
		}
	}
	kernels.Axpy(0.5*size, slope, p)
	return there, math.FMA(-0.5, vec.SumSquares(p), there.total) - energy
}

// drawSummed draws the cells of the summed columns of each row from their joint distribution given all else.
func (k *kernel) drawSummed() {
	t, y := k.summed, k.system
	for q, row := range k.rows {
		mask := t.lacks[row]
		if mask == 0 {
			continue
		}
		combo := t.combos[mask][pick(k.Stream, k.sumOthers(nil, row, len(k.sums)))]
		z := k.z[q*y.width : (q+1)*y.width]
		for s, state := range combo {
			if state >= 0 {
				z[y.first+t.columns[s]] = float64(state) - y.centre[t.columns[s]]
			}
		}
		y.spell(z)
	}
	k.rewriteAll()
}

// arriveAll recomputes all that depends on coefficients and cells.
func (k *kernel) arriveAll() {
	k.system.precision(k.fits, k.q)
	k.refresh()
}
