package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/internal/simd"
)

// nearby holds the rows that a sparse column touches: the log likelihood of a move
// along it differs from that of the point by theirs alone. They are gathered once
// for the evaluations of one update.
type nearby struct {
	col    int           // −1 for none
	column design.Column // what is stored of it, if that is not every row
	base   float64       // the family's sum over these rows at the point

	eta, weights []float64
	responded    bool // rows are gathered
	rows         rows
	numbers      [8][]float64 // memory of the gathered numbers
}

// forget tells that the point has moved.
func (n *nearby) forget() { n.col = -1 }

// gathered writes the entries of v at the rows to n's memory and returns them; nil
// for nil.
func (n *nearby) gathered(k simd.Kernels, slot int, v []float64, at []int32) []float64 {
	if v == nil {
		return nil
	}
	if cap(n.numbers[slot]) < len(at) {
		n.numbers[slot] = make([]float64, max(len(at), 2*cap(n.numbers[slot])))
	}
	out := n.numbers[slot][:len(at)]
	k.Gather(out, at, v)
	return out
}

// gather brings p.near to column j. Cost: O(rows), once between moves.
func (p *Predictor) gather(j int, c design.Column) *nearby {
	if p.near.col != j {
		p.gatherRows(j, c)
		p.near.base = p.sumNear(c, 0)
	}
	return &p.near
}

// gatherRows is gather without the sum at the point.
func (p *Predictor) gatherRows(j int, c design.Column) {
	n, t := &p.near, p.t
	n.col, n.column, n.responded = j, c, false
	n.eta = n.gathered(t.kernels, 0, p.eta, c.Rows)
	if t.kind != lawful && t.weights != nil {
		n.weights = n.gathered(t.kernels, 6, t.weights, c.Rows)
	}
	if !t.kind.linear() { // or their sums do without responses
		p.respond()
	}
}

// respond gathers the responses and what else a row has.
func (p *Predictor) respond() *rows {
	n, t, at := &p.near, p.t, p.near.column.Rows
	if n.responded {
		return &n.rows
	}
	all := &t.rows
	n.responded, n.rows = true, rows{kernels: all.kernels, total: all.total}
	n.rows.y = n.gathered(t.kernels, 1, all.y, at)
	n.rows.m = n.gathered(t.kernels, 2, all.m, at)
	n.rows.frequency = n.gathered(t.kernels, 3, all.frequency, at)
	n.rows.precision = n.gathered(t.kernels, 4, all.precision, at)
	n.rows.roots = n.gathered(t.kernels, 5, all.roots, at)
	if t.kind == lawful {
		n.rows.logY = n.gathered(t.kernels, 6, all.logY, at)
		n.rows.log1Y = n.gathered(t.kernels, 7, all.log1Y, at)
	}
	return &n.rows
}

// sumNear returns the family's sum over the gathered rows after a move.
func (p *Predictor) sumNear(c design.Column, delta float64) float64 {
	n := &p.near
	if p.t.kind == lawful {
		return p.t.sumLaw(n.rows, n.eta, c.Values, delta, p.disp.at)
	}
	return p.t.sumOf(n.rows.y, n.weights, n.eta, c.Values, delta)
}

// sumAlong returns the family's sum over all rows with delta added to
// coefficient j. Cost: O(what is stored of column j).
func (p *Predictor) sumAlong(j int, delta float64) float64 {
	n := &p.near
	if n.col != j {
		c := p.t.data.X.Column(j)
		if c.Rows == nil {
			return p.t.sum(p.eta, c.Values, delta, p.disp.at)
		}
		p.gather(j, c)
	}
	return p.value.sum + (p.sumNear(n.column, delta) - n.base)
}

// lost reports whether a move from one sum to another took so much away that what is
// left is rounding error: the sum must then be made anew. Small errors add up
// until Settle.
func lost(from, to float64, rows int) bool {
	return 0x1p-52*math.Abs(from) > 1e-11*math.Max(math.Abs(to), 1e-3*float64(rows))
}

// Settle makes the log likelihood of a sparse design anew from the cached eta: its
// moves add differences to it, whose rounding errors end here. Decisions do not
// depend on them, since a move is compared with the point by the rows it touches.
// It does nothing on a dense design. Cost: O(n).
func (p *Predictor) Settle() {
	if _, sparse := p.t.data.X.(*design.Sparse); sparse {
		p.value = p.valueAt(p.eta)
	}
}
