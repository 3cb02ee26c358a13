package impute

import (
	"math"

	"glmbatch/internal/vec"
)

// moveBinary draws the cells of columns of two states given all else, by enumeration.
func (k *kernel) moveBinary() {
	for _, own := range k.readers {
		c := own.own
		if c < 0 {
			continue
		}
		for _, q := range k.cells[c] {
			k.drawState(own, c, int(q))
		}
	}
}

// drawState draws one cell.
func (k *kernel) drawState(own *reader, c, q int) {
	y := k.system
	z := k.z[q*y.width : (q+1)*y.width]
	k.statesOf(q)
	here := math.Round(k.states[c])
	delta := 1 - 2*here
	row := k.q[(y.first+c)*y.width : (y.first+c+1)*y.width]
	slope := 0.0
	for j, x := range z {
		slope = math.FMA(row[j], x, slope)
	}
	odds := float64(-delta * math.FMA(0.5*row[y.first+c], delta, slope))
	odds = math.FMA(delta, own.chain.Point().Eta()[own.of[q]], odds)
	odds += k.likelihoods(q, c, delta) - k.likelihoods(q, c, 0)
	if k.stream.Float64() < vec.Logistic(odds) {
		k.moveCell(q, c, delta)
		own.respond(q, here+delta)
	}
}

// respond rewrites the response of a row.
func (r *reader) respond(q int, to float64) {
	r.part.SetResponse(q, to)
	r.chain.Target().SetResponse(int(r.of[q]), to)
}
