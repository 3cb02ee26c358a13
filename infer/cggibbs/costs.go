package cggibbs

import (
	"math"
	"strconv"

	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// autoDraws is the number of independent draws that Auto counts operations for: what
// the usual gates ask for, with room.
const autoDraws = 1000

// Costs, one being a row in a pass of the likelihood: passes of one update, by a slice stepped out, by one within
// tangents and matched, and of each the fixed costs; the density of a prior that is no quadratic form; a draw of
// what the reduced basis hides, made twice; a product in linear algebra; an entry of a sparse column; of n³
// products in the decomposition of n rows. For the mixture basis: the draw of a coefficient with its scale; the
// readings of the design besides those for K; n³ products of an iteration.
const (
	steppingPasses, tangentPasses, matchedPasses, fixedCost     = 6, 3, 3, 60
	priorDensity, hiddenDraw, product, gathered, decompositions = 16, 60, 0.1, 1.5, 40
	mixtureDraw, mixtureReadings, mixtureCubes                  = 150, 8, 3
)

// minSlow is the number of sweeps to a draw from which on slow directions are looked
// for; sparseSweeps that of sweeps over rotated coordinates of a wide sparse design to a
// draw of the least coefficient, as measured on word counts of 1427 to 1993 rows. Made ones of 30 to
// 120 rows took at most 1.5: it grows by one every sweepRows rows.
const minSlow, sparseSweeps, sweepRows = 4, 6, 100

// The costs around a draw, in the same unit: storedNumber for each number of it, the parameters and chainNumbers of
// the iteration, to be diagnosed, spooled and stored; fitCost for the rest of a fit except its set-up, which
// autoDraws of them share. A row of a pass took 1 ns, a stored number some 180 ns and a fit some 2.5 ms where this
// was measured. They are counts: the choice asks no clock.
const (
	storedNumber, chainNumbers = 180, 12
	fitCost                    = 2_500_000
)

// autoMoves is the largest number of moves between two draws that Auto takes. Where sampling
// is less than sampledShare of what a draw costs and a draw is worth less than 0.8 independent
// ones, twice as many moves make these cheaper by a tenth, so that Auto takes more.
const autoMoves, sampledShare = 16, 0.1

// ownKept is the share of its distance from the mean that a coordinate keeps in one
// update where it does not depend on others: steps may be refused, and slices begin where
// it is. On 100 copies of 200 rows, in rotated coordinates, the least of 6 had a bulk ESS of
// 0.56 a sweep and 0.78 every two (1/3: 0.5 and 0.8).
const ownKept = 1. / 3

// scheme is a way to sample: what it costs, and what its draws are worth.
type scheme struct {
	setup float64 // once a fit
	move  float64 // a sweep, or a joint proposal
	rest  float64 // of an iteration, besides its moves and what surrounds a draw
	// bounded is whether more than one move is made only while sampling takes less than sampledShare of a draw's
	// cost: with many coefficients storing costs more than sampling, but draws may not be stored.
	bounded bool
	// worth returns how many independent draws a stored one is worth after some moves, at most 1.
	worth func(moves int) float64
}

// sweeping is the worth of a draw after sweeps that each keep a share of where the chain is.
func sweeping(kept float64) func(int) float64 {
	return func(moves int) float64 {
		all := power(kept, moves)
		return (1 - all) / (1 + all)
	}
}

// keptBy returns the share that a sweep keeps where some number of them are an independent draw.
func keptBy(sweeps float64) float64 { return (sweeps - 1) / (sweeps + 1) }

// alone returns the share that sweeps over single coefficients keep, of which a pilot found some number to be an
// independent draw: with what each coefficient keeps by itself. For a sparse design it is the larger of both
// counts, as in the measured sparseSweeps that it is compared with.
func (c costs) alone(sweeps float64) float64 {
	kept := keptBy(sweeps)
	if c.sparse {
		return max(kept, ownKept)
	}
	return kept + float64(ownKept*(1-kept))
}

// power returns x to a positive power.
func power(x float64, n int) float64 {
	out := x
	for range n - 1 {
		out *= x
	}
	return out
}

// least returns the moves between draws that make autoDraws independent ones for the least cost, and that cost.
func (c costs) least(s scheme) (moves int, cost float64) {
	from, to := 1, autoMoves
	if c.given > 0 {
		from, to = c.given, c.given
	}
	for s.bounded && to > from && !(s.sampled(to) <= sampledShare*(c.around+s.sampled(to))) {
		to--
	}
	moves, cost = from, c.after(s, from)
	for m := from + 1; m <= to; m++ {
		if at := c.after(s, m); at < cost {
			moves, cost = m, at
		}
	}
	return moves, cost
}

// after is the number of operations of set-up and draws with some moves between them.
func (c costs) after(s scheme, moves int) float64 {
	return s.setup + float64(autoDraws/s.worth(moves)*(c.around+s.sampled(moves)))
}

// sampled is the number of operations of an iteration.
func (s scheme) sampled(moves int) float64 { return s.rest + float64(float64(moves)*s.move) }

// costs counts the operations of a posterior's bases.
type costs struct {
	n, d, g int   // rows, coefficients, those with normal priors
	others  int   // coefficients whose priors are neither normal nor flat
	entries int64 // that the design stores
	sparse  bool
	mixed   int  // coefficients whose priors are normal given a scale that is drawn
	walled  bool // a prior has no curvature to rotate by
	matched bool
	sweeps  float64 // over single coefficients that are worth a draw
	// The number of slow directions, and of sweeps with them to a draw; 0 if there are none.
	slow       int
	slowSweeps float64
	piloted    bool    // sweeps is the pilot's; otherwise it is 1, the least that it can be
	around     float64 // what surrounds a draw
	given      int     // moves that were asked for; 0: as many as are worth their cost
}

// costsOf counts with a pilot, where the choice waits for it.
func costsOf(target *glm.Target) costs {
	c := countsOf(target)
	if c.open() {
		c.sweeps, c.piloted = dependence(target), true
	}
	return c
}

// countsOf counts without a pilot.
func countsOf(target *glm.Target) costs {
	x := target.Data().X
	c := costs{n: target.Rows(), d: target.Cols(), entries: x.Entries(), sweeps: 1,
		around: float64(storedNumber*(target.Dim()+chainNumbers)) + fitCost/autoDraws}
	_, c.sparse = x.(*design.Sparse)
	for _, p := range target.Model().Coefficients {
		switch p.Kind {
		case prior.Normal:
			c.g++
		case prior.Flat:
		default:
			c.others++
			c.walled = c.walled || !basis.Rotatable(p.Kind)
			if p.Kind != prior.Uniform {
				c.mixed++
			}
		}
	}
	c.matched = serves(target)
	return c
}

// open reports whether the choice waits for the pilot, or the pilot costs little: where
// another basis needs fewer operations than the coordinate one at a sweep a draw,
// the pilot, which finds a sweep at the least, has no say.
func (c costs) open() bool {
	if c.d <= gramLimit {
		return true
	}
	for _, other := range otherBases {
		if c.possible(other) && c.of(other) < c.of("coordinate") {
			return false
		}
	}
	return true
}

// sampled is the number of coordinates of a basis.
func (c costs) sampled(basis string) int {
	if basis == "reduced" {
		return c.d - c.g + min(c.n, c.g)
	}
	return c.d
}

// possible reports whether a basis can be made, and could serve.
func (c costs) possible(name string) bool {
	switch name {
	case "rotated":
		return c.d <= basis.RotateLimit && !c.walled
	case "mixture":
		return !c.sparse && c.mixed > 0 && c.n <= basis.RotateLimit
	case "reduced":
		return c.g > c.n && c.sampled(name) <= basis.RotateLimit && !c.walled
	case withSlow:
		return c.slow > 0
	}
	return true
}

// of is the number of operations of set-up and draws in a basis, with one sweep between draws unless others were
// asked for: bases are compared by it.
func (c costs) of(basis string) float64 { return c.after(c.scheme(basis), max(1, c.given)) }

// scheme counts the sweeps of a basis.
func (c costs) scheme(basis string) scheme {
	n, d, g, k := float64(c.n), float64(c.d), float64(c.g), float64(c.sampled(basis))
	update := float64(c.passes() * (n + fixedCost))
	if basis == "coordinate" {
		if c.sparse {
			update = c.single()
		}
		return scheme{move: float64(d * update), bounded: c.sparse, worth: sweeping(c.alone(c.sweeps))}
	}
	if basis == withSlow {
		return c.ofSlow()
	}
	if basis == "mixture" {
		k = min(n, d)
		products := float64(0.5*n*n*d) + float64(mixtureReadings*n*d) + float64(mixtureCubes*n*n*n)
		return scheme{move: float64(product*products) + float64(mixtureDraw*d) + float64(mixtureSweeps*k*update),
			bounded: true, worth: sweeping(ownKept)}
	}
	products := float64(n*k*k) + float64(k*k*k/3)
	update += float64(float64(c.passes()*priorDensity)*float64(c.others)) + float64(product*3*k)
	out := scheme{move: float64(k * update), bounded: c.sparse || basis == "reduced", worth: sweeping(c.kept())}
	if basis == "reduced" {
		if c.sparse {
			return c.ofSparseReduced(out)
		}
		products += float64(n*n*g) + float64(decompositions*n*n*n)
		out.rest = float64(g * (float64(product*2*n) + hiddenDraw))
	}
	out.setup = float64(product * products)
	return out
}

// passes is the number of them in an update of a dense coordinate.
func (c costs) passes() float64 {
	if c.matched {
		return matchedPasses
	}
	return steppingPasses
}

// kept is the share that a sweep over rotated coordinates keeps: more where a sparse design has more columns than
// rows, so that the posterior is far from normal.
func (c costs) kept() float64 {
	if c.sparse && c.d > c.n {
		return max(ownKept, keptBy(min(sparseSweeps, 1+float64(c.n)/sweepRows)))
	}
	return ownKept
}

// slices is the number of passes of an update of a single coefficient of a sparse
// design.
func (c costs) slices() float64 {
	if c.matched {
		return tangentPasses
	}
	return steppingPasses
}

// single is the cost of an update of a single coefficient of a sparse design.
func (c costs) single() float64 {
	return float64(c.slices() * (float64(float64(gathered)*float64(c.entries)/float64(c.d)) + fixedCost))
}

// along is the cost of an update along a direction of all coefficients.
func (c costs) along() float64 {
	return float64(c.slices()*(float64(c.n)+fixedCost)) + float64(product*3*float64(c.d))
}

// Updates along slow directions after a sweep cost at most the turnShare-th of the sweep, so that what they do not help
// hardly pays for them, unless a direction would wait for more than turnSweeps sweeps.
const turnShare, turnSweeps = 8, 8

// turn is the number of slow directions that follow a sweep.
func (c costs) turn() int {
	paid := int(float64(float64(c.d)*c.single()) / float64(turnShare*c.along()))
	return min(c.slow, max(paid, (c.slow+turnSweeps-1)/turnSweeps))
}

// ofSlow counts sweeps that slow directions follow.
func (c costs) ofSlow() scheme {
	n, d, m := float64(c.n), float64(c.d), float64(c.slow)
	pairs := float64(len(chebyshev) + 1)
	found := float64(4*pairs*m*float64(c.entries)) + float64(3*m*m*(n+d))
	return scheme{setup: float64(product * found), move: math.FMA(float64(c.turn()), c.along(), float64(d*c.single())),
		bounded: true, worth: sweeping(c.alone(c.slowSweeps))}
}

// ofSparseReduced adds to sweeps of the reduced basis what a sparse design takes: n³ products of set-up, triangular
// solves and products with the non-zeros for each draw.
func (c costs) ofSparseReduced(out scheme) scheme {
	n, g := float64(c.n), float64(c.g)
	out.setup = float64(product * float64(n*n*n))
	out.rest = float64(product*float64(n*n)) + float64(g*hiddenDraw) + float64(float64(2*gathered)*float64(c.entries))
	return out
}

// operationsPerSecond is about what one core does. It turns counts into times that people can judge, and chooses
// nothing.
const operationsPerSecond = 1e9

// inSeconds words a number of operations as the time that they take.
func inSeconds(operations float64) string {
	return strconv.FormatFloat(operations/operationsPerSecond, 'g', 2, 64) + " s"
}
