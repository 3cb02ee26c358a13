package groups

import (
	"fmt"
	"math"

	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
)

// sliceEvery is the number of iterations from one with slices of every effect to the next, modesEvery that of families
// that are not log-concave, under which an effect may have several modes; the first sliceFirst are such ones, since a
// chain may come from afar. The number of an iteration alone decides.
const sliceEvery, modesEvery, sliceFirst = 40, 2, 4

// logStep bounds the interval of a slice along log sd, of at most this length: the density of an sd given effects has a
// cliff on its left and a slope on its right, and from the foot of the cliff a slice without bounds reaches sds
// of e^36.
const logStep = 6

// stepFrom is the iteration from which on slices of sds that move with their effects, or given totals, step out: from
// afar the slice is many widths long.
const stepFrom = 30

// maxDoublings is that of other slices, of at most 2^20 widths.
const maxDoublings = 20

// kernel is one chain.
type kernel struct {
	*setup
	update.Stepper
	fixed  *cggibbs.CoefficientsChain // coefficients and dispersions, with eta
	groups groupings
	slice  *cggibbs.Slicer
	trees  []*tree

	point *glm.Point // that of fixed, with the effects
	beta  []float64  // coefficients
	delta []float64  // of shifts
	rest  []float64  // scratch of a number for each row
}

// group is the state of a chain in one grouping.
type group struct {
	*block
	*scales
	effects *glm.Effects
	r       []float64 // effects by level, then by term, which the point writes
	lean    []float64 // minus the slope of the log prior density in r that Linked adds; or nil
	to      []float64 // where a move takes them

	width       float64 // of slices along sds and correlations
	doublings   int     // of it at most
	here, there sums
	matched
	scratch
}

// matched is the state of matched moves of the effects of a grouping; its slices are nil if these are drawn exactly.
type matched struct {
	forward, threshold []float64 // of each level, the product of the diagonal of the factor, or h for one term
	ratio, quotient    []float64
	places             []float64 // of the effects where quadratic forms of several terms are made
	taken              []bool
	spread             float64 // of the proposals, in standard deviations of the matched distribution
}

func newMatched(levels, effects int) matched {
	return matched{forward: make([]float64, levels), threshold: make([]float64, levels), taken: make([]bool, levels),
		ratio: make([]float64, levels), quotient: make([]float64, levels), places: make([]float64, effects)}
}

// scratch has numbers that no move leaves to another.
type scratch struct {
	step, noise      []float64 // of each effect
	squares, product []float64 // q × q
	joined           []float64 // of shifts together
	squaresAlike     []float64 // of the levels that are alike
}

func newGroup(b *block) *group {
	size := b.levels * b.q
	r := make([]float64, size)
	g := &group{block: b, scales: b.newScales(), effects: glm.NewEffects(b.Effects, r), r: r,
		to: make([]float64, size), here: newSums(b), scratch: scratch{
			step: make([]float64, size), noise: make([]float64, size), squares: make([]float64, b.q*b.q),
			product: make([]float64, b.q*b.q), squaresAlike: make([]float64, len(b.alike.curve))}}
	if b.gram == nil {
		g.there, g.matched = newSums(b), newMatched(b.levels, size)
	}
	g.setWidth()
	return g
}

// setWidth sets the width of slices along sds and correlations.
func (g *group) setWidth() {
	g.width = 2.5 / math.Sqrt(float64(g.levels))
	for w := 2 * g.width; w <= logStep; w *= 2 {
		g.doublings++
	}
}

// schedule lists the moves of an iteration: one sweep over coefficients and dispersions given the effects, then the
// effects of each grouping, their sds and correlations, and shifts of coefficients against them.
//
// Cost: O(n) for each coefficient and O(n·q²) for each grouping of q terms, whatever the number of its levels.
func (k *kernel) schedule() update.Schedule {
	moves := update.Moves{k.moveFixed}
	if k.joint != nil {
		moves = update.Moves{k.moveDispersions, k.drawCoefficients}
	}
	for i := range k.groups {
		moves = append(moves, func() bool { return k.moveLevels(i) })
	}
	if k.target.ClosedGaussian() {
		moves = append(moves, k.movePairs, k.revalue)
	} else {
		moves = append(moves, k.revalue, k.movePairs)
	}
	for _, g := range k.groups {
		if !g.collapsed() { // else they moved with the effects integrated out
			moves = append(moves, func() bool { return g.linked != nil || k.moveWith(g) && (g.nested || k.moveGiven(g)) })
		}
	}
	for _, g := range k.groups {
		moves = append(moves, func() bool { return k.moveShifts(g) })
	}
	return update.Schedule{First: moves, Last: update.Moves{k.arrive}}
}

// moveFixed moves coefficients and dispersions given the effects.
func (k *kernel) moveFixed() bool {
	info, err := k.fixed.Step()
	k.fixed.Beta(k.beta)
	k.Accept = info.Accept
	return k.Take(info, err)
}

// moveDispersions moves dispersions given the effects.
func (k *kernel) moveDispersions() bool {
	ok := k.Take(k.fixed.StepDispersions())
	k.fixed.Beta(k.beta)
	return ok
}

// moveLevels moves the effects of a grouping given all else.
func (k *kernel) moveLevels(i int) bool {
	g := k.groups[i]
	if g.gram != nil {
		return k.drawLevels(g)
	}
	slices := k.Iteration%k.sliceEvery == 0 || k.Iteration < sliceFirst
	if slices && !k.sliceLevels(g) {
		return false
	}
	if g.linked == nil { // see LinkedMove
		k.matchLevels(g, i+1 < len(k.groups))
	}
	return true
}

// revalue recomputes the log likelihood.
func (k *kernel) revalue() bool {
	k.point.Revalue()
	k.Touched += int64(k.target.Rows())
	return true
}

// movePairs moves effects of nested groupings against each other, and their sds.
func (k *kernel) movePairs() bool {
	for _, t := range k.trees {
		if !k.moveNest(t) {
			return false
		}
	}
	for _, p := range k.pairs {
		if !p.single(k.blocks) && !k.moveLines(p) {
			return false
		}
	}
	return true
}

// arrive counts the rows read, and notes the densities.
func (k *kernel) arrive() bool {
	k.Touched += k.point.RowsRead()
	return k.Arrive(k.point.Value().LogLik, k.LogPrior())
}

// moveWith moves sds with their effects: by carrying them in some iterations, see carryEvery, else by scales. With
// many rows each second iteration does without: such a move reads them some five times, and many levels determine
// an sd well given themselves.
func (k *kernel) moveWith(g *group) bool {
	turn := k.Iteration
	if glm.Tall(len(g.of)) {
		if turn%2 == 1 {
			return true
		}
		turn /= 2
	}
	k.slice.Stepping = k.Iteration >= stepFrom
	defer func() { k.slice.Stepping = false }()
	if every := g.carryEvery(); every > 0 && turn%every == 0 {
		return k.moveCarried(g)
	}
	return k.moveScales(g)
}

// responses are those of the chain, which another package may rewrite.
func (k *kernel) responses() []float64 { return k.fixed.Target().Data().Y }

// LogPrior returns the log prior density of the position, that of the effects given their scales included.
func (k *kernel) LogPrior() float64 {
	return k.groups.addPrior(k.fixed.LogPrior())
}

// sumSquares makes Σ r·rᵀ.
func (g *group) sumSquares() {
	clear(g.squares)
	g.crossed(g.r, g.r, g.squares)
}

// Position writes the parameters in their order.
func (k *kernel) Position(dst []float64) {
	at := k.target.Dim()
	k.fixed.Position(dst[:at])
	k.groups.position(dst[at:])
}

// SetPosition moves the chain to a position, as Position writes it, its cache fresh and its stream and iteration as
// they are.
func (k *kernel) SetPosition(theta []float64) error {
	if len(theta) != len(k.params) {
		return fmt.Errorf("groups: a position of %d numbers for %d parameters", len(theta), len(k.params))
	}
	at := k.target.Dim()
	for _, g := range k.groups {
		at += g.read(theta[at:])
	}
	for _, g := range k.groups {
		at += g.readEffects(theta[at:], g.to)
		k.point.Assign(g.effects, g.to)
	}
	return k.fixed.SetPosition(theta[:k.target.Dim()])
}
