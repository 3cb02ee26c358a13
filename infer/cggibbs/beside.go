package cggibbs

import (
	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// Beside makes chains of the coefficients and dispersions of a model whose linear predictor has another part, that
// of group-level effects, which somebody else moves.
type Beside struct {
	setup infer.Setup
	plain *setup       // of the coordinate sampler, or nil
	basis *basisSetup  // or nil
	form  *smoothSetup // of a plain sampler of smooths, or of a rewritten design, for drifts; or nil

	rewritten bool // each chain has a design of its own
}

// NewBeside returns the sampler of the posterior that has nothing beside its design: in opts.Basis, "coordinate" or
// "rotated", or where that cannot be made in the coordinate basis. Errors are those of New.
func NewBeside(target *glm.Target, opts Options) (*Beside, error) {
	opts.Joint, opts.Moves = "off", 1
	if !target.LogConcave() {
		c := countsOf(target)
		opts.plain = c.plainEvery(target, c.scheme("rotated").sampled(1))
	}
	s, err := New(target, opts)
	if err != nil {
		return nil, err
	}
	b := &Beside{setup: s}
	if f, ok := s.(*fallback); ok {
		s = f.Setup
	}
	switch s := s.(type) {
	case *setup:
		b.plain = s
	case *basisSetup:
		b.basis = s
	default:
		return nil, &OptionError{"basis", opts.Basis, `"coordinate" or "rotated" beside other parts of eta`}
	}
	if b.plain != nil && smooth(target) && target.Cols() <= mostJoint && !target.ClosedGaussian() {
		b.form = approximate(b.plain)
	}
	return b, nil
}

// NewRewritten returns the sampler of a posterior whose entries and responses somebody else rewrites between steps, in
// the copy of the design that each chain has: see glm.Target.Rewritable. Coefficients are proposed at once about a
// Newton step, with the curvature of the first design; a sweep over them comes in every 8th iteration, of tall data in
// every 32nd. Errors are those of New.
func NewRewritten(target *glm.Target, opts Options) (*Beside, error) {
	opts.Basis = "coordinate"
	b, err := NewBeside(target, opts)
	if err != nil {
		return nil, err
	}
	b.rewritten = true
	if b.form == nil && b.plain.target.Cols() <= mostJoint {
		b.form = approximate(b.plain)
	}
	return b, nil
}

// Explain says which coordinates are sampled.
func (b *Beside) Explain() string {
	if e, ok := b.setup.(infer.Explainer); ok {
		return e.Explain() + b.drifting()
	}
	return "coordinate: each coefficient by itself"
}

// BesideChain is a chain of coefficients and dispersions: a Step is a sweep given what stands beside them.
type BesideChain struct {
	plain *kernel      // or nil
	basis *basisKernel // or nil
	base  []float64    // offset without the other part
	part  []float64    // offset with it, the chain's own
	drift *drifting    // or nil
}

// Kernel returns a chain at its dispersed start with nothing beside it yet.
func (b *Beside) Kernel(c infer.Chain) (*BesideChain, error) {
	out := &BesideChain{}
	var k infer.Kernel
	var err error
	if b.plain != nil {
		own := *b.plain
		if b.rewritten {
			own.target = own.target.Rewritable()
		}
		own.target = out.of(own.target)
		k, err = own.Kernel(c)
		out.plain, _ = k.(*kernel)
		if err == nil && b.form != nil {
			out.drift = newDrifting(b.form, out.plain)
			if b.rewritten {
				out.drift.proposals = 1
				if glm.Tall(own.target.Rows()) {
					out.drift.every = tallDriftEvery
				}
			}
		}
		return out, err
	}
	own, frame := *b.basis, *b.basis.frame
	frame.Like = out.of(frame.Like)
	own.frame = &frame
	k, err = own.Kernel(c)
	out.basis, _ = k.(*basisKernel)
	return out, err
}

// of gives a target an offset of the chain's own.
func (b *BesideChain) of(t *glm.Target) *glm.Target {
	b.base = make([]float64, t.Rows())
	copy(b.base, t.Data().Offset)
	b.part = append([]float64(nil), b.base...)
	return t.WithOffset(b.part)
}

// kernel returns the chain itself.
func (b *BesideChain) kernel() infer.Kernel {
	if b.plain != nil {
		return b.plain
	}
	return b.basis
}

// Due reports whether the next Step begins with a refresh, before which Set must tell what stands beside.
func (b *BesideChain) Due() bool {
	if b.plain != nil {
		return b.plain.refreshDue()
	}
	return b.basis.refreshDue()
}

// Set makes the offset anew, from which a refresh, or a state that is read, starts: add adds what stands beside
// X·beta.
func (b *BesideChain) Set(add func(eta []float64)) {
	copy(b.part, b.base)
	add(b.part)
}

// Point returns the point with its cached linear predictor. Who moves that tells so by Moved.
func (b *BesideChain) Point() *glm.Predictor {
	if b.plain != nil {
		return b.plain.point
	}
	return b.basis.point.Predictor
}

// Moved tells that eta was moved.
func (b *BesideChain) Moved() {
	if b.basis != nil {
		b.basis.point.Stale()
	}
}

// Target returns the likelihood that the point belongs to.
func (b *BesideChain) Target() *glm.Target {
	if b.plain != nil {
		return b.plain.target
	}
	return b.basis.frame.Like
}

// Step makes one sweep; with smooths most iterations have moves of all coefficients at once in its place.
func (b *BesideChain) Step() (infer.Info, error) {
	if b.drift != nil && !b.drift.swept() {
		return b.drift.step()
	}
	return b.kernel().Step()
}

// StepDispersions is Step of the coordinate sampler without its coefficients, which somebody else moves, by Shift. It
// panics in another basis.
func (b *BesideChain) StepDispersions() (infer.Info, error) {
	k := b.plain
	k.begin()
	if !k.moveDispersions() {
		return infer.Info{}, k.nonFinite()
	}
	k.iteration++
	return infer.Info{Evaluations: k.slice.evaluations, Touched: k.touched}, nil
}

// begin begins an iteration, with a refresh when one is due.
func (k *kernel) begin() {
	k.touched, k.slice.evaluations = 0, 0
	if k.refreshDue() {
		k.point.Refresh()
		k.touched += k.entries()
	}
}

// moveDispersions moves the logs of dispersions.
func (k *kernel) moveDispersions() bool {
	for j := k.target.Cols(); j < k.sweep; j++ {
		if !k.update(j) {
			return false
		}
	}
	return true
}

// DrawSmooths moves the standard deviations of smooths given a closed gaussian likelihood precision·(linearᵀb −
// ½·bᵀ·gram·b), with the coefficients integrated out, and draws the coefficients given them, which the caller moves;
// nil where rounding has lost a rank. ok is false where a log density was not finite. It panics in another basis.
func (b *BesideChain) DrawSmooths(gram, linear []float64, precision float64) (beta []float64, ok bool) {
	d, target := len(linear), b.plain.target
	form, priors := &quadratic{d: d, gram: gram, linear: linear}, newNormals(d)
	priors.lay(target.Model().Coefficients, b.plain.point.Spread)
	for _, h := range target.Groups() {
		if !h.Smooth {
			continue
		}
		m := form.marginal(&h, priors, precision)
		if m == nil {
			return nil, true
		}
		to, ok := m.move(&b.plain.slice, b.plain.point.LogScale(h.Tau))
		if !ok {
			return nil, false
		}
		b.plain.point.SetLogScale(h.Tau, to)
		priors.spread(h.Columns, to)
	}
	return form.draw(b.plain.stream, priors, precision), true
}

// LogPrior returns the log prior density of coefficients and dispersions.
func (b *BesideChain) LogPrior() float64 {
	if b.plain != nil {
		return b.plain.point.LogPrior()
	}
	return b.basis.logPrior()
}

// Position writes the coefficients, the dispersions and the scales of priors.
func (b *BesideChain) Position(dst []float64) { b.kernel().Position(dst) }

// SetPosition moves the chain, as Position writes it.
func (b *BesideChain) SetPosition(theta []float64) error {
	return b.kernel().(interface{ SetPosition([]float64) error }).SetPosition(theta)
}

// Start says how the starting point was drawn.
func (b *BesideChain) Start() string { return b.kernel().Start() }

// Shift adds to the coefficients where what stands beside X·beta takes the move back, so that eta stays, or where the
// caller moves eta. Cost: O(d²).
func (b *BesideChain) Shift(delta []float64) {
	if b.plain != nil {
		d := len(delta)
		u := b.plain.point
		beta := make([]float64, d)
		for j := range beta {
			beta[j] = u.Beta(j) + delta[j]
		}
		u.SetCoefficients(beta)
		return
	}
	k := b.basis
	for j, x := range delta {
		k.line.v[j] += x
	}
	k.frame.Coordinates(k.line.v, k.u[:len(delta)])
	k.point.SetCoefficients(k.u[:len(delta)])
	k.frame.Values(k.u[:len(delta)], k.line.v)
}

// MarshalBinary returns the state of the chain, without what stands beside it.
func (b *BesideChain) MarshalBinary() ([]byte, error) { return b.kernel().MarshalBinary() }

// UnmarshalBinary restores a state, after Set.
func (b *BesideChain) UnmarshalBinary(data []byte) error { return b.kernel().UnmarshalBinary(data) }

// Slicer makes univariate slice updates for a neighbour of this sampler: with doubling, or by steps of one width where
// Stepping says so, of which few are needed where the width is of the size of the slice.
type Slicer struct {
	slicer
	Stepping bool
}

// NewSlicer returns one that draws from a source.
func NewSlicer(source variate.Source) *Slicer { return &Slicer{slicer: slicer{source: source}} }

// function is a log density as a function.
type function func(displacement float64) (float64, glm.Value)

func (f function) at(displacement float64) (float64, glm.Value) { return f(displacement) }

// Update returns a displacement from the current point, where the log density f is current; see slicer.update. The
// interval is at most 2^doublings widths long.
func (s *Slicer) Update(f func(displacement float64) (float64, glm.Value), current, width float64,
	doublings int,
) (displacement float64, v glm.Value, moved, ok bool) {
	s.limit = doublings
	if s.Stepping {
		return s.updateStepping(function(f), current, width)
	}
	return s.update(function(f), current, width)
}

// Evaluations counts log density evaluations since the slicer was made.
func (s *Slicer) Evaluations() int64 { return s.evaluations }

// Bad returns the log density that was NaN or +Inf where Update said so.
func (s *Slicer) Bad() float64 { return s.badValue }

// Beta writes the coefficients.
func (b *BesideChain) Beta(dst []float64) {
	if b.basis != nil {
		copy(dst, b.basis.line.v)
		return
	}
	for j := range dst {
		dst[j] = b.plain.point.Beta(j)
	}
}
