package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// minKnown is the share of an effect's precision that comes from the data, on average over the levels at the
// pilot's size of effects, from which sds do not carry effects: then each effect is known well enough for scale
// moves and moves of effects. At 0.1 the least effective draws of an iteration go from .024 to .15, at 0.54 (50
// levels of 20 rows) from .15 to .22 or more, at 0.57 (VerbAgg) they stay.
const minKnown = 0.55

// maxKnown is the share up to which effects move twice: beyond, their distributions are so nearly normal that they
// are hardly ever refused.
const maxKnown = 0.9

// findWeak finds the groupings for which the data have little of the precision of the effects of some term, and those
// with one term whose effects move twice.
func (s *setup) findWeak() {
	p := glm.NewPoint(s.target)
	p.SetUnconstrained(s.target.Penalised())
	n, size := s.target.Rows(), s.pilotSize()
	all := make([]float64, 3*n)
	s.target.RowCurves(0, p.Eta(), p.Dispersions(), all[:n], nil, all[n:2*n], all[2*n:])
	for _, b := range s.blocks {
		if b.gram != nil || b.q == 1 && b.prior.SD[0].Kind == prior.Constant {
			continue
		}
		sums := newSums(b)
		sums.begin()
		sums.add(b, 0, all[:n], nil, all[n:2*n], all[2*n:])
		sums.end(b)
		least := 1.0
		for t := range b.q {
			scale, known := size/b.meanSquare(t), 0.0
			reference := 1 / scale / scale
			for l := range b.levels {
				h := sums.curve[(l*b.q+t)*b.q+t]
				known += h / (h + reference)
			}
			b.reference, least = append(b.reference, reference), min(least, known/float64(b.levels))
		}
		b.weak = least < minKnown
		b.twice = b.q == 1 && !b.weak && least < maxKnown
	}
}

// carryEvery returns the number of iterations from one in which sds carry effects to the next. It is 2 if the data have
// little of the effects' precision, else 4 for several terms, of which an sd may be far below the pilot's size. It is 0
// for groupings that have no such moves.
func (b *block) carryEvery() int64 {
	switch {
	case b.Linked: // see LinkedMove
	case b.weak:
		return 2
	case b.q > 1 && b.reference != nil:
		return 4
	}
	return 0
}

// moveCarried moves the sd of a grouping with one term, each effect with it so that it keeps its position ξ in a
// normal approximation of its distribution, r = V·s + √V·ξ with V = 1/(h + 1/sd²). Slope s and curvature h of the
// level's log likelihood are those of a quadratic form about the place to which a step of Newton's goes from an
// effect of 0 under the pilot's sd, with all else as it is: they know neither the effects nor the sd, so that (sd,
// ξ) are coordinates like others, with the density likelihood · Π N(r; 0, sd²)·√V · prior(sd). If the data
// determine each effect well this holds the effects, if they determine little it scales them.
//
// Cost: O(n) for each place of a slice.
func (k *kernel) moveCarried(g *group) bool {
	if g.q > 1 {
		return k.moveCarriedTerms(g)
	}
	point := k.point
	if !k.expand(g) {
		return true // eta leaves the link's domain there: what decides on that stays in this move
	}
	u := g.logSD[0]
	precision := vec.Exp(-2 * u)
	for l, r := range g.r {
		h := g.here.curve[l] + precision
		g.noise[l] = (r - g.here.slope[l]/h) * math.Sqrt(h)
		g.step[l] = 0
	}
	base := point.Value().LogLik
	f := func(x float64) (float64, glm.Value) {
		prior := g.logDensitySD(0, u+x)
		if math.IsInf(prior, -1) {
			return prior, glm.Value{}
		}
		prior += g.carry(vec.Exp(-2*(u+x)), u+x)
		v := point.AlongEffects(g.effects, g.step)
		return (v.LogLik - base) + prior, v
	}
	current := g.logDensitySD(0, u) + g.carry(precision, u)
	x, v, moved, ok := k.slice.Update(f, current, g.width, g.doublings)
	if !ok {
		return k.FailAlong(g.sdName(0))
	}
	if !moved {
		return true
	}
	// The last place that a slice looks at may be another one: that of its acceptance test.
	g.carry(vec.Exp(-2*(u+x)), u+x)
	point.MoveEffects(g.effects, g.step, v)
	g.logSD[0] = u + x
	g.settle()
	return true
}

// expand computes the form's slope and curvature of each level; false if there is none.
func (k *kernel) expand(g *group) bool {
	for l, r := range g.r {
		g.step[l] = -r
	}
	k.slopesAt(g, &g.here, g.step)
	most := furthest / math.Sqrt(g.reference[0])
	for l, r := range g.r {
		at := max(-most, min(most, g.here.slope[l]/(g.here.curve[l]+g.reference[0])))
		g.quotient[l], g.step[l] = at, at-r
	}
	k.slopesAt(g, &g.here, g.step)
	for l, at := range g.quotient {
		h := g.here.curve[l]
		s := math.FMA(h, at, g.here.slope[l])
		if g.here.slope[l] = s; !(h <= math.MaxFloat64 && math.Abs(s) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// furthest is how far a level's step of Newton's goes at most, in sds of the pilot: from 0 such steps overshoot.
const furthest = 2

// carry makes the steps of the effects to their values at an sd, and returns the log density of (sd, ξ) there
// without likelihood and prior of the sd.
func (g *group) carry(precision, logSD float64) float64 {
	squares := 0.0
	for l, r := range g.r {
		h := g.here.curve[l] + precision
		at := g.here.slope[l]/h + g.noise[l]/math.Sqrt(h)
		squares = math.FMA(at, at, squares)
		g.step[l] = at - r
		g.quotient[l] = h
	}
	vector.Log(g.quotient, g.quotient)
	sum := -float64(float64(g.levels)*logSD) - float64(0.5*precision*squares)
	return math.FMA(-0.5, vector.Sum(g.quotient), sum)
}
