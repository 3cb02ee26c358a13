package impute

import (
	"math"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// choice is a chain's multinomial logit model of a column of several levels: the log odds of each level against the
// first are linear. Given those of the other levels, the coefficients of one are those of a logistic regression of its
// indicator, with minus the logarithm of the sum of what the others have as offset, and are drawn as such.
//
// Source: Holmes and Held (2006), Bayesian auxiliary variable models for binary and multinomial regression,
// doi:10.1214/06-BA105, section 3.
type choice struct {
	column int
	levels []*reader // of level 1, 2, …
	eta    []float64 // of these, in one row
	weight []float64 // of the levels of a cell
	slope  []float64
	total  []float64 // of the other levels, in each row
}

// indicator is 1 where a state is a level.
func indicator(state float64, level int) float64 {
	if state == float64(level) {
		return 1
	}
	return 0
}

// findLatent gathers the models of columns of several levels, and gives those of columns of numbers their
// distributions.
func (k *kernel) findLatent() error {
	for c, models := range k.setup.models {
		column := &k.problem.Columns[c]
		switch {
		case column.Levels != nil:
			h := &choice{column: c, eta: make([]float64, len(models)), weight: make([]float64, len(column.Levels)),
				slope: make([]float64, len(k.system.of[c]))}
			for _, i := range models {
				r := k.readers[i]
				r.choice = h
				h.levels = append(h.levels, r)
			}
			k.choices = append(k.choices, h)
		case len(models) > 0 && !column.binary():
			if err := k.readers[models[0]].findLaw(column, k.rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// before takes off one level's linear predictor, for a step, the logarithm of the sum of what the others have. Between
// steps linear predictors of levels are X·coefficients. Cost: O(n·levels), and for the first level O(n·d) for each.
func (h *choice) before(r *reader) {
	if r == h.levels[0] {
		for _, l := range h.levels { // to the bit those of a chain that is resumed
			l.point.Refresh()
		}
	}
	if h.total == nil {
		h.total = make([]float64, len(r.point.Eta()))
	}
	clear(h.total)
	for _, other := range h.levels {
		if other == r {
			continue
		}
		for i, e := range other.point.Eta() {
			h.total[i] += vec.Log1pExp(e - h.total[i])
		}
	}
	r.point.TakeOff(h.total)
}

// value is the log probability of the level of row q at the linear predictors h.eta.
func (h *choice) value(state float64) float64 {
	total, own := 0.0, 0.0
	for l, e := range h.eta {
		total += vec.Log1pExp(e - total)
		if l+1 == int(math.Round(state)) {
			own = e
		}
	}
	return own - total
}

// move is the log probability of the level of row q with delta added to the state of column c.
func (h *choice) move(s *setup, q, c int, states []float64, delta float64) float64 {
	if h.levels[0].moved[c] == nil {
		return 0
	}
	for l, r := range h.levels {
		h.eta[l] = r.linearAt(q) + r.step(s, q, c, states, delta)
	}
	return h.value(states[h.column])
}

// drawLevel draws a cell of a column of several levels given all else, by enumeration.
func (k *kernel) drawLevel(h *choice, c, q int) {
	y := k.system
	z := k.z[q*y.width : (q+1)*y.width]
	last := y.width - len(y.entries)
	k.statesOf(q)
	here := int(math.Round(k.states[c]))
	for i, e := range y.of[c] {
		row := k.q[(last+e)*y.width : (last+e+1)*y.width]
		h.slope[i] = 0
		for j, x := range z {
			h.slope[i] = math.FMA(row[j], x, h.slope[i])
		}
	}
	for level := range h.weight {
		w := k.likelihoods(q, c, float64(level-here))
		if level > 0 {
			w += h.levels[level-1].linearAt(q)
		}
		for i, e := range y.of[c] {
			inner := h.slope[i]
			for _, f := range y.of[c] {
				v := y.entries[f].values
				inner = math.FMA(float64(0.5*k.q[(last+e)*y.width+last+f]), v[level]-v[here], inner)
			}
			v := y.entries[e].values
			w = math.FMA(-(v[level] - v[here]), inner, w)
		}
		h.weight[level] = w
	}
	to := pick(k.Stream, h.weight)
	if to == here {
		return
	}
	k.moveCell(q, c, float64(to-here))
	for _, r := range h.levels {
		r.respond(q, float64(to))
	}
}

// pick draws an index with probability proportional to e^w, and leaves w changed.
func pick(source variate.Source, w []float64) int {
	most := math.Inf(-1)
	for _, x := range w {
		most = max(most, x)
	}
	total := 0.0
	for i, x := range w {
		total += vec.Exp(x - most)
		w[i] = total
	}
	u := float64(source.Float64() * total)
	for i, x := range w {
		if u < x {
			return i
		}
	}
	return len(w) - 1
}
