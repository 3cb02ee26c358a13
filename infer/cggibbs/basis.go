package cggibbs

import (
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
	"glmbatch/internal/vec"
)

// basisSetup is the sampler in a basis. Its coordinates are u and the logs of dispersions.
type basisSetup struct {
	shared
	frame     *basis.Frame
	reduction *reduction      // nil if v is beta
	slow      *slowDirections // nil if there are none
	subspaces []*subspace     // drawn jointly after each sweep
	inBlock   []bool          // coordinates that seldom move by themselves; nil: none
	blocks    *blocks         // nil if coordinates move one at a time
	byRow     *rowDirections  // nil if sweeps are of coordinates
}

// basisWidth is the unit of slice widths in a rotated basis, where coordinates
// have a standard deviation near 1.
const basisWidth = 2.5

// newBasis returns the sampler in opts.Basis, or in the coordinate basis where
// that one cannot be made.
func newBasis(target *glm.Target, opts Options) (infer.Setup, error) {
	update, err := opts.update(target.Model())
	if err != nil {
		return nil, err
	}
	s := &basisSetup{shared: shared{target: target, opts: opts}}
	s.opts.Update = update
	if opts.Joint == "" {
		s.opts.Joint = "off"
	}
	if err := s.choose(); err != nil {
		return instead(target, opts, fmt.Sprintf("%s cannot be made: %v", opts.Basis, err)), nil
	}
	_, k := s.frame.Design.Size()
	s.widths = make([]float64, k+target.Dim()-target.Cols())
	for j := range s.widths {
		switch {
		case j >= k:
			s.widths[j] = opts.Width // the log of a dispersion
		case opts.Basis == "coordinate":
			s.widths[j] = opts.Width * unit(target, j)
		default:
			s.widths[j] = opts.Width * basisWidth
		}
	}
	if s.scan = newScan(target, opts, len(s.widths)); s.scan.words != "" {
		s.words += "; " + s.scan.words
	}
	if s.subspaces != nil {
		if err := s.tune(); err != nil {
			return nil, err
		}
	}
	if s.reduction != nil {
		if s.opts.Update == "rows" {
			s.moveByRows()
		}
		return &reducedSetup{s}, nil
	}
	if s.opts.Joint != "off" {
		return s.moved(opts.Update), nil
	}
	return s, nil
}

// choose makes the frame.
func (s *basisSetup) choose() (err error) {
	t := s.target
	if t.Scales() > 0 {
		return errors.New("the scales of horseshoe priors and smooths move beside single coefficients only")
	}
	data, priors := t.Data(), t.Model().Coefficients
	d := data.Cols()
	offset := make([]float64, data.Rows())
	copy(offset, data.Offset)
	switch s.opts.Basis {
	case "coordinate":
		s.frame = basis.NewFrame(t, data.X, offset, priors, make([]float64, d), nil)
		s.words = fmt.Sprintf("coordinate: each of %d coefficients by itself", d)
		if s.opts.Blocks != nil {
			s.layBlocks()
		}
		if s.opts.followed() {
			s.findSlow()
		}
	case "rotated":
		gain := basis.NewtonGain
		if s.opts.Joint != "off" {
			gain = jointGain // proposals need the mode
		}
		s.frame, err = basis.RotateAt(t, data.X, offset, priors, t.Penalised(), gain)
		s.words = fmt.Sprintf("rotated: %d coefficients in the basis of the Cholesky factor of the curvature at the "+
			"penalised point", d)
	case "reduced":
		if s.reduction, err = reduce(t); err != nil {
			return err
		}
		p, peak := s.reduction, t.Penalised()
		u := make([]float64, p.design.Cols, p.design.Cols+t.Dim()-d)
		p.sampled(peak[:d], u)
		s.frame, err = basis.Rotate(t, p.design, p.offset, p.priors(), append(u, peak[d:]...))
		s.words = fmt.Sprintf("reduced: the likelihood sees %d directions of %d coefficients with normal priors, "+
			"sampled with %d others; the rest is drawn from the prior", p.space.Rank, len(p.normal), len(p.kept))
	default:
		err = errors.New("no such basis")
	}
	return err
}

// Explain says which coordinates are sampled.
func (s *basisSetup) Explain() string { return s.words + "; updates: " + s.opts.Update }

// Parameters describes the coefficients and then the dispersions.
func (s *basisSetup) Parameters() []infer.Parameter { return s.target.Parameters() }

// Kernel returns one chain at its dispersed start.
func (s *basisSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if err := checkStream(c); err != nil {
		return nil, err
	}
	k := s.fresh(c.Stream)
	k.scan, k.adapting = s.scan.of(c), int64(c.Warmup)
	k.key = c.Stream.Uint64()
	k.layMoves()
	theta, words := s.target.Start(c)
	k.Words = words
	k.place(theta[:s.target.Cols()], theta[s.target.Cols():])
	return k, nil
}

// fresh returns a kernel that is nowhere yet.
func (s *basisSetup) fresh(stream *infer.Stream) *basisKernel {
	k := &basisKernel{basisSetup: s, scan: s.scan, point: glm.NewCurved(glm.NewPoint(s.frame.Like))}
	k.Updates = update.Schedule{First: update.Moves{k.refreshWhenDue, k.sweepPlainlyWhenDue},
		Each: update.Moves{k.sweepNext}}
	k.Saver = state.NewSaver("cggibbs", basisStateVersion, k.list)
	k.begin(stream, s.opts.MaxDoublings)
	k.line = line{Frame: s.frame, v: make([]float64, len(s.frame.Origin))}
	k.u = make([]float64, len(s.widths))
	if s.opts.plain > 0 {
		k.plain = newPlainSweeps(k)
	}
	if s.reduction != nil {
		k.hidden = newHidden(s.reduction)
		k.scale, k.rowMove = newScaler(s), newRowMove(s)
	}
	return k
}

// z returns the entries of v that are z.
func (k *basisKernel) z() []float64 { return k.line.v[len(k.reduction.kept):] }

// place moves the chain to coefficients beta and the logs of dispersions.
func (k *basisKernel) place(beta, logs []float64) {
	if k.reduction != nil {
		k.reduction.sampled(beta, k.line.v)
	} else {
		copy(k.line.v, beta)
	}
	dim := len(k.line.v)
	k.frame.Coordinates(k.line.v, k.u[:dim])
	copy(k.u[dim:], logs)
	k.point.SetUnconstrained(k.u)
	k.arrive()
}

// renew recomputes u and v from the point.
func (k *basisKernel) renew() {
	k.point.Unconstrained(k.u)
	k.frame.Values(k.u[:len(k.line.v)], k.line.v)
}

// arrive brings all that follows from u and the iteration up to date: v, and what
// the likelihood does not see.
func (k *basisKernel) arrive() {
	k.renew()
	if k.reduction != nil {
		k.hidden.arrive(k.key, k.Iteration, k.z())
	}
}

// Position writes beta, then the dispersions that are parameters.
func (k *basisKernel) Position(dst []float64) {
	d := k.target.Cols()
	if p := k.reduction; p != nil {
		for i, j := range p.kept {
			dst[j] = k.line.v[i]
		}
		k.hidden.position(dst)
	} else {
		copy(dst, k.line.v)
	}
	k.dispersions(dst[d:])
}

// dispersions writes those that are parameters.
func (k *basisKernel) dispersions(dst []float64) {
	k.frame.Like.Constrain(k.u, k.theta())
	copy(dst, k.theta()[len(k.line.v):])
}

// theta is scratch as long as u.
func (k *basisKernel) theta() []float64 {
	if k.scratch == nil {
		k.scratch = make([]float64, len(k.u))
	}
	return k.scratch
}

// SetPosition moves the chain to theta, as Position writes it, its cache fresh and
// its stream and iteration as they are. In the reduced basis what the likelihood
// does not see of theta is that of the iteration.
func (k *basisKernel) SetPosition(theta []float64) error {
	d := k.target.Cols()
	if len(theta) != k.target.Dim() {
		return fmt.Errorf("cggibbs: a position of %d numbers for %d parameters", len(theta), k.target.Dim())
	}
	u := make([]float64, len(theta))
	k.target.Unconstrain(theta, u)
	k.place(u[:d], u[d:])
	return nil
}

// Key names the numbers ε of this chain.
func (k *basisKernel) Key() uint64 { return k.key }

// LogPrior returns the log prior density of the position.
func (k *basisKernel) LogPrior() float64 {
	value := k.point.LogDispersionPrior()
	p := k.reduction
	if p == nil {
		return value + k.frame.LogPrior(k.line.v)
	}
	for i, j := range p.kept {
		value += p.target.Model().Coefficients[j].LogDensity(k.line.v[i])
	}
	return value + (p.constant - 0.5*(vec.SumSquares(k.z())+k.hidden.residual()))
}

// Point returns the point.
func (k *basisKernel) Point() *glm.Point { return k.point.Point }

// Target returns the likelihood that the point belongs to.
func (k *basisKernel) Target() *glm.Target { return k.frame.Like }

// Beta writes the coefficients.
func (k *basisKernel) Beta(dst []float64) { copy(dst, k.line.v) }

// Shift adds to the coefficients and not to eta.
func (k *basisKernel) Shift(delta []float64) {
	for j, x := range delta {
		k.line.v[j] += x
	}
	k.frame.Coordinates(k.line.v, k.u[:len(delta)])
	k.point.SetCoefficients(k.u[:len(delta)])
	k.frame.Values(k.u[:len(delta)], k.line.v)
}
