package cggibbs

import (
	"fmt"
	"math"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// AutoVersion names the rules of Auto: another choice is another sequence of draws.
const AutoVersion = "auto/4"

// autoDraws is the number of independent draws that Auto counts operations for: what
// the usual gates ask for, with room.
const autoDraws = 1000

// Costs, one being a row in a pass of the likelihood: passes of one update, by a slice
// stepped out, by one within tangents and matched, and of each the fixed costs; the density of a prior that is no
// quadratic form; a draw of what the reduced basis hides, made twice; a product in
// linear algebra; an entry of a sparse column; of n³ products in the decomposition of n rows. Of
// the mixture basis: the draw of a coefficient with its scale; the readings of the
// design besides those for K; n³ products of an iteration.
const (
	steppingPasses, tangentPasses, matchedPasses, fixedCost     = 6, 3, 3, 60
	priorDensity, hiddenDraw, product, gathered, decompositions = 16, 60, 0.1, 1.5, 40
	mixtureDraw, mixtureReadings, mixtureCubes                  = 150, 8, 3
)

// leastSlow is the number of sweeps to a draw from which on slow directions are looked
// for; sparseSweeps that of sweeps over rotated coordinates of a wide sparse design to a
// draw of the least coefficient, as measured on word counts.
const leastSlow, sparseSweeps = 4, 6

// Auto returns the basis that gives a thousand independent draws for the least
// number of operations, set-up included, and says why: what New takes with these options
// and the basis "auto". It counts them from rows and
// columns, family and priors, and from two pilots, where the choice waits for them: how much a sweep over single
// coefficients forgets, and how many joint proposals would be accepted. It knows
// nothing of time, load or workers, so that it chooses alike everywhere. Cost: O(n·d),
// and where joint moves may serve O(n·d²).
func Auto(target *glm.Target, opts Options) (basis, reason string) {
	c := choose(target.Vectorised(), opts)
	return c.basis, c.reason
}

// otherBases are those besides the coordinate one that it chooses among, with slow
// directions in that one as one of them.
var otherBases = []string{withSlow, "rotated", "reduced", "mixture"}

const withSlow = "coordinate with slow directions"

// choice is what auto takes.
type choice struct {
	target        *glm.Target // condensed where that can be done
	basis, reason string
	joint         infer.Setup // with joint moves; nil without
	slow          [][]float64 // directions that follow each sweep; nil without
}

// choose chooses for some options.
func choose(target *glm.Target, opts Options) choice {
	target, condensed := target.Condensed()
	c := costsOf(target)
	var slow [][]float64
	if opts.Slow != "off" && !opts.Uncached {
		slow = c.pilotSlow(target)
	}
	basis := "coordinate"
	for _, other := range otherBases {
		if c.possible(other) && c.of(other) < c.of(basis) {
			basis = other
		}
	}
	chosen, least := choice{target: target, basis: basis}, c.of(basis)
	words := ""
	if opts.Joint != "off" && c.tall(target, least) {
		words = chosen.join(target, opts, c, least)
	}
	if chosen.joint != nil {
		least = c.joint(chosen.joint.(*jointSetup).accepted)
	}
	sweeps := fmt.Sprintf("%.2g sweeps", c.sweeps)
	if !c.piloted {
		sweeps = "at least one sweep"
	}
	chosen.reason = fmt.Sprintf("%d rows, %d coefficients, %d of them with normal priors, and %s over them to a draw: "+
		"by count %s billion operations for %d draws", c.n, c.d, c.g, sweeps, inBillions(least), autoDraws)
	for _, other := range append([]string{"coordinate"}, otherBases...) {
		if (other != basis || chosen.joint != nil) && c.possible(other) {
			chosen.reason += ", " + other + " " + inBillions(c.of(other))
			if other == "coordinate" && !c.piloted {
				chosen.reason += " or more"
			}
		}
	}
	if condensed != "" {
		chosen.reason += "; " + condensed
	}
	chosen.reason += words
	if basis == withSlow && chosen.joint == nil {
		chosen.basis, chosen.slow = "coordinate", slow
	}
	return chosen
}

// pilotSlow finds slow directions of a sparse design and counts how many sweeps they
// save; nil where they cannot be, or sweeps over single coefficients need none.
func (c *costs) pilotSlow(target *glm.Target) [][]float64 {
	if !c.sparse || c.others > 0 || target.Scales() > 0 || c.sweeps < leastSlow {
		return nil
	}
	betas, err := findSlow(target)
	if err != nil {
		return nil
	}
	c.slow, c.slowSweeps = len(betas), dependenceWith(target, betas)
	return betas
}

// join takes joint moves if they need fewer operations than least, and says how they
// did in their pilot.
func (chosen *choice) join(target *glm.Target, opts Options, c costs, least float64) (words string) {
	opts.Basis, opts.Joint = "rotated", "on"
	made, err := New(target, opts)
	if err != nil {
		return "; no joint moves: " + err.Error()
	}
	j, ok := made.(*jointSetup)
	if !ok {
		return "; no joint moves: " + made.(infer.Explainer).Explain()
	}
	if words, ok := c.joins(j.accepted, least); !ok {
		return "; no joint moves: " + words
	}
	chosen.basis, chosen.joint = "rotated", j
	return fmt.Sprintf("; joint moves, of which a pilot accepted %.2f", j.accepted)
}

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
	// The number of slow directions, 0 without, and of sweeps with them to a draw.
	slow       int
	slowSweeps float64
	piloted    bool // sweeps is the pilot's; otherwise it is 1, the least that it can be
}

func costsOf(target *glm.Target) costs {
	x := target.Data().X
	c := costs{n: target.Rows(), d: target.Cols(), entries: x.Entries(), sweeps: 1}
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
	if c.open() {
		c.sweeps, c.piloted = dependence(target), true
	}
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

// of is the number of operations of set-up and draws.
func (c costs) of(basis string) float64 {
	n, d, g, k := float64(c.n), float64(c.d), float64(c.g), float64(c.sampled(basis))
	passes := float64(steppingPasses)
	if c.matched {
		passes = matchedPasses
	}
	update := float64(passes * (n + fixedCost))
	if basis == "coordinate" {
		if c.sparse {
			update = float64(c.slices() * (float64(float64(gathered)*float64(c.entries)/d) + fixedCost))
		}
		return autoDraws * float64(float64(c.sweeps*d)*update)
	}
	if basis == withSlow {
		return c.ofSlow()
	}
	if basis == "mixture" {
		k = min(n, d)
		products := float64(0.5*n*n*d) + float64(mixtureReadings*n*d) + float64(mixtureCubes*n*n*n)
		return autoDraws * (float64(product*products) + float64(mixtureDraw*d) + float64(mixtureSweeps*k*update))
	}
	products := float64(n*k*k) + float64(k*k*k/3)
	update += float64(float64(passes*priorDensity)*float64(c.others)) + float64(product*3*k)
	sweep := float64(k * update)
	if basis == "reduced" {
		if c.sparse {
			return c.ofSparseReduced(sweep)
		}
		products += float64(n*n*g) + float64(decompositions*n*n*n)
		sweep += float64(g * (float64(product*2*n) + hiddenDraw))
	}
	return float64(product*products) + float64(float64(autoDraws*c.apart())*sweep)
}

// apart is the number of sweeps over rotated coordinates to a draw: more than one where a
// sparse design has more columns than rows, so that the posterior is far from normal.
func (c costs) apart() float64 {
	if c.sparse && c.d > c.n {
		return sparseSweeps
	}
	return 1
}

// slices is the number of passes of an update of a single coefficient of a sparse
// design.
func (c costs) slices() float64 {
	if c.matched {
		return tangentPasses
	}
	return steppingPasses
}

// ofSlow is the number of operations with slow directions.
func (c costs) ofSlow() float64 {
	n, d, m := float64(c.n), float64(c.d), float64(c.slow)
	single := float64(d * float64(c.slices()*math.FMA(gathered, float64(c.entries)/d, fixedCost)))
	direction := float64(c.slices()*(n+fixedCost)) + float64(product*3*d)
	found := float64(4 * slowRounds * product * m * float64(c.entries))
	return found + float64(float64(autoDraws*c.slowSweeps)*math.FMA(m, direction, single))
}

// ofSparseReduced is the number of operations of the reduced basis where the design is
// sparse: n³ products of set-up, triangular solves and products with the non-zeros for
// each draw.
func (c costs) ofSparseReduced(sweep float64) float64 {
	n, g := float64(c.n), float64(c.g)
	draw := sweep + float64(product*float64(n*n)) + float64(g*hiddenDraw) + float64(float64(2*gathered)*float64(c.entries))
	return float64(product*float64(n*n*n)) + float64(float64(autoDraws*c.apart())*draw)
}

// inBillions words a number of operations.
func inBillions(operations float64) string {
	return strconv.FormatFloat(operations/1e9, 'g', 2, 64)
}

// newAuto returns the sampler in the basis that Auto chooses.
func newAuto(target *glm.Target, opts Options) (infer.Setup, error) {
	if opts.Joint == "on" {
		opts.Basis = "rotated"
		return New(target, opts)
	}
	c := choose(target, opts)
	target, opts.Basis, opts.Joint = c.target, c.basis, "off"
	words := "auto chose it for " + c.reason
	if c.joint != nil {
		c.joint.(*jointSetup).words += "; " + words
		return c.joint, nil
	}
	if c.basis == "coordinate" && opts.Update == "" && target.Scales() == 0 {
		opts.Update = standardUpdate(target)
		if _, sparse := target.Data().X.(*design.Sparse); sparse {
			opts.Update = "stepping_out"
			if serves(target) {
				opts.Update = "tangent"
			}
		}
	}
	made, err := New(target, opts)
	switch s := made.(type) {
	case *basisSetup:
		if c.slow != nil {
			s.follow(c.slow)
		}
		s.words += "; " + words
	case *reducedSetup:
		s.words += "; " + words
	case *mixtureSetup:
		s.words += "; " + words
	case *fallback:
		s.words += "; " + words
	case *setup:
		made = &fallback{s, "coordinate: " + words}
	}
	return made, err
}

// serves reports whether the conditionals of single coordinates are known to be
// log-concave.
func serves(target *glm.Target) bool { return standardUpdate(target) == "matched" }

// standardUpdate is that of other bases than the paper's.
func standardUpdate(target *glm.Target) string {
	update, err := Options{Basis: "rotated"}.update(target.Model())
	if err != nil {
		panic("cggibbs: no update was asked for, and yet " + err.Error())
	}
	return update
}
