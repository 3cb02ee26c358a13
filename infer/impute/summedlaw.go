package impute

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// summedChain is a chain's part of a model with cells summed out: the design of all its points, and what the others
// say of its cases.
type summedChain struct {
	*summedModel
	k       *kernel
	reader  *reader // the first; nil of a gaussian model of a column
	d, sets int     // coefficients of a linear predictor, and linear predictors of a point
	x       *design.Dense
	part    *glm.Target // of points, of a model whose density is that of a reader; else nil
	value   []float64   // log density of each case
	others  []float64   // log density of it in the other models, up to a constant of each row
	here    summedPoint
	summedRows
	summedWork
}

// summedRows are the rows of the data in a summed model.
type summedRows struct {
	place    []int     // row of the reader's data, or −1
	response []float64 // of models that have no reader
	silent   bool      // some rows have no response
	beside   []float64 // of each row of the reader's data the part of eta that is not its product with theta; nil: 0
	left     []bool    // rows that a first fit leaves out, or nil
}

// summedWork has what looks at a density use.
type summedWork struct {
	entries []float64
	stays   []bool    // columns whose entries at the points do not change
	vectors int       // rows of the matrix whose products are the curvature
	disp    []float64 // dispersions
}

func (k *kernel) newSummedChain(m *summedModel) *summedChain {
	c := &summedChain{summedModel: m, k: k, sets: max(1, len(m.readers))}
	p := k.problem
	n := int(m.first[p.Rows])
	if m.linear >= 0 {
		c.d = len(k.system.models[m.linear].at)
	} else {
		c.reader = k.readers[m.readers[0]]
		c.d = c.reader.data.Cols()
	}
	c.x, c.entries = design.NewDense(n, c.d), make([]float64, c.d)
	c.value = make([]float64, m.start[p.Rows])
	c.others = make([]float64, m.start[p.Rows])
	c.place, c.response = make([]int, p.Rows), make([]float64, p.Rows)
	at := make([]int, n)
	for i := range c.place {
		c.place[i] = i
		if m.of != nil {
			c.place[i] = m.of[i]
			c.silent = c.silent || m.of[i] < 0
		}
		for j := m.first[i]; j < m.first[i+1]; j++ {
			at[j] = max(c.place[i], 0)
		}
		if m.column >= 0 {
			c.response[i] = p.Columns[m.column].Data.Y[i]
		}
	}
	if !c.choosing() && m.linear < 0 {
		c.part = c.reader.chain.Target().RowsOf(at)
	}
	if c.reader != nil {
		for column := range p.Columns {
			c.stays = append(c.stays, slices.Contains(k.summed.columns, column) &&
				(c.reader.affine[column] || c.reader.table[column] != nil))
		}
	}
	for i := range c.place {
		c.fill(i, true)
		c.vectors++
		if c.choosing() && c.start[i+1] == c.start[i]+1 {
			c.vectors += c.sets
		}
	}
	return c
}

// choosing reports whether the model explains a column of two states or several.
func (c *summedChain) choosing() bool {
	return c.column >= 0 && (c.k.problem.Columns[c.column].binary() || c.k.problem.Columns[c.column].Levels != nil)
}

// fill writes the entries of a row's points, and its response, from the cells that are not summed out: all of them, or
// those that such cells move.
func (c *summedChain) fill(row int, all bool) {
	k, t := c.k, c.k.summed
	first, mask := int(c.first[row]), t.lacks[row]
	if c.linear >= 0 {
		c.fillLinear(row)
		return
	}
	q, at := int(k.place[row]), c.place[row]
	if q >= 0 {
		k.statesOf(q)
		if c.column >= 0 && k.mask[q]>>c.column&1 == 1 && c.outcomes[mask] == 1 {
			c.response[row] = k.states[c.column]
			for j := first; c.part != nil && j < int(c.first[row+1]); j++ {
				c.reader.answer(c.part, j, c.response[row])
			}
		}
	}
	if at < 0 {
		return
	}
	n := c.x.Rows
	for i, combo := range c.points[mask] {
		for j := 0; all && j < c.d; j++ {
			c.x.Values[j*n+first+i] = c.reader.x.Col(j)[at]
		}
		if q < 0 {
			continue
		}
		for s, state := range combo {
			if state >= 0 {
				k.states[t.columns[s]] = float64(state)
			}
		}
		for column, moved := range c.reader.moved {
			if moved == nil || k.mask[q]>>column&1 == 0 || !all && c.stays[column] {
				continue
			}
			c.reader.encode(k.setup, q, column, k.states, c.entries)
			for e, j := range moved {
				c.x.Values[j*n+first+i] = c.entries[e]
			}
		}
	}
}

// fillLinear is fill of a gaussian model of a column.
func (c *summedChain) fillLinear(row int) {
	k, y, t := c.k, c.k.system, c.k.summed
	z := y.rowOf(k, row, make([]float64, y.width))
	m, n := y.models[c.linear], c.x.Rows
	c.response[row] = z[m.own]
	for i, combo := range c.points[t.lacks[row]] {
		for s, state := range combo {
			if state >= 0 {
				z[y.first+t.columns[s]] = float64(state) - y.centre[t.columns[s]]
			}
		}
		y.spell(z)
		for j, at := range m.at {
			c.x.Values[j*n+int(c.first[row])+i] = z[at]
		}
	}
}

// rowOf writes the variables of a row to z, and returns it.
func (t *system) rowOf(k *kernel, row int, z []float64) []float64 {
	if q := k.place[row]; q >= 0 {
		copy(z, k.z[int(q)*t.width:])
		return z
	}
	for j, c := range t.columns {
		z[j] = c[row]
	}
	for c := range k.problem.Columns {
		z[t.first+c] = k.problem.Columns[c].Data.Y[row] - t.centre[c]
	}
	t.spell(z)
	return z
}

// summedPoint is a point of a model's coefficients with the cells summed out.
type summedPoint struct {
	theta  []float64 // of one linear predictor after the other
	eta    []float64 // of the points, likewise
	value  []float64 // log density of each case
	chance []float64 // of each case given what the row shows
	score  []float64 // of each point and linear predictor: expected derivative given what the row shows
	curv   []float64 // of the points, of a model with a density of one linear predictor
	total  float64   // log density with the prior's

	weight, norms, sums []float64 // scratch
}

// densities writes the log densities of the cases at theta.
func (c *summedChain) densities(u *summedPoint) {
	n := c.x.Rows
	u.eta = grown(u.eta, n*c.sets)
	clear(u.eta)
	for a := range c.sets {
		c.x.AddProduct(kernels, u.theta[a*c.d:(a+1)*c.d], u.eta[a*n:(a+1)*n])
	}
	c.addOffset(u.eta)
	u.value, u.chance = grown(u.value, len(c.value)), grown(u.chance, len(c.value))
	u.score = grown(u.score, n*c.sets)
	u.weight, u.norms, u.sums = grown(u.weight, n), grown(u.norms, n), grown(u.sums, c.d)
	switch {
	case c.choosing():
		c.choose(u)
	case c.linear >= 0:
		u.curv = grown(u.curv, n)
		w := 1 / c.disp[0] / c.disp[0]
		for i, y := range c.response {
			for j := c.first[i]; j < c.first[i+1]; j++ {
				rest := y - u.eta[j]
				u.value[j], u.score[j], u.curv[j] = float64(-0.5*w*rest)*rest, float64(w*rest), w
			}
		}
	default:
		u.curv = grown(u.curv, n)
		c.part.RowCurves(0, u.eta, c.disp, u.value, nil, u.score, u.curv)
		for i, at := range c.place {
			if at < 0 {
				for j := c.first[i]; j < c.first[i+1]; j++ {
					u.value[j], u.score[j], u.curv[j] = 0, 0, 0
				}
			}
		}
	}
}

// readOffset reads the offset of the regression's rows and, unless they are to be 0, their group-level effects.
func (c *summedChain) readOffset(effects bool) {
	if c.column >= 0 || c.reader.data.Offset == nil && c.reader.Effects == 0 {
		return
	}
	c.beside = grown(c.beside, c.reader.data.Rows())
	clear(c.beside)
	copy(c.beside, c.reader.data.Offset)
	if effects {
		c.reader.point.AddTerms(c.reader.data.Effects, c.beside)
	}
}

// addOffset adds what readOffset has read to the linear predictor of the points.
func (c *summedChain) addOffset(eta []float64) {
	if c.beside == nil {
		return
	}
	for i, at := range c.place {
		for j := c.first[i]; j < c.first[i+1] && at >= 0; j++ {
			eta[j] += c.beside[at]
		}
	}
}

// choose writes the log probabilities of the states that each row may have, and the probabilities of all but the first
// state at each point to u.score.
func (c *summedChain) choose(u *summedPoint) {
	n := c.x.Rows
	most, total := u.weight, u.norms
	clear(most)
	for a := range c.sets {
		for j, e := range u.eta[a*n : (a+1)*n] {
			most[j] = max(most[j], e)
		}
	}
	for j, x := range most {
		total[j] = -x
		for a := range c.sets {
			u.score[a*n+j] = u.eta[a*n+j] - x
		}
	}
	kernels.Exp(total, total)
	kernels.Exp(u.score, u.score)
	for a := range c.sets {
		kernels.Axpy(1, u.score[a*n:(a+1)*n], total)
	}
	for a := range c.sets {
		for j, x := range total {
			u.score[a*n+j] /= x
		}
	}
	kernels.Log(total, total)
	for i, mask := range c.k.summed.lacks {
		outcomes, at := c.outcomes[mask], int(c.start[i])
		for j := int(c.first[i]); j < int(c.first[i+1]); j++ {
			norm := most[j] + total[j]
			u.value[at] = -norm
			switch {
			case outcomes > 1:
				for a := range c.sets {
					u.value[at+a+1] = u.eta[a*n+j] - norm
				}
			case c.response[i] > 0.5:
				u.value[at] += u.eta[(int(math.Round(c.response[i]))-1)*n+j]
			}
			at += outcomes
		}
	}
}

// priorOf returns the prior of coefficient j of linear predictor a at x: log density, slope, and the precision that
// proposals take it to have.
func (c *summedChain) priorOf(a, j int, x float64) (density, slope, precision float64) {
	var law prior.Prior
	if c.linear >= 0 {
		law = c.k.system.models[c.linear].prior[j]
		if j == 0 {
			x += c.k.system.centre[c.column]
		}
		density = law.LogDensity(x)
	} else {
		point := c.k.readers[c.readers[a]].point
		law = c.reader.Target.Model().Coefficients[j]
		density = point.LogPriorAlong(j, x)
		if law.Kind.Shrinks() {
			precision = 1 / point.Spread(j) / point.Spread(j)
			return density, float64(-precision * x), precision
		}
	}
	switch law.Kind {
	case prior.Normal:
		precision = 1 / law.Scale / law.Scale
	case prior.Uniform:
		precision = 12 / (law.High - law.Low) / (law.High - law.Low)
	default:
		precision = 0.25 / law.Scale / law.Scale
	}
	return density, law.Gradient(x), precision
}
