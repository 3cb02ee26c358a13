package cggibbs

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/state"
)

// setup is what the chains of one fit share.
type setup struct {
	target *glm.Target
	opts   Options
	widths []float64 // initial slice width per coordinate of u
	scan   *scan

	sweep      int            // coordinates of a sweep: coefficients and dispersions
	blocks     [][]scaleBlock // per horseshoe prior
	likelihood []float64      // see likelihoodScales
	chosen     []int          // coefficients whose prior is spike_slab
}

// New returns the sampler of a posterior. Cost: O(n) per coefficient with a
// flat prior. It returns an *OptionError for an impossible option.
func New(target *glm.Target, opts Options) (infer.Setup, error) {
	opts, err := opts.filled()
	if err != nil {
		return nil, err
	}
	if opts.Kernels == "vector" {
		target = target.Vectorised()
	}
	if prior.Selects(target.Model().Coefficients) {
		return newSelecting(target, opts)
	}
	if opts.Basis == "auto" {
		return newAuto(target, opts)
	}
	if opts.Basis == "mixture" {
		return newMixed(target, opts)
	}
	if err := checkBlocks(target, opts.Blocks); err != nil {
		return nil, err
	}
	if opts.Basis != "coordinate" || opts.Update != "" && opts.Update != "doubling" || opts.followed() ||
		opts.Blocks != nil {
		return newBasis(target, opts)
	}
	s := newSetup(target, opts)
	if s.scan.words != "" {
		return &fallback{s, "coordinate; " + s.scan.words}, nil
	}
	return s, nil
}

// newSetup returns the coordinate sampler.
func newSetup(target *glm.Target, opts Options) *setup {
	s := &setup{
		target: target, opts: opts, widths: make([]float64, target.Dim()),
		sweep: target.Dim() - target.Scales(), blocks: blocksOf(target), likelihood: likelihoodScales(target),
	}
	for j := range s.widths {
		s.widths[j] = opts.Width * unit(target, j)
	}
	s.scan = newScan(target, opts, s.sweep)
	return s
}

// warmWidth is the slice width in standard deviations of an earlier posterior: with
// 3 to 10 of them an update takes 6.0 to 6.4 evaluations, with a prior's that is 500
// times as wide 11.9.
const warmWidth = 5

// unit returns the scale that slice widths of coordinate j are stated in.
func unit(t *glm.Target, j int) float64 {
	if b := t.Before(); b != nil && b.SD[j] > 0 && !(j < t.Cols() && t.Model().Coefficients[j].Kind.Shrinks()) {
		return min(ownUnit(t, j), warmWidth*b.SD[j])
	}
	return ownUnit(t, j)
}

// ownUnit is unit without an earlier posterior.
func ownUnit(t *glm.Target, j int) float64 {
	if j >= t.Cols() {
		return 1 // the log of a dispersion or scale
	}
	switch p := t.Model().Coefficients[j]; p.Kind {
	case prior.Flat:
		return 10 * t.ConditionalScale(j)
	case prior.Uniform: // flat between its walls
		return min(p.High-p.Low, 10*t.ConditionalScale(j))
	default:
		return p.Scale
	}
}

// Parameters describes the coefficients, the dispersions and the scales, then the indicators.
func (s *setup) Parameters() []infer.Parameter { return s.withIndicators(s.target.Parameters()) }

// Kernel returns one chain at its dispersed start.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("cggibbs: chain %d has no random stream", c.Index)
	}
	u, words := s.target.Start(c)
	k := &kernel{setup: s, scan: s.scan.of(c), stream: c.Stream, point: glm.NewPoint(s.target), start: words}
	k.Saver = state.NewSaver("cggibbs", stateVersion, k.list)
	k.slice = slicer{source: c.Stream, limit: s.opts.MaxDoublings}
	k.point.SetUnconstrained(u)
	return k, nil
}

// kernel is one chain.
type kernel struct {
	*setup
	state.Saver
	scan      *scan
	stream    *infer.Stream
	point     *glm.Point
	slice     slicer
	start     string
	iteration int64
	touched   int64 // entries of X read since the iteration began
	selecting selecting

	coord int     // under update
	here  float64 // its value: a coefficient, or the log of a dispersion or scale
}

// NonFiniteError tells that a conditional log density was NaN or +Inf.
type NonFiniteError struct {
	Parameter string
	Iteration int64 // 0-based
	Value     float64
}

// Error names the parameter, the iteration and the value.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("cggibbs: iteration %d: the conditional log density of %s is %v: "+
		"scale the columns of the design, or give a tighter prior", e.Iteration+1, e.Parameter, e.Value)
}

// Step makes the univariate updates of its iteration, as many as there are
// coefficients and dispersions unless Options.Focus has a list, after a refresh of the cached linear predictor when
// one is due, and then moves the scales of horseshoe priors; all but the refresh Options.Moves times.
//
// Cost: O(n·d), because the cached predictor makes one conditional O(n), or, of a
// sparse design, O(n + its non-zeros); O(n·d²) with Options.Uncached.
//
// Step returns a *NonFiniteError, and leaves the chain at the last valid point,
// if a conditional log density is NaN or +Inf; −Inf is an ordinary rejection.
// It allocates nothing and draws randomness only from the chain's stream.
func (k *kernel) Step() (infer.Info, error) {
	k.touched, k.slice.evaluations = 0, 0
	k.selecting.begin()
	if k.refreshDue() {
		k.point.Refresh()
		k.touched += k.entries() + k.point.TermReads()
	}
	for range k.opts.movesIn(k.iteration, k.scan.first) {
		for i := range k.scan.updates(k.iteration) {
			if j := k.scan.coordinate(i, k.iteration, k.stream); !k.update(j) {
				return infer.Info{}, k.nonFinite()
			}
		}
		if !k.moveScales() {
			return infer.Info{}, k.nonFinite()
		}
		k.point.Settle()
	}
	k.iteration++
	return infer.Info{
		LogLik: k.point.Value().LogLik, LogPrior: k.point.LogPrior(),
		Evaluations: k.slice.evaluations, Touched: k.touched, Accept: k.selecting.rate(),
	}, nil
}

// nonFinite tells what was under update when a log density was NaN or +Inf.
func (k *kernel) nonFinite() error {
	return &NonFiniteError{k.Parameters()[k.coord].Name, k.iteration, k.slice.badValue}
}

// refreshDue reports whether this iteration begins with a refresh.
func (k *kernel) refreshDue() bool {
	every := int64(k.opts.RefreshEvery)
	return every > 0 && k.iteration%every == 0
}

// entries returns the number of entries of X.
func (k *kernel) entries() int64 { return k.target.Data().X.Entries() }

// read returns how many entries a pass along column j reads.
func (k *kernel) read(j int) int64 { return int64(len(k.target.Data().X.Column(j).Values)) }

// update makes one slice update of coordinate j of (beta, log dispersions).
func (k *kernel) update(j int) bool {
	k.coord = j
	if k.selects(j) {
		return k.choose(j)
	}
	d := j - k.target.Cols() // index of a dispersion
	if d >= 0 {
		k.here = k.point.LogDispersion(d)
	} else {
		k.here = k.point.Beta(j)
	}
	current := k.point.Value().LogLik + k.logPrior(k.here)
	displacement, v, moved, ok := k.slice.update(k, current, k.width(j))
	if !ok || !moved {
		return ok
	}
	if d >= 0 {
		k.point.MoveDispersion(d, k.here+displacement, v)
		return true
	}
	k.point.Move(j, displacement, v)
	if !k.opts.Uncached {
		k.touched += k.read(j)
	}
	return true
}

// logPrior returns the log prior density of the coordinate under update at x,
// with the Jacobian of the logarithm where it is a dispersion.
func (k *kernel) logPrior(x float64) float64 {
	return k.point.LogPriorAlong(k.coord, x)
}

// at implements density for the coordinate under update.
func (k *kernel) at(displacement float64) (float64, glm.Value) {
	var v glm.Value
	switch {
	case k.coord >= k.target.Cols():
		v = k.point.AlongDispersion(k.coord-k.target.Cols(), k.here+displacement)
	case k.opts.Uncached:
		v = k.point.AlongUncached(k.coord, displacement)
		k.touched += k.entries()
	default:
		v = k.point.Along(k.coord, displacement)
		k.touched += k.read(k.coord)
	}
	return v.LogLik + k.logPrior(k.here+displacement), v
}

// Position writes beta, the dispersions that are parameters, the scales, then the indicators.
func (k *kernel) Position(dst []float64) {
	k.point.Theta(dst)
	k.indicate(dst)
}

// SetPosition moves the chain to theta, as Position writes it, with or without the
// indicators, which its coefficients tell; its cache fresh and its stream and
// iteration as they are.
func (k *kernel) SetPosition(theta []float64) error {
	if n := len(k.widths); len(theta) != n && len(theta) != n+len(k.chosen) {
		return fmt.Errorf("cggibbs: a position of %d numbers for %d parameters", len(theta), n)
	}
	k.point.SetTheta(theta[:len(k.widths)])
	return nil
}

// Start says how the starting point was drawn.
func (k *kernel) Start() string { return k.start }
