package cggibbs

import (
	"fmt"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// AutoVersion names the rules of Auto: another choice is another sequence of draws.
const AutoVersion = "auto/7"

// Auto returns the basis that gives a thousand independent draws for the least number of operations, with set-up,
// storing and all that surrounds a draw, and says why: what New takes with these options and the basis "auto". It
// counts them from rows, columns, family and priors. If the choice depends on it, two pilots measure how fast the
// autocorrelation of a sweep over single coefficients decays, and the importance weights of joint proposals. Then
// it takes as many moves between draws as make independent draws cheapest, and one in each iteration of warm-up. It
// knows nothing of time, load or workers, so that it chooses alike everywhere. Cost: O(n·d), and where joint moves
// may serve O(n·d²).
//
// seconds is the approximate time of those draws on one core, a second for 1e9 operations; 0 if nothing is counted.
func Auto(target *glm.Target, opts Options) (basis, reason string, seconds float64) {
	if smooth(target) {
		basis, reason = previewSmooths(target, opts)
		return basis, reason, 0
	}
	c := choose(target.Vectorised(), opts)
	return c.basis, c.reason, c.cost / operationsPerSecond
}

// otherBases are those besides the coordinate one that it chooses among, with slow
// directions in that one as one of them.
var otherBases = []string{withSlow, "rotated", "reduced", "mixture"}

const withSlow = "coordinate with slow directions"

// choice is the choice of auto.
type choice struct {
	target        *glm.Target // condensed where that can be done
	basis, reason string
	joint         *jointSetup // with joint moves; nil if there are none
	slow          *directions // that follow sweeps in turn; nil if there are none
	moves         int         // sweeps between draws, where joint is nil
	plain         int64       // iterations between plain sweeps in another basis, where joint is nil
	cost          float64     // operations that autoDraws independent draws take
}

// choose chooses for some options.
func choose(target *glm.Target, opts Options) choice {
	target, condensed := target.Condensed()
	c := costsOf(target)
	c.given = opts.Moves
	var slow *directions
	if opts.Slow != "off" && !opts.Uncached {
		slow = c.pilotSlow(target)
	}
	basis := "coordinate"
	for _, other := range otherBases {
		if c.possible(other) && c.of(other) < c.of(basis) {
			basis = other
		}
	}
	chosen := choice{target: target, basis: basis}
	var least float64
	chosen.moves, least = c.least(c.scheme(basis))
	words := ""
	if opts.Joint != "off" && c.tall(target, least) {
		words, least = chosen.join(target, opts, c, least)
	}
	chosen.cost = least
	s := c.scheme(basis)
	chosen.plain = c.plainEvery(target, s.sampled(chosen.moves))
	chosen.reason = fmt.Sprintf("%d rows, %d coefficients, %d of them with normal priors: about %s of one core for %d "+
		"independent draws", c.n, c.d, c.g, inSeconds(least), autoDraws)
	for _, other := range append([]string{"coordinate"}, otherBases...) {
		if (other != basis || chosen.joint != nil) && c.possible(other) {
			chosen.reason += ", " + other + " " + inSeconds(c.of(other))
			if other == "coordinate" && !c.piloted {
				chosen.reason += " or more"
			}
		}
	}
	sweeps := fmt.Sprintf("%.2g sweeps", c.sweeps)
	switch {
	case !c.piloted:
		sweeps = "at least one sweep"
	case sweeps == "1 sweeps":
		sweeps = "1 sweep"
	}
	chosen.reason += "; one coefficient at a time, an independent draw takes " + sweeps
	if condensed != "" {
		chosen.reason += "; " + condensed
	}
	if chosen.joint == nil && chosen.moves > 1 {
		chosen.reason += fmt.Sprintf("; %d sweeps between draws", chosen.moves)
	}
	chosen.reason += words
	if basis == withSlow && chosen.joint == nil {
		chosen.basis, chosen.slow = "coordinate", slow
	}
	return chosen
}

// pilotSlow finds slow directions of a sparse design and counts how many sweeps they save; nil if there cannot be
// any, or sweeps over single coefficients need none.
func (c *costs) pilotSlow(target *glm.Target) *directions {
	if !c.sparse || c.others > 0 || target.Scales() > 0 || c.sweeps < minSlow {
		return nil
	}
	found, err := findSlow(target, slowCount)
	if err != nil {
		return nil
	}
	c.slow = len(found.betas)
	c.slowSweeps = dependenceWith(target, found, c.turn())
	return found
}

// join takes joint moves if they need fewer operations than other, and says how they
// did in their pilot. It returns the operations of what is taken.
func (chosen *choice) join(target *glm.Target, opts Options, c costs, other float64) (words string, least float64) {
	update := opts.Update
	if update == "" && !target.LogConcave() {
		update = "doubling"
	}
	opts.Basis, opts.Joint, opts.Update = "rotated", "on", update
	made, err := New(target, opts)
	if err != nil {
		return "; no joint moves: " + err.Error(), other
	}
	j, ok := made.(*jointSetup)
	if !ok {
		return "; no joint moves: " + made.(infer.Explainer).Explain(), other
	}
	way, words := c.joins(j.pilot, other)
	if way.joint == "" {
		return "; no joint moves: " + words, other
	}
	j.take(way, update)
	if !target.LogConcave() {
		s := c.joint(j.pilot, way)
		j.opts.plain = c.plainEvery(target, s.sampled(way.moves))
	}
	chosen.basis, chosen.joint = "rotated", j
	sweep := ""
	if way.joint == "swept" {
		sweep = ", and a sweep with " + everyOf("draw", way.every)
	}
	return fmt.Sprintf("; %d joint moves between draws, of which a pilot accepted %.2f, with a Pareto tail of shape "+
		"%.2f (at most %.2f) of the importance weights%s", way.moves, j.pilot.accepted, j.pilot.shape, j.pilot.limit(),
		sweep), way.cost
}

// newAuto returns the sampler in the basis that Auto chooses.
func newAuto(target *glm.Target, opts Options) (infer.Setup, error) {
	opts.lean = true
	if smooth(target) {
		return newSmooths(target, opts)
	}
	if opts.Joint == "on" || opts.Joint == "swept" {
		opts.Basis = "rotated"
		return New(target, opts)
	}
	c, mayBlock := choose(target, opts), MayBlock(target.Model().Family, target.Data())
	target, opts.Basis, opts.Joint, opts.Moves = c.target, c.basis, "off", c.moves
	words := "auto chose it for " + c.reason
	if c.joint != nil {
		c.joint.why = c.joint.opts.plainWords() + "; " + words
		return c.joint, nil
	}
	concave := target.LogConcave()
	if !concave && c.basis != "coordinate" {
		opts.plain = c.plain
		words = strings.TrimPrefix(opts.plainWords()+"; ", "; ") + words
	}
	if c.basis == "coordinate" && opts.Update == "" && target.Scales() == 0 && concave {
		opts.Update = standardUpdate(target)
		if _, sparse := target.Data().X.(*design.Sparse); sparse {
			opts.Update = "stepping_out"
			if serves(target) {
				opts.Update = "tangent"
			}
		}
	}
	if opts.Update == "" && target.Scales() == 0 && !concave && (c.basis == "coordinate" || c.basis == "rotated") {
		opts.Update = "doubling"
	}
	if opts.Update == "" && c.basis == "rotated" && serves(target) {
		opts.Update = standardUpdate(target)
	}
	made, err := New(target, opts)
	if err != nil {
		return nil, err
	}
	if s, ok := made.(*basisSetup); ok {
		if c.slow != nil {
			s.follow(c.slow)
		}
		if mayBlock && s.blocked() {
			s.block()
		}
	}
	made.(interface{ because(why string) }).because(words)
	return made, nil
}

// serves reports whether the conditionals of single coordinates are known to be
// log-concave.
func serves(target *glm.Target) bool { return standardUpdate(target) != "stepping_out" }

// standardUpdate is that of other bases than the paper's.
func standardUpdate(target *glm.Target) string {
	update, err := Options{Basis: "rotated"}.update(target.Model())
	if err != nil {
		panic("cggibbs: no update was asked for, and yet " + err.Error())
	}
	if update == "matched" && rare(target) {
		return "tangent"
	}
	return update
}

// eventsEach is the number of events to a coefficient below which they are rare.
const eventsEach = 3

// rare reports whether counts or successes are so few that the likelihood is flat on one side of the mode. A matched
// proposal from there is as wide as the prior, and its way back from the mode hardly exists: chains stayed in such a
// tail for thousands of iterations. Slices that tangents enclose leave it in one.
func rare(target *glm.Target) bool {
	data, events, trials := target.Data(), 0.0, 0.0
	times := func(i int, x float64) float64 {
		if data.Frequency != nil {
			return float64(x * data.Frequency[i])
		}
		return x
	}
	for i, y := range data.Y {
		events += times(i, y)
		m := 1.0
		if data.Trials != nil {
			m = data.Trials[i]
		}
		trials += times(i, m)
	}
	switch s := target.Model().Family.Support(); {
	case s.Counts():
	case s.Probability():
		events = min(events, trials-events)
	default:
		return false
	}
	return events < eventsEach*float64(target.Cols())
}
