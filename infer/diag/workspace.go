package diag

import (
	"fmt"
	"math"
	"math/bits"
)

// Workspace holds the buffers that diagnostics of one column need, so that a
// block of columns of one shape is diagnosed without allocating. The zero
// value is ready to use. It is not safe for concurrent use; its memory is
// about 100 bytes per draw of a column.
//
// A column of chains × iterations is kept split: half h = 2c is the first half of chain c, h = 2c+1 the second one,
// and half h starts at h·stride. The middle draw of an odd chain belongs to neither half and is stored after all
// halves. Such a place in x (and in y) is a draw's position.
type Workspace struct {
	shape
	extent

	x      []float64 // the draws, by position
	y      []float64 // a transform of the draws, by position; zero between halves
	means  []float64 // of y's halves
	scores []float64 // normal score of rank r+1, for halves·half ranks
	orders

	radix     radix
	event     event
	spectrum  spectrum
	acov, rho []float64 // autocovariances and Geyer's sequence, by lag
}

// extent describes the numbers of a column.
type extent struct {
	lo, hi float64 // their range
	nans   int     // draws that are NaN
}

// orders are the draws in three orders.
type orders struct {
	sorted column // all draws, ascending
	ranked column // those of the halves, ascending; shares sorted's memory if that is all
	folded column // those of the halves, by distance from the median
}

// shape is chains × draws and what follows from it.
type shape struct {
	chains, draws int
	halves, half  int // number and length of the split chains
	stride        int // half and some zeros, a multiple of 64
}

// size returns the number of draws.
func (s shape) size() int { return s.chains * s.draws }

// column is a sequence of draws with their positions.
type column struct {
	values    []float64
	positions []uint32
}

func (c *column) resize(n int) {
	c.values = resize(c.values, n)
	c.positions = resize(c.positions, n)
}

// resize returns s with length n and all elements zero, in its old memory when
// that is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// NewWorkspace returns an empty workspace.
func NewWorkspace() *Workspace { return new(Workspace) }

// load takes a column of chains × iterations and sorts it. It panics if the
// chains differ in length: that is a fault of the program, not of the draws.
func (w *Workspace) load(chains [][]float64) {
	s := shape{chains: len(chains)}
	if s.chains > 0 {
		s.draws = len(chains[0])
	}
	for c, chain := range chains {
		if len(chain) != s.draws {
			panic(fmt.Sprintf("diag: chain %d has %d draws, chain 1 has %d", c+1, len(chain), s.draws))
		}
	}
	s.halves, s.half = 2*s.chains, s.draws/2
	s.stride = (s.half + lagBlock + 63) / 64 * 64
	if s != w.shape {
		w.reshape(s)
	}
	w.fill(chains)
	if w.nans == 0 && s.size() > 0 {
		w.sort()
		w.dropMiddle()
	}
}

// reshape makes the buffers fit s.
func (w *Workspace) reshape(s shape) {
	positions := s.halves*s.stride + s.chains
	if uint64(positions) > math.MaxUint32 {
		panic(fmt.Sprintf("diag: %d × %d draws are too many", s.chains, s.draws))
	}
	ranks := s.halves * s.half
	w.shape = s
	w.x = resize(w.x, positions)
	w.y = resize(w.y, positions)
	w.means = resize(w.means, s.halves)
	w.scores = resize(w.scores, ranks)
	fillScores(w.scores)
	w.sorted.resize(s.size())
	w.folded.resize(ranks)
	w.ranked = w.sorted
	if s.draws%2 == 1 {
		w.ranked = column{make([]float64, ranks), make([]uint32, ranks)}
	}
	w.acov = resize(w.acov, s.half)
	w.rho = resize(w.rho, s.half)
	w.radix.resize(s.size())
	w.event.reshape(s)
	if s.half > directLags {
		w.spectrum.resize(s.half)
	}
}

// fill copies the draws to their positions and takes their range.
func (w *Workspace) fill(chains [][]float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	w.nans = 0
	for c, chain := range chains {
		copy(w.x[2*c*w.stride:], chain[:w.half])
		copy(w.x[(2*c+1)*w.stride:], chain[w.draws-w.half:])
		if w.draws%2 == 1 {
			w.x[w.halves*w.stride+c] = chain[w.half]
		}
		for _, v := range chain {
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
			if v != v {
				w.nans++
			}
		}
	}
	w.lo, w.hi = lo, hi
}

// parts calls f with every run of positions that holds draws.
func (w *Workspace) parts(f func(first int, x []float64)) {
	for h := range w.halves {
		f(h*w.stride, w.x[h*w.stride:h*w.stride+w.half])
	}
	if w.draws%2 == 1 {
		f(w.halves*w.stride, w.x[w.halves*w.stride:])
	}
}

// dropMiddle fills ranked when an odd number of iterations leaves draws that
// belong to no half.
func (w *Workspace) dropMiddle() {
	if w.draws%2 == 0 {
		return
	}
	r, end := 0, uint32(w.halves*w.stride)
	for i, pos := range w.sorted.positions {
		if pos < end {
			w.ranked.values[r], w.ranked.positions[r] = w.sorted.values[i], pos
			r++
		}
	}
}

// finite reports whether every draw is a finite number.
func (w *Workspace) finite() bool {
	return w.nans == 0 && !math.IsInf(w.lo, 0) && !math.IsInf(w.hi, 0)
}

// constant reports whether all draws are equal.
func (w *Workspace) constant() bool { return w.lo == w.hi }

// nextPowerOfTwo returns the smallest power of two that is at least n ≥ 1.
func nextPowerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }
