package groups

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// maxTerms is the largest number of terms of a grouping's effects.
const maxTerms = 16

// block holds the data of one Effects that the chains of a fit share.
type block struct {
	*design.Effects
	prior  glm.EffectsPrior
	of     []int32
	levels int
	q      int
	sorted [][]float64 // columns by level, as Grouping.Rows has rows
	alike  alike
	gram   []float64 // of a closed gaussian: Σ w·z·zᵀ of each level, q × q
	traits
	shiftings
	// The precision of effects of the pilot's size, of each term; nil if no move carries effects.
	reference []float64
}

// traits of a grouping decide its moves.
type traits struct {
	weak   bool // the data determine its effects weakly
	twice  bool // its effects move twice in an iteration
	nested bool // it is in a nest
}

// shiftings are the moves of coefficients against effects of a grouping.
type shiftings struct {
	shifts   []*shift
	together []together // those that are drawn at once
	alone    []*shift   // those that have slices
	// outer is against numbers outside eta, see Sampler.Carry; nil if no sum of the terms is 1 in all rows.
	outer *shift
}

// newBlock lays out one Effects. Cost: O(n·q²).
func newBlock(e *design.Effects, p glm.EffectsPrior, target *glm.Target) *block {
	b := &block{Effects: e, prior: p, of: e.Grouping.Of(), levels: e.Grouping.Levels(), q: len(e.Terms)}
	ones := 0
	for l := range b.levels {
		ones = max(ones, len(e.Grouping.Rows(l)))
	}
	if target.ClosedGaussian() {
		b.gram = make([]float64, b.levels*b.q*b.q)
		w := target.Weights()
		if w == nil {
			w = filled(target.Rows())
		}
		b.sumCurves(0, w, b.gram)
		b.mirror(b.gram)
		b.findAlike()
		return b
	}
	b.sorted = make([][]float64, b.q)
	for t := range b.sorted {
		if e.Columns[t] == nil {
			b.sorted[t] = filled(ones)
			continue
		}
		b.sorted[t] = make([]float64, 0, len(b.of))
		for l := range b.levels {
			for _, i := range e.Grouping.Rows(l) {
				b.sorted[t] = append(b.sorted[t], e.Columns[t][i])
			}
		}
	}
	return b
}

// collapsed reports whether sds move with the effects integrated out: of a closed gaussian, where the levels cost less
// than the rows.
func (b *block) collapsed() bool {
	return b.gram != nil && (b.q == 1 || b.levels*b.q*b.q <= 16*len(b.of))
}

// filled returns n ones.
func filled(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1
	}
	return out
}

// intercept reports whether the only term is the column of ones.
func (b *block) intercept() bool { return b.q == 1 && b.Columns[0] == nil }

// column returns term t of level l, whose first row is at first by level.
func (b *block) column(l, t, first int) design.Column {
	rows := b.Grouping.Rows(l)
	if b.Columns[t] == nil {
		first = 0
	}
	return design.Column{Values: b.sorted[t][first : first+len(rows)], Rows: rows}
}

// z returns term t of row i.
func (b *block) z(t, i int) float64 {
	if c := b.Columns[t]; c != nil {
		return c[i]
	}
	return 1
}

// writeEffects writes effects by level and then by term as a position has them, term by term, and returns their number.
func (b *block) writeEffects(r, dst []float64) int {
	for t := range b.q {
		for l := range b.levels {
			dst[t*b.levels+l] = r[l*b.q+t]
		}
	}
	return len(r)
}

// readEffects is the inverse of writeEffects.
func (b *block) readEffects(theta, r []float64) int {
	for t := range b.q {
		for l := range b.levels {
			r[l*b.q+t] = theta[t*b.levels+l]
		}
	}
	return len(r)
}

// sumSlopes adds Σ z·g over the rows of each level to dst, which is by level and then by term; g is of the rows first,
// first+1, …, which are read in order.
func (b *block) sumSlopes(first int, g, dst []float64) {
	of := b.of[first : first+len(g)]
	for t, c := range b.Columns {
		if c == nil {
			for i, l := range of {
				dst[int(l)*b.q+t] += g[i]
			}
			continue
		}
		for i, l := range of {
			at := int(l)*b.q + t
			dst[at] = math.FMA(c[first+i], g[i], dst[at])
		}
	}
}

// sumCurves adds the lower triangle of Σ w·z·zᵀ over the rows of each level to dst, q × q by level, as sumSlopes.
func (b *block) sumCurves(first int, w, dst []float64) {
	q, of := b.q, b.of[first:first+len(w)]
	if b.intercept() {
		for i, l := range of {
			dst[l] += w[i]
		}
		return
	}
	var z [maxTerms]float64
	for i, l := range of {
		for t := range q {
			z[t] = b.z(t, first+i)
		}
		m := dst[int(l)*q*q : (int(l)+1)*q*q]
		for s := range q {
			ws := float64(w[i] * z[s])
			for t := range s + 1 {
				m[s*q+t] = math.FMA(ws, z[t], m[s*q+t])
			}
		}
	}
}

// mirror copies lower triangles to upper ones.
func (b *block) mirror(dst []float64) {
	q := b.q
	for l := range b.levels {
		m := dst[l*q*q : (l+1)*q*q]
		for s := range q {
			for t := range s {
				m[t*q+s] = m[s*q+t]
			}
		}
	}
}

// alike are the levels of a closed gaussian with one term whose Σ w·z² is the same: with one column of ones and no
// weights there are few such numbers, and the density of sds asks for no more.
type alike struct {
	of    []int32 // of each level
	curve []float64
	count []float64
}

// findAlike distinguishes levels by gram.
func (b *block) findAlike() {
	if b.q > 1 {
		return
	}
	at := map[float64]int32{}
	b.alike.of = make([]int32, b.levels)
	for l, c := range b.gram {
		k, ok := at[c]
		if !ok {
			k = int32(len(b.alike.curve))
			at[c] = k
			b.alike.curve, b.alike.count = append(b.alike.curve, c), append(b.alike.count, 0)
		}
		b.alike.of[l] = k
		b.alike.count[k]++
	}
}
