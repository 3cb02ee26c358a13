package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// rows are numbers of each row, at the point and at the place that all levels of a grouping propose.
type rows struct {
	known             bool // value, grad and curv belong to eta
	value, grad, curv []float64
	eta               []float64 // the place
	there             [3][]float64
}

// makeRoom makes the memory for n rows once.
func (r *rows) makeRoom(n int) {
	if r.value != nil {
		return
	}
	all := make([]float64, 7*n)
	cut := func(i int) []float64 { return all[i*n : (i+1)*n : (i+1)*n] }
	r.value, r.grad, r.curv, r.eta = cut(0), cut(1), cut(2), cut(3)
	r.there = [3][]float64{cut(4), cut(5), cut(6)}
}

// sums are those over the rows of each level: the log likelihood, its derivative in the effects, and minus the second.
type sums struct{ value, slope, curve []float64 }

func newSums(b *block) sums {
	return sums{make([]float64, b.levels), make([]float64, b.levels*b.q), make([]float64, b.levels*b.q*b.q)}
}

// of sums rows by level, in their order. Cost: O(n·q²).
func (s *sums) of(b *block, value, grad, curv []float64) {
	clear(s.value)
	clear(s.slope)
	clear(s.curve)
	for i, l := range b.of {
		s.value[l] += value[i]
	}
	b.sumSlopes(grad, s.slope)
	b.sumCurves(curv, s.curve)
}

// matchLevels makes one Metropolis–Hastings move of the effects of every level of g, which are independent given all
// else: from the normal law that has gradient and curvature of the level's log density at the point, its reverse at the
// place proposed. One pass over the rows with exponentials where the rows' derivatives at the point are known.
func (k *kernel) matchLevels(g *group) {
	target, point := k.fixed.Target(), k.fixed.Point()
	k.rows.makeRoom(len(g.of))
	r := &k.rows
	if !r.known {
		target.RowCurves(point.Eta(), point.Dispersions(), r.value, r.grad, r.curv)
		k.touched += int64(len(g.of))
		r.known = true
	}
	g.here.of(g.block, r.value, r.grad, r.curv)
	for l := range g.levels {
		g.propose(k.stream, l)
	}
	copy(r.eta, point.Eta())
	g.addTo(g.step, r.eta)
	target.RowCurves(r.eta, point.Dispersions(), r.there[0], r.there[1], r.there[2])
	k.touched += int64(len(g.of))
	g.there.of(g.block, r.there[0], r.there[1], r.there[2])
	taken := 0
	for l := range g.levels {
		ratio := g.logRatio(l)
		k.proposals++
		k.accepted += vec.Exp(min(0, ratio))
		if g.taken[l] = g.threshold[l] < ratio; g.taken[l] {
			taken++
			for t := range g.q {
				g.r[l*g.q+t] += g.step[l*g.q+t]
			}
		}
	}
	if taken > 0 {
		k.take(g)
	}
}

// take moves eta and what belongs to it to the place, for the rows of levels that accept it.
func (k *kernel) take(g *group) {
	r, eta := &k.rows, k.fixed.Point().Eta()
	for i, l := range g.of {
		if g.taken[l] {
			eta[i] = r.eta[i]
			r.value[i], r.grad[i], r.curv[i] = r.there[0][i], r.there[1][i], r.there[2][i]
		}
	}
}

// propose draws the step of a level, and what decides on it: always as many random numbers.
func (g *group) propose(s variate.Source, l int) {
	q := g.q
	step, noise := g.step[l*q:(l+1)*q], g.noise[l*q:(l+1)*q]
	for t := range noise {
		noise[t] = variate.Normal(s)
	}
	g.threshold[l] = -variate.Exponential(s)
	var h [maxTerms * maxTerms]float64
	if !g.law(&g.here, l, g.r[l*q:(l+1)*q], h[:q*q], step) {
		clear(step)
		g.forward[l] = math.Inf(1)
		return
	}
	g.forward[l] = logDiagonal(h[:q*q], q) - 0.5*dot(noise, noise)
	lower(h[:q*q], q, step)
	for t, z := range noise {
		step[t] += z
	}
	upper(h[:q*q], q, step)
}

// law writes the factor of the curvature of a level's log density at r to h, and its gradient to slope; there is none
// where the curvature is not positive definite.
func (g *group) law(at *sums, l int, r, h, slope []float64) bool {
	q := g.q
	times(g.omega, q, r, slope)
	for t := range q {
		slope[t] = at.slope[l*q+t] - slope[t]
	}
	for t, c := range at.curve[l*q*q : (l+1)*q*q] {
		h[t] = c + g.omega[t]
	}
	return factor(h, q)
}

// logRatio returns the log of the Metropolis–Hastings ratio of a level's step; −Inf where the way back has no law.
func (g *group) logRatio(l int) float64 {
	q := g.q
	step := g.step[l*q : (l+1)*q]
	var h [maxTerms * maxTerms]float64
	var there, slope, back [maxTerms]float64
	prior := 0.0
	for t, d := range step {
		there[t] = g.r[l*q+t] + d
		back[t] = g.r[l*q+t] + there[t]
	}
	prior = -0.5 * inner(step, g.omega, q, back[:q])
	if !g.law(&g.there, l, there[:q], h[:q*q], slope[:q]) {
		return math.Inf(-1)
	}
	lower(h[:q*q], q, slope[:q])
	transposed(h[:q*q], q, step, back[:q])
	for t := range q {
		back[t] += slope[t]
	}
	backward := logDiagonal(h[:q*q], q) - 0.5*dot(back[:q], back[:q])
	ratio := (g.there.value[l] - g.here.value[l]) + prior + (backward - g.forward[l])
	if math.IsNaN(ratio) {
		return math.Inf(-1)
	}
	return ratio
}

// logDiagonal returns Σ log of the diagonal of a factor.
func logDiagonal(l []float64, q int) float64 {
	sum := 0.0
	for i := range q {
		sum += vec.Log(l[i*q+i])
	}
	return sum
}

// drawLevels draws the effects of every level of g afresh, given all else, of a closed gaussian: sums of residuals by
// level in one pass over the rows, and eta in another. Sds and correlations move before them given the data, with these
// effects integrated out, where that is worth its while.
func (k *kernel) drawLevels(g *group) bool {
	target, point := k.fixed.Target(), k.fixed.Point()
	eta, y, w := point.Eta(), target.Data().Y, target.Weights()
	k.residuals(g, eta, y, w)
	sigma := point.Dispersions()[0]
	q, precision := g.q, 1/sigma/sigma
	for l := range g.levels { // their own part added back
		times(g.gram[l*q*q:(l+1)*q*q], q, g.r[l*q:(l+1)*q], g.noise[l*q:(l+1)*q])
		for t := l * q; t < (l+1)*q; t++ {
			g.here.slope[t] = float64(precision * (g.here.slope[t] + g.noise[t]))
		}
	}
	if g.collapsed() && !k.moveCollapsed(g, precision) {
		return false
	}
	var h [maxTerms * maxTerms]float64
	var at [maxTerms]float64
	for l := range g.levels {
		r := g.r[l*q : (l+1)*q]
		for t, c := range g.gram[l*q*q : (l+1)*q*q] {
			h[t] = math.FMA(precision, c, g.omega[t])
		}
		copy(at[:q], g.here.slope[l*q:(l+1)*q])
		factor(h[:q*q], q) // positive definite, as omega is
		lower(h[:q*q], q, at[:q])
		for t := range q {
			at[t] += variate.Normal(k.stream)
		}
		upper(h[:q*q], q, at[:q])
		for t := range q {
			g.step[l*q+t] = at[t] - r[t]
			r[t] = at[t]
		}
	}
	g.addTo(g.step, eta)
	k.touched += int64(len(eta))
	return true
}

// residuals sums w·z·(y − eta) by level into g.here.slope.
func (k *kernel) residuals(g *group, eta, y, w []float64) {
	slope := g.here.slope
	clear(slope)
	k.touched += int64(len(eta))
	if g.intercept() && w == nil {
		for i, l := range g.of {
			slope[l] += y[i] - eta[i]
		}
		return
	}
	for i, l := range g.of {
		rest := y[i] - eta[i]
		if w != nil {
			rest = float64(rest * w[i])
		}
		for t := range g.q {
			at := int(l)*g.q + t
			slope[at] = math.FMA(g.z(t, i), rest, slope[at])
		}
	}
}

// sliceLevels moves every effect of g by a slice, one after the other: matched moves may be stuck in a tail, a slice is
// not. Cost: a few times O(n·q).
func (k *kernel) sliceLevels(g *group) bool {
	point, q, first := k.fixed.Point(), g.q, 0
	for l := range g.levels {
		for t := range q {
			at := l*q + t
			slope := dot(g.omega[t*q:t*q+q], g.r[l*q:(l+1)*q])
			curve, base := g.omega[t*q+t], point.Value().LogLik
			c := g.column(l, t, first)
			linear := 0.0
			if len(c.Rows) > 0 {
				linear = point.Beside(c)
			}
			x, v, moved, ok := k.slice.Update(func(x float64) (float64, glm.Value) {
				prior := -float64(x * math.FMA(0.5*curve, x, slope))
				if len(c.Rows) == 0 {
					return prior, point.Value()
				}
				k.touched += int64(len(c.Rows))
				v := point.AlongBeside(linear, x)
				return (v.LogLik - base) + prior, v
			}, 0, sliceWidth*vec.Exp(g.logSD[t]))
			if !ok {
				return k.bad(g.effectName(l, t))
			}
			if moved {
				g.r[at] += x
				if len(c.Rows) > 0 {
					point.MoveBeside(x, v)
				}
			}
		}
		first += len(g.Grouping.Rows(l))
	}
	k.rows.known = false
	return true
}

// sliceWidth is that of a level's effect, in standard deviations of its prior.
const sliceWidth = 2
