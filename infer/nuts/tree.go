package nuts

import (
	"slices"

	"glmbatch/internal/vec"
)

// space holds the operations of a trajectory on its points P and on sums S of their momenta. Time runs forward or
// backward; the points between two ends do not depend on the order in which these were made.
type space[P comparable, S any] interface {
	// leap returns the point one integration step away.
	leap(from P, forward bool) P
	// weigh returns the logarithm of a point's weight relative to the start,
	// H₀ − H, and whether the trajectory has diverged there.
	weigh(p P) (logWeight float64, divergent bool)
	// momentum and add make sums of momenta.
	momentum(p P) S
	add(a, b S) S
	// turned reports whether a stretch between two ends, in either order, with a
	// given sum of momenta makes a U-turn.
	turned(one, other P, sum S) bool
	// release and releaseSum take back the results of a leap and an add, when the trajectory no longer needs them.
	release(p P)
	releaseSum(s S)
}

// choices are the random decisions of a transition.
type choices interface {
	// forward draws the direction of a doubling.
	forward() bool
	// accept is true with probability min(1, e^logRatio).
	accept(logRatio float64) bool
}

// stretch is a run of points of a trajectory, in the order of building: a
// balanced binary tree of which only the ends and the sums are kept.
type stretch[P comparable, S any] struct {
	first, last P
	sum         S
	drawn       P       // one of its points
	logWeight   float64 // of all its points together
}

// single reports whether it is one point, whose momentum its sum is.
func (s *stretch[P, S]) single() bool { return s.first == s.last }

// found holds the statistics of a transition, apart from its new point.
type found struct {
	leaps     int
	mean      float64 // over the leaps of min(1, weight)
	depth     int     // doublings that were complete
	divergent bool
}

// grower builds the trajectory of one transition.
type grower[P comparable, S any] struct {
	space[P, S]
	choices
	found
	start     P
	acceptSum float64
}

// explore grows a trajectory from start by at most maxDepth doublings and
// returns the point that it draws from it.
//
// The transition leaves the distribution with the space's weights invariant,
// as long as turned is symmetric in its ends, because which points form a
// trajectory has the same probability from each of them. Within a subtree the
// point is drawn by weight; of the old trajectory and its doubling the new one
// is preferred (biased progressive sampling), min(1, w_new/w_old).
//
// Source: Betancourt (2017), arXiv:1701.02434, appendix A.3; Stan's
// base_nuts.hpp for the checks across subtrees.
//
// It keeps at most 3·maxDepth + 4 points and half as many sums at a time.
func explore[P comparable, S any](sp space[P, S], ch choices, start P, maxDepth int) (P, found) {
	g := &grower[P, S]{space: sp, choices: ch, start: start}
	all := stretch[P, S]{first: start, last: start, sum: sp.momentum(start), drawn: start}
	for g.depth < maxDepth {
		forward := ch.forward()
		if !forward {
			all.first, all.last = all.last, all.first
		}
		next, ok := g.build(all.last, g.depth, forward)
		if !ok {
			break
		}
		g.depth++
		drawn := all.drawn
		if ch.accept(next.logWeight - all.logWeight) {
			drawn = next.drawn
		}
		joined, ok := g.join(all, next)
		joined.drawn = drawn
		g.clear(&all, &next, &joined)
		all = joined
		if !ok {
			break
		}
		if !forward {
			all.first, all.last = all.last, all.first
		}
	}
	if g.leaps > 0 {
		g.mean = g.acceptSum / float64(g.leaps)
	}
	return all.drawn, g.found
}

// build makes the 2^depth points beyond from; not ok if the trajectory diverged
// or a subtree of them turned, when none of them may be drawn.
func (g *grower[P, S]) build(from P, depth int, forward bool) (s stretch[P, S], ok bool) {
	if depth == 0 {
		p := g.leap(from, forward)
		g.leaps++
		w, divergent := g.weigh(p)
		g.acceptSum += vec.Exp(min(0, w))
		g.divergent = g.divergent || divergent
		return stretch[P, S]{first: p, last: p, sum: g.momentum(p), drawn: p, logWeight: w}, !divergent
	}
	a, ok := g.build(from, depth-1, forward)
	if !ok {
		return a, false
	}
	b, ok := g.build(a.last, depth-1, forward)
	if !ok {
		return b, false
	}
	s, ok = g.join(a, b)
	s.drawn = a.drawn
	if g.accept(b.logWeight - s.logWeight) {
		s.drawn = b.drawn
	}
	g.clear(&a, &b, &s)
	return s, ok
}

// join puts two neighbouring stretches together, all but the drawn point; not
// ok if the whole, or one part with the next point of the other, turns. The two
// have the same number of points.
func (g *grower[P, S]) join(a, b stretch[P, S]) (s stretch[P, S], ok bool) {
	s = stretch[P, S]{
		first: a.first, last: b.last, sum: g.add(a.sum, b.sum),
		logWeight: vec.LogAdd(a.logWeight, b.logWeight),
	}
	if g.turned(a.first, b.last, s.sum) {
		return s, false
	}
	if a.single() { // the part with the next point is the whole
		return s, true
	}
	return s, !g.turns(a.first, b.first, a.sum, b.first) && !g.turns(a.last, b.last, b.sum, a.last)
}

// turns reports whether a stretch with one more point turns.
func (g *grower[P, S]) turns(one, other P, sum S, more P) bool {
	sum = g.add(sum, g.momentum(more))
	defer g.releaseSum(sum)
	return g.turned(one, other, sum)
}

// clear takes back the parts of two stretches that their union s does not keep.
func (g *grower[P, S]) clear(a, b, s *stretch[P, S]) {
	points := [...]P{a.first, a.last, a.drawn, b.first, b.last, b.drawn}
	for i, p := range points {
		kept := p == s.first || p == s.last || p == s.drawn || p == g.start
		if !kept && !slices.Contains(points[:i], p) {
			g.release(p)
		}
	}
	for _, part := range []*stretch[P, S]{a, b} {
		if !part.single() {
			g.releaseSum(part.sum)
		}
	}
}
