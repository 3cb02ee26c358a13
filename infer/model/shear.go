package model

import (
	"math"
	"slices"

	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// shear moves coefficients of the first predictor along with the thresholds, by their regression on these where chains
// begin: a move of z by a direction then has about the width of its marginal distribution. Penalised coefficients,
// whose priors change, stay.
type shear struct {
	columns []int         // that move
	priors  []prior.Prior // of all coefficients
	of      [][]float64   // [threshold][column]: the change of coefficients for one of tau
	delta   [][]float64   // [direction][coefficient], and the changes of eta that they make
	steps   [][]float64   // [direction][row]
}

// maxSheared is how many coefficients move along.
const maxSheared = 100

// lean makes the shear of a predictor, and root the curvature of thresholds with its coefficients integrated out.
func (c *cuts) lean(of family.Several, rows *family.Rows, eta [][]float64, p *predictor) {
	priors := p.model.Coefficients
	for j, law := range priors {
		penalised := slices.ContainsFunc(p.data.Smooths, func(s design.Smooth) bool { return s.First <= j && j < s.Last })
		if !penalised && basis.Rotatable(law.Kind) {
			c.shear.columns = append(c.shear.columns, j)
		}
	}
	d := len(c.shear.columns)
	if d == 0 || d > maxSheared || c.root == nil {
		return
	}
	cols, own := make([][]float64, d), make([]float64, d*d)
	for i, j := range c.shear.columns {
		cols[i] = make([]float64, len(rows.Y))
		p.data.X.Column(j).AddTo(cols[i], 1)
		own[i*d+i] = 1 / priors[j].Scale / priors[j].Scale
	}
	curve := c.regress(of, rows, eta, cols, own)
	if c.shear.of == nil {
		return
	}
	c.curveOfZ(curve)
	root, err := linalg.Cholesky(curve, len(c.priors))
	if err != nil {
		c.shear.of = nil
		return
	}
	c.root, c.shear.priors = root, priors
	c.shear.directions(c, cols)
}

// regress finds the regression of coefficients on thresholds, by own, which has the precisions of their priors and gets
// their curvature. It returns the curvature of thresholds with the coefficients integrated out.
func (c *cuts) regress(of family.Several, rows *family.Rows, eta, cols [][]float64, own []float64) []float64 {
	d, m, each := len(cols), len(c.priors), c.stride(rows)
	cross := make([][]float64, m)
	for k := range cross {
		cross[k] = make([]float64, d)
	}
	curve := make([]float64, m*m)
	c.scores(rows, eta, each, func(i int, row, _ []float64, count float64) {
		cuts := len(c.first)
		one := make([]float64, cuts*cuts)
		c.information(of, row, count, one)
		c.expand(one, i, curve)
		weight := c.spread(one)
		for a := range d {
			for b := range a + 1 {
				own[a*d+b] = math.FMA(float64(weight[cuts]*cols[a][i]), cols[b][i], own[a*d+b])
			}
			for k, w := range weight[:cuts] {
				c.each(k, i, func(at int, x float64) { cross[at][a] = math.FMA(float64(w*x), cols[a][i], cross[at][a]) })
			}
		}
	})
	tau := make([]float64, m)
	c.tau(c.start, tau)
	for k, law := range c.priors {
		curve[k*m+k] += 1 / law.Scale / law.Scale
	}
	root, err := linalg.Cholesky(own, d)
	if err != nil {
		return nil
	}
	for i := range m {
		c.shear.of = append(c.shear.of, slices.Clone(cross[i]))
		root.Solve(c.shear.of[i])
		for j := range i + 1 {
			for a, v := range cross[j] {
				curve[i*m+j] = math.FMA(-c.shear.of[i][a], v, curve[i*m+j])
			}
		}
	}
	return curve
}

// spread returns the information of a row about eta and each threshold, with its sign changed, then that about eta.
func (c *cuts) spread(one []float64) []float64 {
	m := len(c.first)
	out := make([]float64, m+1)
	for i := range m {
		for j := range i + 1 {
			v := one[i*m+j]
			if out[i] += v; i != j {
				out[j] += v
			}
		}
	}
	for _, v := range out[:m] {
		out[m] += v
	}
	return out
}

// directions makes the changes of coefficients and of eta along the directions of root.
func (s *shear) directions(c *cuts, cols [][]float64) {
	m := len(c.priors)
	for j := range m {
		direction := c.direction(j)
		delta, step := make([]float64, len(s.priors)), make([]float64, len(cols[0]))
		tau := make([]float64, m)
		for k, v := range direction { // dtau at start
			if c.rising && k > 0 {
				v *= vec.Exp(c.start[k])
			}
			if tau[k] = v; c.rising && k > 0 && !c.equal {
				tau[k] += tau[k-1]
			}
		}
		for k, v := range tau {
			for a, w := range s.of[k] {
				delta[s.columns[a]] = math.FMA(v, w, delta[s.columns[a]])
			}
		}
		for a, column := range cols {
			for i, v := range column {
				step[i] = math.FMA(delta[s.columns[a]], v, step[i])
			}
		}
		s.delta, s.steps = append(s.delta, delta), append(s.steps, step)
	}
}
