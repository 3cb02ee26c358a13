package impute

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// words name the family of a column's model.
func (c *Column) words() string {
	if c.Levels != nil {
		return "multinomial"
	}
	return c.Model.Family.Name
}

// findLaw gives the model of a column of numbers the distribution of its cells.
func (r *reader) findLaw(c *Column, rows []int) (err error) {
	data := &glm.Data{X: design.NewDense(len(rows), 1), Y: design.Take(c.Data.Y, rows)}
	r.whole, r.cell = c.whole(), c.Model.Family.Likelihood().Cell
	r.law, err = glm.NewPointwise(c.Model.Family, data)
	return err
}

// density is the log density of a state of the column's own cell in row q.
func (r *reader) density(q int, state float64) float64 { return r.densityAt(q, state, r.linearAt(q)) }

// densityAt is density at another linear predictor.
func (r *reader) densityAt(q int, state, eta float64) float64 {
	r.law.SetResponse(q, state)
	r.eta[0] = eta
	r.law.LogLik(q, r.eta[:], r.disp, r.value[:])
	return r.value[0]
}

// linearAt is the linear predictor of row q.
func (r *reader) linearAt(q int) float64 { return r.point.Eta()[r.of[q]] }

// scaleOf maps a real number to states of a column of numbers, with the logarithm of its derivative: the next whole
// number below, of counts, the exponential function, or the logistic one.
func (c *Column) scaleOf(x float64) (state, jacobian float64) {
	switch {
	case c.whole():
		return math.Floor(x), 0
	case c.positive():
		return vec.Exp(x), x
	}
	return vec.Logistic(x), -vec.Log1pExp(x) - vec.Log1pExp(-x)
}

// logSlope is the logarithm of that derivative at a state.
func (c *Column) logSlope(state float64) float64 {
	if c.positive() {
		return vec.Log(state)
	}
	return vec.Log(state) + vec.Log1p(-state)
}

// moveNumber moves a cell of a column of counts, positive numbers or shares given all else, by a slice on the real
// line. A count is there any number between it and the next one, so that the slice is one of its whole numbers.
func (k *kernel) moveNumber(own *reader, c, q int) bool {
	y, column := k.system, &k.problem.Columns[c]
	k.statesOf(q)
	here := k.states[c]
	if column.whole() {
		here = math.Round(here)
	}
	along := k.along(q, c)
	at := func(x float64) float64 {
		state, jacobian := column.scaleOf(x)
		state = state - y.centre[c] + y.centre[c] // the state for z
		if column.whole() {
			state = math.Round(state)
		}
		if !column.inside(state) || state < 0 {
			return math.Inf(-1)
		}
		delta := state - here
		return jacobian + own.density(q, state) + along.at(delta) + k.likelihoods(q, c, delta)
	}
	var from float64
	switch {
	case column.whole():
		from = here + k.Stream.Float64()
	case column.positive():
		from = vec.Log(here)
	default:
		from = vec.Log(here) - vec.Log1p(-here)
	}
	to, ok := k.slice1(at, from, own.width(q))
	if !ok {
		return false
	}
	if state, _ := column.scaleOf(to); to != from && state != here {
		k.moveCell(q, c, state-here)
		own.respond(q, k.states[c])
	}
	return true
}

// width is 2.5 standard deviations, about, of a cell's own law on the scale of its slice.
func (r *reader) width(q int) float64 { return r.cell.Width(r.linearAt(q), r.dispersions()) }

func (r *reader) dispersions() (disp [2]float64) {
	copy(disp[:], r.disp)
	return disp
}
