package cggibbs

import (
	"glmbatch/infer/internal/variate"
	"glmbatch/infer/internal/vec"
)

// hidden is what the likelihood does not see of a chain's theta_G: ε of each
// iteration, a function of the chain's key and the line (0 for the start, i + 1 for
// iteration i). As ε does not depend on where the chain is, some lines are projected
// in one reading of the design; they are no state.
type hidden struct {
	*reduction
	key       uint64
	first     int64 // of the lines that are projected; −1 for none
	projected [hiddenLines][]float64
	squares   [hiddenLines]float64 // ‖(I − VVᵀ)ε‖²

	at      int64     // line of the current iteration
	w, q    []float64 // z − Vᵀε; lifted(w)
	lift    []float64
	epsilon []float64 // scratch, a block
	along   []float64 // scratch, a block
	sums    [hiddenLines][]float64
}

// hiddenLines is the number of lines that are projected together.
const hiddenLines = 8

func newHidden(p *reduction) *hidden {
	h := &hidden{reduction: p, first: -1, w: make([]float64, p.space.Rank),
		lift: make([]float64, len(p.offset)), epsilon: make([]float64, p.block()),
		along: make([]float64, p.block())}
	for i := range hiddenLines {
		h.projected[i], h.sums[i] = make([]float64, p.space.Rank), make([]float64, p.rowLength())
	}
	return h
}

// arrive makes w of a line and its z. Cost: O(n·r); once in eight lines besides 8·g
// normal draws and O(g·r), or O(g·n) where X's columns stand for V's rows, each.
func (h *hidden) arrive(key uint64, line int64, z []float64) {
	if first := line / hiddenLines * hiddenLines; h.key != key || h.first != first {
		h.key, h.first = key, first
		h.project()
	}
	h.at = line
	p := h.projected[line-h.first]
	for i, x := range z {
		h.w[i] = x - p[i]
	}
	h.q = h.lifted(h.w, h.lift)
}

// project projects the lines from first on.
func (h *hidden) project() {
	for i := range hiddenLines {
		clear(h.sums[i])
		h.squares[i] = 0
	}
	for c := 0; c < len(h.normal); c += len(h.epsilon) {
		some := h.epsilon[:min(len(h.epsilon), len(h.normal)-c)]
		for i := range hiddenLines {
			variate.NormalsAt(h.key, uint64(h.first)+uint64(i), c, some)
			h.squares[i] += vec.SumSquares(some)
			h.accumulate(c, some, h.sums[i])
		}
	}
	for i := range hiddenLines {
		h.lowered(h.sums[i], h.projected[i])
		h.squares[i] -= vec.SumSquares(h.projected[i])
	}
}

// residual returns ‖(I − VVᵀ)ε‖² of the current line.
func (h *hidden) residual() float64 { return h.squares[h.at-h.first] }

// position writes theta_G of the current line to its columns of dst.
func (h *hidden) position(dst []float64) {
	for c := 0; c < len(h.normal); c += len(h.epsilon) {
		some := h.epsilon[:min(len(h.epsilon), len(h.normal)-c)]
		variate.NormalsAt(h.key, uint64(h.at), c, some)
		h.theta(c, h.q, some, h.along)
		for i, x := range some {
			dst[h.normal[c+i]] = x
		}
	}
}
