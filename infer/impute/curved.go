package impute

import (
	"math"

	"glmbatch/infer/glm"
)

// singleDoublings bounds the steps of a slice along a cell.
const singleDoublings = 10

// moveSingly moves each missing cell of a row in a gaussian column by a slice of its distribution given all else.
// The width is 2.5 standard deviations of that law without the readers.
func (k *kernel) moveSingly(q int) bool {
	k.statesOf(q)
	for _, c := range k.sets[k.pattern[q]].columns {
		along := k.along(q, c)
		at := func(delta float64) float64 { return along.at(delta) + k.likelihoods(q, c, delta) }
		delta, ok := k.slice1(at, 0, 2.5/math.Sqrt(along.curve))
		if !ok {
			return false
		}
		if delta != 0 {
			k.moveCell(q, c, delta)
		}
	}
	return true
}

// parabola is the log density of the gaussian models, and of the measurement, along the state of a column in a row.
type parabola struct{ slope, curve float64 }

// along returns that of column c in row q.
func (k *kernel) along(q, c int) parabola {
	y := k.system
	row := k.q[(y.first+c)*y.width : (y.first+c+1)*y.width]
	slope := 0.0
	for j, x := range k.z[q*y.width : (q+1)*y.width] {
		slope = math.FMA(row[j], x, slope)
	}
	at := k.z[q*y.width+y.first+c] + y.centre[c]
	pull, precision := k.problem.Columns[c].measured(k.rows[q], at)
	return parabola{slope - pull, row[y.first+c] + precision}
}

// at returns the change of the log density with delta added to the state.
func (p parabola) at(delta float64) float64 {
	return float64(-delta * math.FMA(0.5*p.curve, delta, p.slope))
}

// likelihoods is the log likelihood of readers of row q with delta added to the state of column c.
func (k *kernel) likelihoods(q, c int, delta float64) float64 {
	return k.likelihoodsBut(nil, q, c, delta)
}

// likelihoodsBut is likelihoods without one reader's.
func (k *kernel) likelihoodsBut(but *reader, q, c int, delta float64) float64 {
	sum := 0.0
	for _, h := range k.choices {
		sum += h.move(k.setup, q, c, k.states, delta)
	}
	for _, r := range k.readers {
		if at := r.of[q]; at >= 0 && r.moved[c] != nil && r.choice == nil && r != but {
			sum += r.at(q, r.point.Eta()[at]+r.step(k.setup, q, c, k.states, delta))
		}
	}
	return sum
}

// moveCell adds delta to the state of column c in row q, whose states are in k.states.
func (k *kernel) moveCell(q, c int, delta float64) {
	y := k.system
	for _, r := range k.readers {
		if at := r.of[q]; at >= 0 && r.moved[c] != nil {
			r.point.Push(int(at), 1, r.step(k.setup, q, c, k.states, delta))
		}
	}
	to := k.states[c] + delta
	if own := &k.problem.Columns[c]; own.binary() || own.Levels != nil || own.whole() {
		to = math.Round(to)
	}
	z := to - y.centre[c]
	k.z[q*y.width+y.first+c], k.states[c] = z, z+y.centre[c] // the state for z
	y.spell(k.z[q*y.width : (q+1)*y.width])
	for _, r := range k.readers {
		if r.moved[c] != nil {
			r.write(k.setup, q, k.states)
		}
	}
}

// statesOf writes the states of row q to k.states.
func (k *kernel) statesOf(q int) {
	y := k.system
	for c := range k.states {
		k.states[c] = k.z[q*y.width+y.first+c] + y.centre[c]
	}
}

// slice1 returns a point of a slice update of one variable from x, by steps of a width.
func (k *kernel) slice1(f func(x float64) float64, x, width float64) (to float64, ok bool) {
	along := func(delta float64) (float64, glm.Value) { return f(x + delta), glm.Value{} }
	delta, _, moved, ok := k.slice.Update(along, f(x), width, singleDoublings)
	if !ok || !moved {
		return x, ok
	}
	return x + delta, true
}
