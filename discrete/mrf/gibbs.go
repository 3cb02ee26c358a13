package mrf

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"strconv"

	"glmbatch/infer"
	"glmbatch/internal/vec"
)

// Variable is the kind of a parameter that is the state of a variable.
const Variable infer.ParameterKind = "variable"

// Scan is the order in which a Gibbs iteration updates variables.
type Scan string

// The scans. An iteration of the first two has as many updates as variables, or
// Options.Updates random ones.
const (
	Systematic Scan = "systematic" // 0 … n−1
	Random     Scan = "random"     // each update picks a variable, all alike
	Given      Scan = "given"      // Options.Order, once per iteration
)

// Options configures NewGibbs. The zero value is ready to use.
type Options struct {
	// Scan is the order of updates. Empty means Systematic, or Given where there
	// is an Order.
	Scan Scan
	// Order is one iteration of a Given scan: variables, in any number. It is kept.
	Order []int32
	// Updates is the number of updates in an iteration of a Random scan. Zero means as many as variables.
	Updates int
	// Schedule has the inverse temperature of the first iterations; its last
	// entry holds from there on: annealed Gibbs. Empty means 1 throughout. A chain
	// samples π only while the entry is 1.
	Schedule []float64
	// Start of the states. Empty means Anywhere.
	Start Start
}

// Linear returns a schedule of n inverse temperatures in equal steps from first
// to last.
func Linear(first, last float64, n int) []float64 {
	out := make([]float64, n)
	for t := range out {
		share := 1.0
		if n > 1 {
			share = float64(t) / float64(n-1)
		}
		out[t] = math.FMA(share, last-first, first)
	}
	return out
}

// Sampler is a kernel over the states of a model.
type Sampler interface {
	infer.Kernel
	// State returns the current state; it aliases the chain's own.
	State() []uint8
	// Best writes the state of largest U of those that iterations ended in, the
	// start included, and returns its U.
	Best(dst []uint8) float64
}

// gibbs is the set-up that the chains of a fit share.
type gibbs struct {
	model Model
	fast  *Binary // model, when it is one
	Options
}

// NewGibbs returns the set-up of Gibbs samplers of a model. Its kernels are
// Samplers. It returns a *ModelError for an impossible order or schedule.
//
// The contract of infer.Kernel, and what fits it badly:
//
//   - Position writes the number of each variable's state as a float64: eight
//     bytes where the chain has one. Use State for large models.
//   - Info.LogLik is U(x), the log density without its constant −log Z, which is
//     not known; it is kept by increments and recomputed every 128 iterations.
//     LogPrior is 0. Touched counts half edges, Evaluations full conditionals.
//   - While a Schedule is not 1 the chain does not sample π. Chain.Warmup is
//     ignored: the caller drops the iterations of the schedule.
//   - MarshalBinary has two bytes per variable, the state and the best one.
//
// Chains begin where Options.Start says. A Step allocates nothing.
func NewGibbs(m Model, o Options) (infer.Setup, error) {
	if o.Scan == "" {
		o.Scan = Systematic
		if o.Order != nil {
			o.Scan = Given
		}
	}
	if o.Scan != Systematic && o.Scan != Random && o.Scan != Given {
		return nil, fault("use systematic, random or given", "the scan is %q", o.Scan)
	}
	if (o.Scan == Given) != (len(o.Order) > 0) {
		return nil, fault("give both or none", "the scan is %s and its order has %d updates", o.Scan, len(o.Order))
	}
	if o.Updates < 0 || o.Updates > 0 && o.Scan != Random {
		return nil, fault("give a positive number, and the scan random", "%d updates of a scan that is %s", o.Updates, o.Scan)
	}
	for t, i := range o.Order {
		if i < 0 || int(i) >= m.Variables() {
			return nil, fault("number the variables from 0", "update %d of the order is of variable %d of %d", t, i,
				m.Variables())
		}
	}
	var err error
	if o.Start, err = o.Start.Check(); err != nil {
		return nil, err
	}
	for t, b := range o.Schedule {
		if !(b >= 0) || !isFinite(b) {
			return nil, fault("give a finite number, not below 0", "inverse temperature %d is %v", t, b)
		}
	}
	fast, _ := m.(*Binary)
	return &gibbs{model: m, fast: fast, Options: o}, nil
}

// Parameters names the variables x0, x1, ….
func (s *gibbs) Parameters() []infer.Parameter { return Parameters(s.model) }

// Parameters names the variables of a model x0, x1, ….
func Parameters(m Model) []infer.Parameter {
	out := make([]infer.Parameter, m.Variables())
	for i := range out {
		out[i] = infer.Parameter{Name: "x" + strconv.Itoa(i), Kind: Variable}
	}
	return out
}

// Kernel returns a chain at its start.
func (s *gibbs) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, errors.New("mrf: the chain has no random stream")
	}
	x := make([]uint8, s.model.Variables())
	for i := range x {
		x[i] = uint8(below(c.Stream, uint64(s.model.States(i))))
	}
	if err := s.Options.Start.Place(s.model, x); err != nil {
		return nil, err
	}
	k := &kernel{gibbs: s, Walk: NewWalk(s.model, c.Stream, x), p: make([]float64, MaxStates(s.model))}
	k.Keep("mrf", nil)
	return k, nil
}

// below returns a uniform integer below n, by multiplication and rejection:
// Lemire (2019), doi:10.1145/3230636, algorithm 5.
func below(rng *infer.Stream, n uint64) uint64 {
	hi, lo := bits.Mul64(rng.Uint64(), n)
	if lo < n {
		for least := -n % n; lo < least; {
			hi, lo = bits.Mul64(rng.Uint64(), n)
		}
	}
	return hi
}

// kernel is one Gibbs chain.
type kernel struct {
	*gibbs
	Walk
	p       []float64 // scratch
	touched int64     // half edges read in this iteration
}

// Start says how the first state was drawn.
func (k *kernel) Start() string { return k.Options.Start.String() }

// Step runs one scan. Cost: a conditional per update, O(degree) and one
// exponential (one per state where there are more than two).
func (k *kernel) Step() (infer.Info, error) {
	beta := 1.0
	if n := len(k.Schedule); n > 0 {
		beta = k.Schedule[min(k.iteration, uint64(n-1))]
	}
	k.touched = 0
	updates := len(k.x)
	switch k.Scan {
	case Systematic:
		for i := range k.x {
			k.update(i, beta)
		}
	case Random:
		updates = cmp.Or(k.Updates, updates)
		for range updates {
			k.update(int(below(k.rng, uint64(len(k.x)))), beta)
		}
	case Given:
		updates = len(k.Order)
		for _, i := range k.Order {
			k.update(int(i), beta)
		}
	}
	k.End()
	return infer.Info{LogLik: k.u, Accept: 1, Evaluations: int64(updates), Touched: k.touched}, nil
}

// update draws variable i from its full conditional at inverse temperature beta.
func (k *kernel) update(i int, beta float64) {
	if b := k.fast; b != nil {
		k.touched += int64(b.start[i+1] - b.start[i])
		h := b.LocalField(i, k.x)
		a := flip(k.rng.Float64(), float64(2*beta*h))
		k.u += float64(2 * h * float64(int(a)-int(k.x[i]))) // the factor is −1, 0 or 1
		k.x[i] = a
		return
	}
	old, lw := k.x[i], k.lw[:k.model.States(i)]
	p := k.p[:len(lw)]
	k.touched += int64(len(k.model.Neighbours(i)))
	k.model.LogWeights(lw, i, k.x)
	var a uint8
	if len(lw) == 2 {
		a = flip(k.rng.Float64(), float64(beta*(lw[1]-lw[0])))
	} else {
		Conditional(p, lw, beta)
		a = pick(p, k.rng.Float64())
	}
	if a != old {
		k.x[i] = a
		k.u += lw[a] - lw[old]
	}
}

// Conditional writes to p the probabilities of a full conditional, given its
// logarithms up to a constant, at inverse temperature beta: exp(beta·lw[a]),
// normalised. Two states cost one exponential.
func Conditional(p, lw []float64, beta float64) {
	if len(lw) == 2 {
		t := float64(beta * (lw[1] - lw[0]))
		p[0], p[1] = vec.Logistic(-t), vec.Logistic(t)
		return
	}
	for a, v := range lw {
		p[a] = float64(beta * v)
	}
	normalise(p)
}

// flip returns 1 when the uniform number u is below the logistic function of t:
// u·(1 + e⁻ᵗ) < 1, one exponential and neither division nor branch.
func flip(u, t float64) uint8 {
	if math.FMA(u, vec.Exp(-t), u) < 1 {
		return 1
	}
	return 0
}

// pick returns the state that the uniform number u falls on: the last state
// has the first p[last] of the unit interval, and so on downwards.
func pick(p []float64, u float64) uint8 {
	for a := len(p) - 1; a > 0; a-- {
		if u < p[a] {
			return uint8(a)
		}
		u -= p[a]
	}
	return 0
}
