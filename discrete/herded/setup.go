package herded

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Version names the algorithm: it changes whenever the same stream gives other
// bits.
const Version = "herded/1"

// Sharing names the blanket states that have a weight in common.
type Sharing string

// The ways of sharing.
const (
	// None gives every state of the neighbours a weight: 2^degree of a binary
	// variable.
	None Sharing = "none"
	// Sums gives one weight to all states of the neighbours with the same sum of
	// potentials: degree + 1 of a binary variable with equal couplings.
	Sums Sharing = "sums"
	// All gives each variable one weight, whatever its neighbours' states. The share of a state then follows the mean
	// of the conditional probabilities that were met, within 1/sweeps; these need not be the model's.
	All Sharing = "all"
)

// Start names the weights with which a chain begins.
type Start string

// The starts.
const (
	// Zero weights, the middle of what algorithm 1 allows whatever p is.
	Zero Start = "zero"
	// Mode: p − ½ (p − 1/states where there are more than two), so that the first
	// visit takes the most probable state, where Zero takes state 0. Many visits make
	// them alike; runs of a few sweeps need this or Offset.
	Mode Start = "mode"
	// Offset draws weights uniformly from (p − 1, p], from the chain's stream: the
	// first visit is a Gibbs draw, chains differ, and variables of equal rational
	// marginals do not run in step.
	Offset Start = "offset"
)

// Updates names the states that a sweep's conditionals are given.
type Updates string

// The updates.
const (
	// InTurn updates one variable after the other, each given the present states of others: algorithm 1.
	InTurn Updates = "in_turn"
	// Parallel updates all variables given the states that the sweep began with, as Jacobi's iteration does: each could
	// run on a processor of its own. It samples another distribution than the model's if neighbours depend on each other.
	Parallel Updates = "parallel"
)

// Options configures New. The zero value is ready to use.
type Options struct {
	// Updates of a sweep. Empty means InTurn.
	Updates Updates `json:",omitempty"`
	// Sharing of weights. Empty means None.
	Sharing Sharing
	// Start of the weights. Empty means Mode.
	Start Start
	// States says at which states a chain begins. Empty means mrf.Anywhere.
	States mrf.Start `json:",omitempty"`
	// MaxBytes bounds the memory of a chain's weights. Zero means 1 GiB.
	MaxBytes int64
}

// MemoryError reports that a model needs more weights than it may have.
type MemoryError struct {
	Variable, Degree int     // the variable with most weights
	Bytes            float64 // of all weights of a chain; of one variable's classes under Sums
	Limit            int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("herded: the weights take %.3g bytes of %d allowed, most of them for variable %d, which has %d "+
		"neighbours", e.Bytes, e.Limit, e.Variable, e.Degree)
}

// Setup is shared by the chains of a fit.
type Setup struct {
	model mrf.Model
	Options
	layout
	keep float64 // of a complete graph without sharing: 1 − the contraction of a sweep, at least
}

// New plans herded Gibbs for a model: it counts the weights first, and returns a
// *MemoryError before it allocates more than MaxBytes.
//
// Cost: O(edges), and with Sums the classes of each kind of neighbourhood; on a
// complete graph without sharing one conditional per weight, for Bound.
func New(m mrf.Model, o Options) (*Setup, error) {
	if o.Sharing == "" {
		o.Sharing = None
	}
	if o.Start == "" {
		o.Start = Mode
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 30
	}
	if o.Updates == "" {
		o.Updates = InTurn
	}
	if o.Updates != InTurn && o.Updates != Parallel {
		return nil, fmt.Errorf("herded: the updates are %q; use in_turn or parallel", o.Updates)
	}
	if o.Sharing != None && o.Sharing != Sums && o.Sharing != All {
		return nil, fmt.Errorf("herded: the sharing is %q; use none, sums or all", o.Sharing)
	}
	if o.Start != Zero && o.Start != Mode && o.Start != Offset {
		return nil, fmt.Errorf("herded: the start is %q; use zero, mode or offset", o.Start)
	}
	var err error
	if o.States, err = o.States.Check(); err != nil {
		return nil, err
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("herded: the limit of memory is %d bytes; give a positive number", o.MaxBytes)
	}
	if _, listed := m.(*mrf.Listed); listed && o.Sharing == Sums {
		return nil, errors.New("herded: a model whose states are listed one by one has no potentials to add: " +
			"use sharing none")
	}
	s := &Setup{model: m, Options: o}
	switch o.Sharing {
	case Sums:
		err = s.layOutSums(m, o.MaxBytes)
	case All:
		s.layOutAll(m)
	default:
		err = s.layOut(m, o.MaxBytes)
	}
	if err != nil {
		return nil, err
	}
	if s.complete() && o.Sharing == None && o.Updates == InTurn {
		s.keep = overlap(m)
	}
	return s, nil
}

// WeightBytes is the memory of one chain's weights.
func (s *Setup) WeightBytes() int64 { return 8 * int64(s.base[len(s.base)-1]) }

// Parameters names the variables x0, x1, ….
func (s *Setup) Parameters() []infer.Parameter { return mrf.Parameters(s.model) }

// Explain returns the memory and the warnings as a sentence.
func (s *Setup) Explain() string {
	out := fmt.Sprintf("herded Gibbs with %d weights (%d bytes) a chain", s.base[len(s.base)-1], s.WeightBytes())
	for _, w := range s.Warnings() {
		out += "; " + w
	}
	return out
}

// Warnings returns the guarantees that theory does not give for this fit.
func (s *Setup) Warnings() []string {
	var out []string
	switch {
	case s.empty():
		out = append(out, "without edges each marginal converges as 1/T; the joint law need not where marginals are rational")
	case s.Updates == Parallel:
		out = append(out, "all variables are updated at once from the states that a sweep began with: averages need not "+
			"converge to those of the model")
	case s.Sharing == Sums:
		out = append(out,
			"weights shared by blanket states of the same sum: averages need not converge to those of the model")
	case s.Sharing == All:
		out = append(out, "one weight a variable, shared by all states of its neighbours: averages need not converge to "+
			"those of the model")
	case !s.complete():
		out = append(out, "the graph is neither empty nor complete: convergence of herded Gibbs is open")
	}
	return out
}

func (s *Setup) empty() bool { return s.all(0) }

func (s *Setup) complete() bool { return s.all(s.model.Variables() - 1) }

// all reports whether every variable has degree neighbours.
func (s *Setup) all(degree int) bool {
	for i := range s.model.Variables() {
		if len(s.model.Neighbours(i)) != degree {
			return false
		}
	}
	return true
}

// Kernel returns a chain, an mrf.Sampler and a *Chain, at its start.
func (s *Setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, errors.New("herded: the chain has no random stream")
	}
	n, most := s.model.Variables(), mrf.MaxStates(s.model)
	x := make([]uint8, n)
	for i := range x {
		x[i] = uint8(math.Floor(float64(c.Stream.Float64() * float64(s.model.States(i)))))
	}
	if err := s.States.Place(s.model, x); err != nil {
		return nil, err
	}
	k := &Chain{Setup: s, Walk: mrf.NewWalk(s.model, c.Stream, x), rng: c.Stream, x: x, w: make([]float64, s.base[n]),
		lw: make([]float64, most), p: make([]float64, most), given: make([]uint8, 0, n)}
	k.Keep("herded", k.w)
	if s.Options.Start != Zero {
		k.offset()
	}
	return k, nil
}
