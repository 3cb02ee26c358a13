package groups

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// pair are two groupings with effects of the column of ones, the levels of the fine one nested in those of the
// coarse one, wholly or for the most part: then the data determine the sums of a coarse effect and the fine ones in
// it well, and each effect little.
type pair struct {
	coarse, fine int // blocks
	terms        [2]int
	exact        bool // each fine level lies in one coarse level
	lines        []*line
}

// part is the share of its rows that a fine level has in a coarse one.
type part struct {
	level int32
	share float64
}

// line is the direction in which the effect of a coarse level goes up and those of the fine levels in it go down, each
// by its share of rows there, and eta moves in the rows where that does not cancel.
type line struct {
	level   int
	fine    []int32
	share   []float64
	squares float64       // Σ share²
	column  design.Column // what eta moves by
	weight  []float64     // of a closed gaussian: w·value of each row of column
	curve   float64       // and Σ w·value²
}

const (
	mostlyWithin = 0.7  // of the rows must be in the main coarse level of their fine level
	minShare     = 0.25 // of its rows that a fine level has in a coarse level whose line moves it
	maxRead      = 3    // times n are the rows of all lines
)

// findPairs finds the pairs among the blocks. Cost: O(n) for each two.
func findPairs(blocks []*block, target *glm.Target) (pairs []*pair) {
	for c, coarse := range blocks {
		for f, fine := range blocks {
			tc, tf := coarse.ones(), fine.ones()
			if tc < 0 || tf < 0 || coarse.Linked || fine.Linked || coarse.levels >= fine.levels {
				continue
			}
			if p := newPair(coarse, fine, target); p != nil {
				p.coarse, p.fine, p.terms = c, f, [2]int{tc, tf}
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

// ones returns the term that is the column of ones, or −1.
func (b *block) ones() int {
	for t, c := range b.Columns {
		if c == nil {
			return t
		}
	}
	return -1
}

// newPair lays out two groupings; nil if the levels of the fine one are spread over those of the coarse one.
func newPair(coarse, fine *block, target *glm.Target) *pair {
	p := &pair{exact: true}
	for l := range coarse.levels {
		p.lines = append(p.lines, &line{level: l})
	}
	counts, within, n := make([]int, coarse.levels), 0, len(fine.of)
	parts := make([][]part, fine.levels)
	for l := range fine.levels {
		rows := fine.Grouping.Rows(l)
		var met []int32
		for _, i := range rows {
			k := coarse.of[i]
			if counts[k] == 0 {
				met = append(met, k)
			}
			counts[k]++
		}
		p.exact = p.exact && len(met) <= 1
		most := 0
		for _, k := range met {
			most = max(most, counts[k])
			if share := float64(counts[k]) / float64(len(rows)); share >= minShare {
				to := p.lines[k]
				to.fine, to.share = append(to.fine, int32(l)), append(to.share, share)
				to.squares = math.FMA(share, share, to.squares)
				parts[l] = append(parts[l], part{k, share})
			}
			counts[k] = 0
		}
		within += most
	}
	if float64(within) < mostlyWithin*float64(n) || !p.exact && !p.layRows(coarse, fine, parts, target) {
		return nil
	}
	return p
}

// layRows makes the columns of the lines; false if they have too many rows.
func (p *pair) layRows(coarse, fine *block, parts [][]part, target *glm.Target) bool {
	read := 0
	put := func(l *line, row int, v float64) {
		if v != 0 {
			l.column.Rows, l.column.Values = append(l.column.Rows, int32(row)), append(l.column.Values, v)
			read++
		}
	}
	for i, l := range fine.of {
		own, alone := coarse.of[i], 1.0
		for _, at := range parts[l] {
			if at.level == own {
				alone = 1 - at.share
			} else {
				put(p.lines[at.level], i, -at.share)
			}
		}
		put(p.lines[own], i, alone)
		if read > maxRead*len(fine.of) {
			return false
		}
	}
	if !target.ClosedGaussian() {
		return true
	}
	w := target.Weights()
	for _, l := range p.lines {
		for at, i := range l.column.Rows {
			v := l.column.Values[at]
			wv := v
			if w != nil {
				wv = float64(w[i] * v)
			}
			l.weight = append(l.weight, wv)
			l.curve = math.FMA(wv, v, l.curve)
		}
	}
	return true
}

// single reports whether the fine levels lie in coarse ones and neither grouping has other terms: then a nest has both.
func (p *pair) single(blocks []*block) bool {
	return p.exact && blocks[p.coarse].q == 1 && blocks[p.fine].q == 1
}

// moveLines moves along each line of a pair: by a draw where eta stays or the likelihood is a closed gaussian, else
// by a slice. Lines of other levels touch other effects, except for fine levels that lie in two coarse ones.
func (k *kernel) moveLines(p *pair) bool {
	c, f := k.groups[p.coarse], k.groups[p.fine]
	point := k.point
	eta, sigma := point.Eta(), 0.0
	var steps []glm.EffectStep
	if c.gram != nil {
		sigma = point.Dispersions()[0]
	}
	tc, tf := p.terms[0], p.terms[1]
	for _, l := range p.lines {
		// exp(−½·a·δ² + b·δ) is the effects' prior.
		a := math.FMA(l.squares, f.omega[tf*f.q+tf], c.omega[tc*c.q+tc])
		b := -dot(c.omega[tc*c.q:(tc+1)*c.q], c.r[l.level*c.q:(l.level+1)*c.q])
		for i, j := range l.fine {
			b = math.FMA(l.share[i], dot(f.omega[tf*f.q:(tf+1)*f.q], f.r[int(j)*f.q:(int(j)+1)*f.q]), b)
		}
		steps = append(steps[:0], glm.EffectStep{Of: c.effects, At: l.level*c.q + tc, By: 1})
		for i, j := range l.fine {
			steps = append(steps, glm.EffectStep{Of: f.effects, At: int(j)*f.q + tf, By: -l.share[i]})
		}
		switch {
		case len(l.column.Rows) > 0 && sigma == 0:
			if !k.sliceLine(l, a, b, steps) {
				return k.FailAlong(c.effectName(l.level, tc))
			}
			continue
		case len(l.column.Rows) > 0:
			sum := 0.0
			y := k.responses()
			for at, i := range l.column.Rows {
				sum = math.FMA(l.weight[at], y[i]-eta[i], sum)
			}
			a = math.FMA(1/sigma/sigma, l.curve, a)
			b = math.FMA(1/sigma/sigma, sum, b)
			k.Touched += 2 * int64(len(l.column.Rows))
		}
		point.DrawLine(l.column, math.FMA(variate.Normal(k.Stream), 1/math.Sqrt(a), b/a), steps...)
	}
	return true
}

// sliceLine moves along a line by a slice.
func (k *kernel) sliceLine(l *line, a, b float64, steps []glm.EffectStep) bool {
	base, at := k.point.Value().LogLik, k.point.Line(l.column)
	x, v, moved, ok := k.slice.Update(func(x float64) (float64, glm.Value) {
		v := k.point.AlongLine(&at, x)
		return (v.LogLik - base) + float64(x*math.FMA(-0.5*a, x, b)), v
	}, 0, sliceWidth/math.Sqrt(a), maxDoublings)
	if ok && moved {
		k.point.MoveLine(&at, x, v, steps...)
	}
	return ok
}
