package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// moved returns the sampler with joint moves if they are asked for and can be made,
// or if they are to be chosen and need fewer operations than sweeps; else the basis
// as it is. update is the one that was asked for.
func (s *basisSetup) moved(update string) infer.Setup {
	j, err := s.joined(update)
	if err != nil {
		s.words += "; no joint moves: " + err.Error()
		return s
	}
	if s.opts.Joint == "auto" {
		c := costsOf(s.target)
		c.given = s.opts.Moves
		way, words := c.joins(j.pilot, c.of("rotated"))
		if way.joint == "" {
			s.words += "; no joint moves: " + words
			return s
		}
		j.take(way, update)
	}
	return j
}

// joined returns the sampler with joint moves.
func (s *basisSetup) joined(update string) (*jointSetup, error) {
	law, err := newJointLaw(s.frame, s.target.Penalised()[s.target.Cols():])
	if err != nil {
		return nil, err
	}
	out := *s
	if update == "" && s.opts.Joint != "swept" {
		out.opts.Update = "stepping_out"
	}
	j := &jointSetup{basisSetup: &out, law: law}
	j.pilot = j.try()
	return j, nil
}

// jointWay is how joint moves are made: Options.Joint, Options.SweepEvery and Options.Moves, with what they cost.
type jointWay struct {
	joint        string // empty: not at all
	every, moves int
	cost         float64
}

// jointWays are those that auto chooses among. Of 100 copies of 200 rows, sweeps after every second or fourth draw gave
// no more independent draws for an operation than those after every eighth.
var jointWays = []jointWay{{joint: "swept", every: 8}, {joint: "swept", every: 1}, {joint: "on"}}

// tallWays are those of many rows, whose posterior is near normal: proposals reach most of what sweeps do.
var tallWays = append([]jointWay{{joint: "swept", every: 64}}, jointWays...)

// take makes joint moves in a way. update is the one that was asked for.
func (j *jointSetup) take(way jointWay, update string) {
	j.opts.Joint, j.opts.SweepEvery, j.opts.Moves = way.joint, way.every, way.moves
	switch {
	case update != "":
		j.opts.Update = update
	case way.joint == "swept":
		j.opts.Update = standardUpdate(j.target)
	default:
		j.opts.Update = "stepping_out"
	}
}

// Explain says which coordinates are sampled, and how joint moves are made.
func (j *jointSetup) Explain() string {
	guards := "1 update by itself"
	if n := guardSize(j.target.Rows(), len(j.widths)); n != 1 {
		guards = fmt.Sprintf("%d updates by themselves", n)
	}
	beside := fmt.Sprintf("%s between %d proposals", guards, jointBatch)
	if j.opts.Joint == "swept" {
		beside = "a sweep of updates by themselves in " + everyOf("iteration", j.opts.SweepEvery)
	}
	words := fmt.Sprintf("; all of them proposed at once, %.2f of the proposals accepted in a pilot, with %s",
		j.pilot.accepted, beside)
	return j.words + words + j.why + "; updates: " + j.opts.Update
}

// everyOf words each or each so-and-so-manieth of some things.
func everyOf(thing string, every int) string {
	if every > 1 {
		return fmt.Sprintf("every %dth %s", every, thing)
	}
	return "each " + thing
}

// proposal counts the operations of a joint proposal.
func (c costs) proposal() float64 {
	n, k := float64(c.n), float64(c.d)
	return float64(n*math.FMA(product, k, 1)) + fixedCost + float64(k*priorDensity) + float64(product*k*k)
}

// joint counts joint moves that a pilot has tried: with guards between them, or with sweeps.
func (c costs) joint(p jointPilot, way jointWay) scheme {
	n, k := float64(c.n), float64(c.d)
	products := float64(n*k*k) + float64(k*k*k/3)
	out := scheme{setup: math.FMA(product, products, float64(float64(p.proposals)*c.proposal())), move: c.proposal()}
	if way.joint == "swept" {
		sweep := c.scheme("rotated")
		out.rest = (sweep.move + float64(product*n*k)) / float64(way.every)
		out.worth = func(moves int) float64 { return p.worth(moves, way.every, c.kept()) }
		return out
	}
	guard := float64(float64(guardSize(c.n, c.d)*steppingPasses)*(n+fixedCost)) + float64(product*n*k)
	out.move += float64(guard / jointBatch)
	out.worth = func(moves int) float64 { return p.worth(moves, 1, 1) }
	return out
}

// joins returns the joint moves that need the fewest operations, if they may be trusted and need fewer than another
// sampler, and if not, why not.
func (c costs) joins(p jointPilot, other float64) (best jointWay, words string) {
	if !(p.shape <= p.limit()) {
		return best, fmt.Sprintf("the importance weights of %d proposals, of which %.2f would be accepted, have a Pareto "+
			"tail of shape %.2f, above %.2f: proposals do not cover the tails", p.proposals, p.accepted, p.shape, p.limit())
	}
	ways := jointWays
	if glm.Tall(c.n) {
		ways = tallWays
	}
	for _, way := range ways {
		if way.every != 1 && !(p.accepted >= minAcceptance && p.shape < finiteVariance) {
			continue
		}
		if way.moves, way.cost = c.least(c.joint(p, way)); best.joint == "" || way.cost < best.cost {
			best = way
		}
	}
	if !(best.cost < other) {
		return jointWay{}, "they would take " + inSeconds(best.cost)
	}
	return best, ""
}

// tall reports whether joint moves may serve: the more observations to a coefficient,
// the nearer is the posterior to normal.
func (c costs) tall(target *glm.Target, other float64) bool {
	return target.Scales() == 0 && c.possible("rotated") && target.Observations() >= 4*float64(c.d) &&
		c.after(c.joint(perfectPilot, jointWay{joint: "on"}), max(1, c.given)) < other
}
