package groups

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
)

// A Link describes the effects that several linear predictors have for the levels of one grouping under one normal
// distribution, as (1 | p | g) in several formulas. The terms are those of the parts, one after the other. It is
// read-only once made.
type Link struct {
	block *block
	parts []LinkPart
	first []int // the number of the first term of each part
}

// LinkPart is one of the Effects of one predictor.
type LinkPart struct {
	Predictor, Effects int // numbers of a chain, and of one of its Effects
}

// NewLink returns the link of parts, whose effects have Linked set, with the priors of all. The error is that of
// different groupings or of too many terms.
func NewLink(parts []LinkPart, effects []*design.Effects, priors []glm.EffectsPrior) (*Link, error) {
	one := effects[0]
	all := &design.Effects{Grouping: one.Grouping, Group: one.Group, Levels: one.Levels}
	l := &Link{parts: parts, block: &block{Effects: all, of: one.Grouping.Of(), levels: one.Grouping.Levels()}}
	l.block.prior.LKJ = priors[0].LKJ
	for k, e := range effects {
		l.first = append(l.first, len(all.Terms))
		all.Terms, all.Columns = append(all.Terms, e.Terms...), append(all.Columns, e.Columns...)
		l.block.prior.SD = append(l.block.prior.SD, priors[k].SD...)
		if e.Grouping.Levels() != l.block.levels {
			return nil, fmt.Errorf("groups: linked effects of %s have %d and %d levels", one.Group, l.block.levels,
				e.Grouping.Levels())
		}
	}
	if l.block.q = len(all.Terms); l.block.q > maxTerms {
		return nil, fmt.Errorf("groups: effects of %s have %d terms in all predictors; 1 to %d are possible", one.Group,
			l.block.q, maxTerms)
	}
	return l, nil
}

// Parts are those of the link.
func (l *Link) Parts() []LinkPart { return l.parts }

// Parameters describes the correlations of all terms.
func (l *Link) Parameters() []infer.Parameter { return l.block.correlations() }

// Explain describes the moves.
func (l *Link) Explain() string {
	return fmt.Sprintf("%s: %d terms over all predictors matched to slope and curvature, with shifts of coefficients; "+
		"sds and correlations given the effects, and carried with them", l.block.Group, l.block.q)
}

// Linked is the distribution of a link's effects in one chain, or at one position. The effects and their sds belong to
// the parts. Given the others, the effects of a part are normal again: its moves see the precision Ω_kk, and minus the
// slope lean = Ω_kj·r_j of each level.
type Linked struct {
	*Link
	all   *group // whose effects are gathered from the parts
	parts []*group
}

// Of returns the distribution of chains, one of each predictor, without correlations.
func (l *Link) Of(chains []Chain) *Linked {
	return l.of(func(predictor int) groupings { return chains[predictor].(*kernel).groups })
}

// At returns the distribution at a position of predictors.
func (l *Link) At(predictors []*Predictor) *Linked {
	return l.of(func(predictor int) groupings { return predictors[predictor].groups })
}

func (l *Link) of(groups func(predictor int) groupings) *Linked {
	own := *l.block
	out := &Linked{Link: l, all: newGroup(&own)}
	for _, p := range l.parts {
		g := groups(p.Predictor)[p.Effects]
		g.linked, g.lean = out, make([]float64, len(g.r))
		out.parts = append(out.parts, g)
	}
	out.settle()
	return out
}

// settle makes what follows from the sds of the parts and from the correlations. Cost: O(levels·q²).
func (l *Linked) settle() {
	for k, g := range l.parts {
		copy(l.all.logSD[l.first[k]:], g.logSD)
	}
	l.all.settle()
	l.spread()
}

// spread gives each part its share of the precision.
func (l *Linked) spread() {
	q := l.all.q
	for k, g := range l.parts {
		at := l.first[k]
		copy(g.logSD, l.all.logSD[at:])
		for i := range g.q {
			copy(g.omega[i*g.q:(i+1)*g.q], l.all.omega[(at+i)*q+at:])
		}
	}
	for k := range l.parts {
		l.Lean(k)
	}
}

// Lean gives a part what the effects of the others, which have moved, leave. Cost: O(levels·q²).
func (l *Linked) Lean(part int) {
	g, q, at := l.parts[part], l.all.q, l.first[part]
	clear(g.lean)
	for k, other := range l.parts {
		if k == part {
			continue
		}
		for i := range g.q {
			omega := l.all.omega[(at+i)*q+l.first[k]:]
			for level := range g.levels {
				to := level*g.q + i
				g.lean[to] += dot(omega[:other.q], other.r[level*other.q:(level+1)*other.q])
			}
		}
	}
}

// gather makes the effects of all terms those of the parts.
func (l *Linked) gather() {
	for k, g := range l.parts {
		for level := range g.levels {
			copy(l.all.r[level*l.all.q+l.first[k]:], g.r[level*g.q:(level+1)*g.q])
		}
	}
}

// take writes numbers of all terms as those of a part.
func (l *Linked) take(part int, all, dst []float64) {
	g := l.parts[part]
	for level := range g.levels {
		from := all[level*l.all.q+l.first[part]:]
		copy(dst[level*g.q:(level+1)*g.q], from)
	}
}

// LogPrior returns the log prior density of sds, correlations and effects.
func (l *Linked) LogPrior() float64 {
	l.gather()
	l.all.sumSquares()
	return l.all.logPrior() + l.all.logEffects(float64(l.all.levels), l.all.squares)
}

// Correlations writes those of Parameters, and returns their number.
func (l *Linked) Correlations(dst []float64) int { return l.all.writeCorrelations(dst) }

// SetCorrelations reads what Correlations writes, and returns their number; the parts are where they are to be.
func (l *Linked) SetCorrelations(numbers []float64) int {
	n := len(l.all.partial)
	l.all.setCorrelations(numbers[:n])
	l.settle()
	return n
}

// List lists the state of the distribution.
func (l *Linked) List(c *state.Codec) {
	for _, y := range c.Finite("correlations", l.all.partial) {
		c.Demand(math.Abs(y) <= partialRange, "the atanh of a partial correlation is %v", y)
	}
	c.Then(l.settle)
}

// DrawPrior draws correlations and effects at the sds of the parts.
func (l *Linked) DrawPrior(s prior.Source) {
	l.all.drawCorrelations(s)
	l.settle()
	for level := range l.all.levels {
		l.all.drawEffects(s, l.all.r[level*l.all.q:(level+1)*l.all.q])
	}
	for k, g := range l.parts {
		l.take(k, l.all.r, g.r)
	}
}

// A LinkedMove moves sds and correlations of a Linked, with a chain's stream and counts.
type LinkedMove struct {
	*Linked
	owners  []*kernel // of each part
	weak    bool      // the data have little of the precision of effects
	mover   *kernel
	steps   [][]float64 // of the effects of each part
	shifted []shifted
}

// Mover returns the moves of the distribution of chains.
func (l *Link) Mover(chains []Chain, stream *infer.Stream, looks *update.Looks) *LinkedMove {
	m := &LinkedMove{Linked: l.Of(chains), mover: &kernel{slice: cggibbs.NewSlicer(stream, looks)}}
	m.mover.Stream = stream
	for _, g := range m.parts {
		for t := range g.q { // a part whose sds are fixed has no precision of a pilot's
			precision := 1.0
			if g.reference != nil {
				precision = g.reference[t]
			}
			m.all.reference = append(m.all.reference, precision)
		}
		m.weak = m.weak || g.weak
		m.steps = append(m.steps, make([]float64, len(g.r)))
	}
	for _, p := range m.Link.parts {
		m.owners = append(m.owners, chains[p.Predictor].(*kernel))
	}
	m.findShifts()
	return m
}

// Rows are the likelihood of all predictors, which the owner of the chains has.
type Rows struct {
	// Each returns the log likelihood of each row with steps added to the effects of each part. Cost: O(n) for each
	// predictor.
	Each func(steps [][]float64) []float64
	// Lay brings each part's predictor in turn under work, with what the others leave at these steps.
	Lay func(steps [][]float64, do func(part int))
	// Take takes the predictors from their points, whose effects have moved. Cost: O(n) for each predictor.
	Take func()
}

// linkedTurns is how many times an iteration makes levels, shifts and moves of scales: six take as long as the moves
// of coefficients. With one, the least effective draws of 23 levels of 28 zero-inflated counts are .07 of an iteration,
// with six .35.
const linkedTurns = 6

// carriedEvery is the number of iterations from one in which carried serves to the next. Of 200 levels of 4 rows, whose
// sds the data determine weakly, it brings the effective draws of the correlation from 12 to 220 of 2000; elsewhere
// the turns bring as much in less time.
func (m *LinkedMove) carriedEvery() int64 {
	if m.weak {
		return 1
	}
	return 8
}

// Move makes the moves of an iteration. It returns the mean probability of acceptance of levels, the name of what was
// under update, and false if a log density was not finite.
func (m *LinkedMove) Move(rows Rows, iteration int64) (accept float64, failing string, ok bool) {
	if iteration%m.carriedEvery() == 0 && !m.carried(rows) {
		return 0, m.mover.Failing, false
	}
	for turn := range int64(linkedTurns) {
		accept += m.levels(rows, iteration+turn, turn > 0)
		m.shifts()
		if m.gather(); !m.mover.moveGiven(m.all) {
			return 0, m.mover.Failing, false
		}
		m.spread()
	}
	return accept / linkedTurns, "", true
}

// carried moves each sd and correlation, with all effects so that each keeps its place in a normal approximation of
// its conditional distribution: see moveCarriedTerms. Curvatures between predictors count as 0. It reports false if a
// log density was not finite.
// Cost: O(n) for each predictor and O(levels·q³) for each place of a slice.
func (m *LinkedMove) carried(rows Rows) bool {
	g := m.all
	m.gather()
	if !g.expandTerms(func() { m.sums(rows, &g.here) }) || !g.hold() {
		return true // as in moveCarried
	}
	clear(g.step)
	m.setSteps()
	base := vector.Sum(rows.Each(m.steps))
	look := func() glm.Value {
		m.setSteps()
		return glm.Value{LogLik: vector.Sum(rows.Each(m.steps))}
	}
	move := func(v glm.Value) {
		m.move(rows)
		base = v.LogLik
	}
	ok := m.mover.eachScale(g, func(at *float64, prior func(x float64) float64) bool {
		return m.mover.carryAlong(g, at, prior, base, look, move)
	})
	m.spread()
	return ok
}

// setSteps gives the parts their shares of the steps of all.
func (m *LinkedMove) setSteps() {
	for k := range m.parts {
		m.take(k, m.all.step, m.steps[k])
	}
}

// sums makes slopes and curvatures of each level at the effects with the steps of all.
func (m *LinkedMove) sums(rows Rows, here *sums) {
	m.setSteps()
	q := m.all.q
	clear(here.curve)
	rows.Lay(m.steps, func(part int) {
		g, first := m.parts[part], m.first[part]
		m.owners[part].slopesAt(g, &g.here, m.steps[part])
		for l := range g.levels {
			for i := range g.q {
				at := l*q + first + i
				here.slope[at] = g.here.slope[l*g.q+i]
				copy(here.curve[at*q+first:], g.here.curve[(l*g.q+i)*g.q:(l*g.q+i+1)*g.q])
			}
		}
	})
}
