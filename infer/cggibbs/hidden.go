package cggibbs

import (
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// hidden is what the likelihood does not see of a chain's theta_G: ε of each
// iteration, a function of the chain's key and the line (0 for the start, i + 1 for
// iteration i). As ε does not depend on where the chain is, some lines are projected
// in one reading of the design; they are no state.
type hidden struct {
	*reduction
	key       uint64
	first     int64 // of the lines that are projected; −1 for none
	projected [projectedLines][]float64
	squares   [projectedLines]float64 // ‖(I − VVᵀ)ε‖²

	at      int64     // line of the current iteration
	z       []float64 // of the current point
	settled bool      // w and q are those of at and z
	w, q    []float64 // z − Vᵀε; lifted(w)
	lift    []float64
	epsilon []float64 // scratch, a block of all lines
	along   []float64 // scratch, a block
	sums    [][]float64
}

// projectedLines is the number of lines that are projected together: a design that is
// larger than the caches of a core is read once for them.
const projectedLines = 16

func newHidden(p *reduction) *hidden {
	h := &hidden{reduction: p, first: -1, w: make([]float64, p.space.Rank),
		lift: make([]float64, p.rowLength()), epsilon: make([]float64, projectedLines*p.block()),
		along: make([]float64, p.block()), sums: make([][]float64, projectedLines)}
	for i := range projectedLines {
		h.projected[i], h.sums[i] = make([]float64, p.space.Rank), make([]float64, p.rowLength())
	}
	return h
}

// arrive notes a line and its z, which stays as it is until the next.
func (h *hidden) arrive(key uint64, line int64, z []float64) {
	if h.key != key {
		h.key, h.first = key, -1
	}
	h.at, h.z, h.settled = line, z, false
}

// settle makes w of the current line, if it is not there: a chain in warm-up asks
// for none. Cost: O(n·r); once in sixteen lines besides 16·g normal draws and O(g·r), or
// O(g·n) where X's columns stand for V's rows, each.
func (h *hidden) settle() {
	if h.settled {
		return
	}
	if first := h.at / projectedLines * projectedLines; h.first != first {
		h.first = first
		h.project()
	}
	p := h.projected[h.at-h.first]
	for i, x := range h.z {
		h.w[i] = x - p[i]
	}
	h.q, h.settled = h.lifted(h.w, h.lift), true
}

// project projects the lines from first on.
func (h *hidden) project() {
	for i := range projectedLines {
		clear(h.sums[i])
		h.squares[i] = 0
	}
	for c, size := 0, h.block(); c < len(h.normal); c += size {
		m := min(size, len(h.normal)-c)
		for i := range projectedLines {
			some := h.epsilon[i*m : (i+1)*m]
			variate.NormalsAt(h.key, uint64(h.first)+uint64(i), c, some)
			h.squares[i] += kernels.SumSquares(some)
		}
		h.accumulateAll(c, m, h.epsilon[:projectedLines*m], h.sums)
	}
	for i := range projectedLines {
		h.lowered(h.sums[i], h.projected[i])
		h.squares[i] -= vec.SumSquares(h.projected[i])
	}
}

// residual returns ‖(I − VVᵀ)ε‖² of the current line.
func (h *hidden) residual() float64 {
	h.settle()
	return h.squares[h.at-h.first]
}

// position writes theta_G of the current line to its columns of dst.
func (h *hidden) position(dst []float64) {
	h.settle()
	for c, size := 0, h.block(); c < len(h.normal); c += size {
		some := h.epsilon[:min(size, len(h.normal)-c)]
		variate.NormalsAt(h.key, uint64(h.at), c, some)
		h.theta(c, h.q, some, h.along)
		for i, x := range some {
			dst[h.normal[c+i]] = x
		}
	}
}
