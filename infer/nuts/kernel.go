package nuts

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/state"
	"glmbatch/internal/vec"
)

// Target is a posterior density over coordinates u without bounds. It is safe for concurrent use.
type Target interface {
	// Parameters describes theta: as many as u has, and those that follow from others.
	Parameters() []infer.Parameter
	// Dim is the length of u.
	Dim() int
	// Start draws where a chain begins from its stream, and says how.
	Start(c infer.Chain) (u []float64, words string)
	// Penalised returns a point near the mode.
	Penalised() []float64
	// Constrain writes theta of u, Unconstrain u of theta.
	Constrain(u, theta []float64)
	Unconstrain(theta, u []float64)
	// Densities returns a function for the use of one chain: the log density over u, whose gradient it writes, then
	// log likelihood and log prior of theta, as in infer.Info. It has no memory: equal u give equal bits.
	Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64)
	// Reads is the number of entries of the data that this function reads.
	Reads() int64
}

// setup holds the data that the chains of one fit share.
type setup struct {
	target  Target
	opts    Options
	earlier *earlier // what chains begin with, or nil
}

// maxDense is the largest number of parameters with a dense metric: four
// matrices of as many rows are 0.5 GB a chain.
const maxDense = 4096

// New returns the sampler of a posterior. It returns an *OptionError for an
// impossible option, or a dense metric of more than 4096 parameters. Cost: none.
func New(target *glm.Target, opts Options) (infer.Setup, error) {
	s, err := newSetup(target.Vectorised(), opts) // the same bits
	if err != nil {
		return nil, err
	}
	if target.Before() != nil && opts.Warms(target) {
		s.earlier = newEarlier(target)
	}
	return s, nil
}

// NewFor is New for any target.
func NewFor(target Target, opts Options) (infer.Setup, error) {
	s, err := newSetup(target, opts)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newSetup(target Target, opts Options) (*setup, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if opts.Metric == "dense" && target.Dim() > maxDense {
		return nil, &OptionError{"metric", opts.Metric,
			fmt.Sprintf(`"diagonal" for %d parameters, more than %d`, target.Dim(), maxDense)}
	}
	return &setup{target: target, opts: opts}, nil
}

// Parameters describes the coefficients and then the dispersions.
func (s *setup) Parameters() []infer.Parameter { return s.target.Parameters() }

// dense reports whether the metric is a matrix.
func (s *setup) dense() bool { return s.opts.Metric == "dense" }

// lowRank reports whether the metric is a diagonal and some directions.
func (s *setup) lowRank() bool { return s.opts.Metric == "low_rank" }

// unit returns the metric before any is learnt.
func (s *setup) unit() *metric {
	m := unitMetric(s.target.Dim(), s.dense())
	if s.warm() {
		m = s.earlier.metric()
	}
	if s.lowRank() {
		m.withLowRank(nil, nil)
	}
	return m
}

// Kernel returns one chain at its dispersed start. It adapts during its first
// Chain.Warmup iterations and is frozen after them.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("nuts: chain %d has no random stream", c.Index)
	}
	if c.Warmup < 0 {
		return nil, fmt.Errorf("nuts: chain %d has a warm-up of %d iterations", c.Index, c.Warmup)
	}
	u, words := s.target.Start(c)
	k := s.nowhere(c.Warmup)
	k.stream, k.start = c.Stream, words
	copy(k.here.u, u)
	k.Saver = state.NewSaver("nuts", stateVersion, k.list)
	return k, nil
}

// nowhere returns a chain without a place and a stream.
func (s *setup) nowhere(warmup int) *kernel {
	dim := s.target.Dim()
	k := &kernel{setup: s, here: newPoint(dim), space: newPhase(s.target, s.unit())}
	k.windows = s.windowsOf(int64(warmup))
	switch {
	case warmup > 0 && s.lowRank():
		k.fisher = newFisher(dim)
	case warmup > 0:
		k.moments = newMoments(dim, s.dense())
		k.moments.toward = s.toward()
	}
	return k
}

// kernel is one chain.
type kernel struct {
	*setup
	state.Saver
	stream    *infer.Stream
	space     *phase
	here      *point // its gradient and densities are fresh after each step
	fresh     bool   // the gradient at here is known
	start     string
	iteration int64
	adaptation
}

// adaptation has the step size, and what warm-up learns.
type adaptation struct {
	step    float64 // of the next iteration; 0 before the first
	dual    dual
	windows windows
	moments *moments // nil if there is no warm-up, and if fisher is not nil
	fisher  *fisher  // of a low-rank metric in warm-up, or nil
}

// Step draws a momentum, builds a trajectory and moves to a point of it; in
// warm-up it adapts step size and metric after that.
//
// Cost: a gradient, of a regression two passes over X, 2·n·d, for each leapfrog step, at most 2^MaxDepth − 1
// of these, besides d (dense: d²) for each.
//
// Step returns an error if the log density or its gradient is no finite number at the
// chain's point, or if no step size suits the posterior. The chain stays at its last valid
// point. It draws randomness only from the chain's stream.
func (k *kernel) Step() (infer.Info, error) {
	k.space.taken = 0
	if err := k.ready(); err != nil {
		return infer.Info{}, err
	}
	used := k.step
	k.space.step = used
	k.space.pool.reset()
	k.refresh(k.here)
	var f found
	var z *point
	if k.opts.Static {
		z, f = k.static()
	} else {
		z, f = explore(k.space, choices(k), k.here, k.opts.MaxDepth)
	}
	if z != k.here {
		k.here.take(z)
	}
	if err := k.adapt(f.mean); err != nil {
		return infer.Info{}, err
	}
	k.iteration++
	return infer.Info{
		LogLik: k.here.logLik, LogPrior: k.here.logPrior,
		Evaluations: k.space.taken, Gradients: k.space.taken,
		Touched:  k.space.taken * k.target.Reads(),
		Accept:   f.mean,
		StepSize: used, Energy: k.here.energy,
		Depth: int32(f.depth), Leapfrogs: int32(f.leaps), Divergent: f.divergent,
	}, nil
}

// ready computes the gradient where a chain begins or was put, and finds the
// first step size.
func (k *kernel) ready() error {
	if !k.fresh {
		if err := k.evaluate(k.here); err != nil {
			return err
		}
		k.fresh = true
	}
	if k.step > 0 {
		return nil
	}
	step := k.opts.StepSize
	if step == 0 && k.warm() {
		step = k.earlier.step
	}
	if step == 0 {
		at := k.here
		if k.windows.planned == 0 { // must not depend on the state
			at = newPoint(k.target.Dim())
			copy(at.u, k.target.Penalised())
			at.density = k.space.gradient(at.u, at.grad)
		}
		var err error
		if step, err = k.searchStep(at, 1); err != nil {
			return err
		}
	}
	k.step = step
	k.dual.restart(step)
	if k.warm() && k.earlier.step == step {
		k.dual.settle(step)
	}
	return nil
}

// evaluate computes the densities and the gradient of a chain's own point.
func (k *kernel) evaluate(z *point) error {
	z.density = k.space.gradient(z.u, z.grad)
	if sum := z.logPosterior + vec.Sum(z.grad); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return fmt.Errorf("nuts: iteration %d: the log density or its gradient is %v at the chain's point: scale the "+
			"columns of the design, or give a tighter prior", k.iteration+1, sum)
	}
	return nil
}

// refresh draws a momentum for z and makes its energy that of the start.
func (k *kernel) refresh(z *point) {
	k.space.metric.draw(k.stream, z.p)
	k.space.hamiltonian(z)
	k.space.start = z.energy
}

// forward draws the direction of a doubling.
func (k *kernel) forward() bool { return decisions{k.stream}.forward() }

// accept is true with probability min(1, e^logRatio).
func (k *kernel) accept(logRatio float64) bool { return decisions{k.stream}.accept(logRatio) }

// static makes a trajectory of fixed length and a Metropolis decision. Only a
// point of weight 0 ends it early, which the way back would meet as well: to
// reject for a rise of the energy alone would not be reversible.
func (k *kernel) static() (*point, found) {
	length := k.opts.Length
	if k.opts.Jitter > 0 {
		length *= math.FMA(k.opts.Jitter, math.FMA(2, k.stream.Float64(), -1), 1)
	}
	steps := int(min(max(math.Round(length/k.step), 1), maxStatic))
	var f found
	z := k.here
	weight := 0.0
	for f.leaps < steps && !math.IsInf(weight, -1) {
		before := z
		z = k.space.leap(before, true)
		if before != k.here {
			k.space.release(before)
		}
		w, divergent := k.space.weigh(z)
		weight, f.divergent = w, f.divergent || divergent
		f.leaps++
	}
	f.mean = vec.Exp(min(0, weight))
	if !k.accept(weight) {
		return k.here, f
	}
	return z, f
}

// maxStatic is the largest number of steps of a static trajectory: as many as
// a trajectory of NUTS has by default.
const maxStatic = 1 << 10

// adapt learns from an iteration of warm-up, after which it sets the step size
// of sampling.
func (k *kernel) adapt(accept float64) error {
	w := &k.windows
	if k.iteration >= w.planned {
		return nil
	}
	k.step = k.dual.learn(accept, k.opts.TargetAccept)
	if w.learns(k.iteration) {
		k.observe()
	}
	if w.closes(k.iteration) {
		if err := k.learn(); err != nil {
			return err
		}
		energy := k.here.energy
		step, err := k.searchStep(k.here, k.step)
		if err != nil {
			return err
		}
		k.step = step
		k.here.energy = energy
		k.dual.restart(k.step)
	}
	if k.iteration == w.planned-1 {
		k.step = k.dual.final()
	}
	return nil
}

// observe shows the position to what the metric learns from.
func (k *kernel) observe() {
	if k.fisher != nil {
		k.fisher.add(k.here.u, k.here.grad)
		return
	}
	k.moments.add(k.here.u)
}

// learn takes the metric of the window that ends, and begins the next.
func (k *kernel) learn() (err error) {
	var m *metric
	if k.fisher != nil {
		m, err = k.fisher.metric(k.space.metric)
		k.fisher.reset()
	} else {
		m, err = k.moments.metric()
		k.moments.reset()
	}
	if err == nil {
		k.space.metric = m
	}
	return err
}

// Position writes beta, then the dispersions that are parameters.
func (k *kernel) Position(dst []float64) { k.target.Constrain(k.here.u, dst) }

// SetPosition moves the chain to theta, as Position writes it, with its stream
// and adaptation as they are.
func (k *kernel) SetPosition(theta []float64) error {
	if want := len(k.target.Parameters()); len(theta) != want {
		return fmt.Errorf("nuts: a position of %d numbers for %d parameters", len(theta), want)
	}
	k.target.Unconstrain(theta, k.here.u)
	k.fresh = false
	return nil
}

// Start says how the starting point was drawn.
func (k *kernel) Start() string { return k.start }
