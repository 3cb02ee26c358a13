package cggibbs

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
)

// setup is the coordinate sampler.
type setup struct {
	shared
	swept      int            // coordinates of a sweep: coefficients and dispersions
	blocks     [][]scaleBlock // per horseshoe prior
	likelihood []float64      // see likelihoodScales
	chosen     []int          // coefficients whose prior is spike_slab
}

// newSetup returns the coordinate sampler.
func newSetup(target *glm.Target, opts Options) *setup {
	s := &setup{
		shared: shared{target: target, opts: opts, widths: make([]float64, target.Dim())},
		swept:  target.Dim() - target.Scales(), blocks: blocksOf(target), likelihood: likelihoodScales(target),
	}
	for j := range s.widths {
		s.widths[j] = opts.Width * unit(target, j)
	}
	s.scan = newScan(target, opts, s.swept)
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
	case prior.Uniform: // flat between its ends
		return min(p.High-p.Low, 10*t.ConditionalScale(j))
	default:
		return p.Scale
	}
}

// Parameters describes the coefficients, the dispersions and the scales, then the indicators.
func (s *setup) Parameters() []infer.Parameter { return s.withIndicators(s.target.Parameters()) }

// Kernel returns one chain at its dispersed start.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if err := checkStream(c); err != nil {
		return nil, err
	}
	u, words := s.target.Start(c)
	k := s.fresh(c.Stream, s.scan.of(c))
	k.Words = words
	k.point.SetUnconstrained(u)
	return k, nil
}

// fresh returns a chain at no start yet.
func (s *setup) fresh(stream *infer.Stream, scan *scan) *kernel {
	k := &kernel{setup: s, scan: scan, point: glm.NewPoint(s.target)}
	k.begin(stream, s.opts.MaxDoublings)
	k.Saver = state.NewSaver("cggibbs", stateVersion, k.list)
	k.Updates = update.Schedule{First: update.Moves{k.refreshWhenDue}, Each: update.Moves{k.sweep, k.moveScales, k.settle}}
	return k
}

// kernel is one chain.
type kernel struct {
	*setup
	stepper
	scan   *scan
	point  *glm.Point
	curved *glm.Curved // of point, or nil
	here   float64     // value of the coordinate under update: a coefficient, or the log of a dispersion or scale
}

// Step makes the univariate updates of its iteration, as many as there are
// coefficients and dispersions unless Options.Focus has a list, after a refresh of the cached linear predictor when
// one is due, and then moves the scales of horseshoe priors; all but the refresh Options.Moves times. See stepper.step.
//
// Cost: O(n·d), because the cached predictor makes one conditional O(n), or, of a
// sparse design, O(n + its non-zeros); O(n·d²) with Options.Uncached.
func (k *kernel) Step() (infer.Info, error) {
	return k.step(k, &k.Updates, k.opts.movesIn(k.Iteration, k.scan.first))
}

func (k *kernel) coordinate(j int) string { return k.Parameters()[j].Name }

func (k *kernel) ended() {}

func (k *kernel) logDensities() (logLik, logPrior float64) {
	return k.point.Value().LogLik, k.point.LogPrior()
}

// refreshWhenDue recomputes the cached linear predictor in iterations that begin with that.
func (k *kernel) refreshWhenDue() bool { return !k.due(k.opts.RefreshEvery) || k.refresh() }

// refresh recomputes the cached linear predictor.
func (k *kernel) refresh() bool {
	k.point.Refresh()
	k.Touched += k.entries() + k.point.TermReads()
	return true
}

// sweep makes the univariate updates.
func (k *kernel) sweep() bool {
	for i := range k.scan.updates(k.Iteration) {
		if !k.update(k.scan.coordinate(i, k.Iteration, k.Stream)) {
			return false
		}
	}
	return true
}

// sweepAll updates coordinates from, from + 1, … in their order.
func (k *kernel) sweepAll(from int) bool {
	for j := from; j < k.swept; j++ {
		if !k.update(j) {
			return false
		}
	}
	return true
}

func (k *kernel) settle() bool {
	k.point.Settle()
	return true
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
		k.Touched += k.read(j)
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
		k.Touched += k.entries()
	default:
		v = k.point.Along(k.coord, displacement)
		k.Touched += k.read(k.coord)
	}
	return v.LogLik + k.logPrior(k.here+displacement), v
}

// Position writes beta, the dispersions that are parameters, the scales, then the indicators.
func (k *kernel) Position(dst []float64) {
	k.point.Theta(dst)
	k.indicate(dst)
}

// SetPosition moves the chain to theta, as Position writes it, with or without the indicators, which follow from
// its coefficients; its cache fresh and its stream and iteration unchanged.
func (k *kernel) SetPosition(theta []float64) error {
	if n := len(k.widths); len(theta) != n && len(theta) != n+len(k.chosen) {
		return fmt.Errorf("cggibbs: a position of %d numbers for %d parameters", len(theta), n)
	}
	k.point.SetTheta(theta[:len(k.widths)])
	return nil
}

// Point returns the point.
func (k *kernel) Point() *glm.Point { return k.point }

// Target returns the likelihood that the point belongs to.
func (k *kernel) Target() *glm.Target { return k.target }

// LogPrior returns the log prior density of the point.
func (k *kernel) LogPrior() float64 { return k.point.LogPrior() }

// Beta writes the coefficients.
func (k *kernel) Beta(dst []float64) {
	for j := range dst {
		dst[j] = k.point.Beta(j)
	}
}

// Shift adds to the coefficients and not to eta.
func (k *kernel) Shift(delta []float64) {
	beta := make([]float64, len(delta))
	for j, x := range delta {
		beta[j] = k.point.Beta(j) + x
	}
	k.point.SetCoefficients(beta)
}
