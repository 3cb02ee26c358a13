package impute

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// moveStates draws the cells of columns of two states and of several given all else, by enumeration, and moves
// those of counts, positive numbers and shares by slices. It reports false if a log density was not a number.
func (k *kernel) moveStates() bool {
	for i, own := range k.readers {
		c := own.own
		if c < 0 || i != k.setup.models[c][0] {
			continue
		}
		column := &k.problem.Columns[c]
		for _, q := range k.cells[c] {
			switch {
			case k.resting(int(q)):
			case column.binary():
				k.drawState(own, c, int(q))
			case column.Levels != nil:
				k.drawLevel(own.choice, c, int(q))
			case !k.moveNumber(own, c, int(q)):
				return false
			}
		}
	}
	return true
}

// drawState draws one cell.
func (k *kernel) drawState(own *reader, c, q int) {
	k.statesOf(q)
	here := math.Round(k.states[c])
	delta := 1 - 2*here
	odds := math.FMA(delta, own.point.Eta()[own.of[q]], k.along(q, c).at(delta))
	odds += k.likelihoods(q, c, delta) - k.likelihoods(q, c, 0)
	if k.Stream.Float64() < vec.Logistic(odds) {
		k.moveCell(q, c, delta)
		own.respond(q, k.states[c])
	}
}

// respond rewrites the response of a row, which is missing, to what the column's state says.
func (r *reader) respond(q int, state float64) {
	to := math.Round(state)
	switch {
	case r.level > 0:
		to = indicator(to, r.level)
	case r.law != nil && !r.whole:
		to = state
	}
	r.part.SetResponse(q, to)
	r.point.Answer(int(r.of[q]), to)
}

// answer rewrites a response of a part of a model of numbers.
func (r *reader) answer(part *glm.Target, at int, state float64) {
	if r.whole {
		state = math.Round(state)
	}
	part.SetResponse(at, state)
}
