package cggibbs

import (
	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
)

// Coefficients makes chains of the coefficients and dispersions of a model whose linear predictor has other terms, such
// as group-level effects, which their owner moves by methods of the chain's Point.
type Coefficients struct {
	plain *setup       // the coordinate sampler, or nil
	basis *basisSetup  // or nil
	form  *smoothSetup // of a plain sampler of smooths, or of a rewritten design, for drifts; or nil

	rewritten bool // each chain has a design of its own
	proposed  bool // of NewProposed
}

// NewCoefficients returns the sampler of the posterior without other terms: in opts.Basis, "coordinate" or
// "rotated", or where that cannot be made in the coordinate basis. Errors are those of New.
func NewCoefficients(target *glm.Target, opts Options) (*Coefficients, error) {
	opts.Joint, opts.Moves = "off", 1
	if !target.LogConcave() {
		c := countsOf(target)
		opts.plain = c.plainEvery(target, c.scheme("rotated").sampled(1)) * max(1, opts.PlainTimes)
	}
	s, err := New(target, opts)
	if err != nil {
		return nil, err
	}
	b := &Coefficients{}
	switch s := s.(type) {
	case *setup:
		b.plain = s
	case *basisSetup:
		b.basis = s
	default:
		return nil, &OptionError{"basis", opts.Basis, `"coordinate" or "rotated" beside other parts of eta`}
	}
	if b.plain != nil && smooth(target) && target.Cols() <= maxJoint && !target.ClosedGaussian() {
		b.form = approximate(b.plain)
	}
	return b, nil
}

// NewRewritten returns the sampler of a posterior with cells among its entries and responses: each chain has a copy of
// the design, which its Point writes; see glm.Target.Rewritable. Coefficients are proposed at once about a
// Newton step, with the curvature of the first design; a sweep over them comes in every 8th iteration, of tall data in
// every 32nd. Errors are those of New.
func NewRewritten(target *glm.Target, opts Options) (*Coefficients, error) {
	opts.Basis = "coordinate"
	b, err := NewCoefficients(target, opts)
	if err != nil {
		return nil, err
	}
	b.rewritten = true
	if b.form == nil && b.plain.target.Cols() <= maxJoint {
		b.form = approximate(b.plain)
	}
	return b, nil
}

// NewProposed returns the sampler of a posterior whose likelihood other linear predictors and effects change:
// coefficients are proposed at once about a Newton step, with the curvature that these leave. A sweep over them comes
// in every 16th iteration. It returns the same errors as New.
func NewProposed(target *glm.Target, opts Options) (*Coefficients, error) {
	opts.Basis = "coordinate"
	b, err := NewCoefficients(target, opts)
	if err != nil {
		return nil, err
	}
	if b.plain != nil && b.form == nil {
		b.form, b.proposed = approximate(b.plain), true
	}
	return b, nil
}

// MayPropose reports whether NewProposed serves a target, by the number of its coefficients.
func MayPropose(target *glm.Target) bool {
	return minProposed <= target.Cols() && target.Cols() <= maxJoint && !smooth(target)
}

// Explain says which coordinates are sampled.
func (b *Coefficients) Explain() string {
	switch {
	case b.basis != nil:
		return b.basis.Explain()
	case b.plain.words != "":
		return b.plain.words + b.drifting()
	}
	return "coordinate: each coefficient by itself"
}

// CoefficientsChain is a chain of coefficients and dispersions: a Step is a sweep given the other terms.
type CoefficientsChain struct {
	conditional
	plain       *kernel   // the coordinate sampler, or nil
	drift       *drifting // or nil
	dispersions update.Schedule
}

// conditional is a kernel whose linear predictor may have other terms.
type conditional interface {
	infer.Kernel
	// SetPosition moves the chain, as Position writes it.
	SetPosition(theta []float64) error
	// Point returns the point, and Target the likelihood that it belongs to.
	Point() *glm.Point
	Target() *glm.Target
	// Beta writes the coefficients.
	Beta(dst []float64)
	// LogPrior returns the log prior density of coefficients and dispersions.
	LogPrior() float64
	// Shift adds to the coefficients and not to eta, because effects take the change back. Cost: O(d²).
	Shift(delta []float64)
}

// Kernel returns a chain at its dispersed start without other terms.
func (b *Coefficients) Kernel(c infer.Chain) (*CoefficientsChain, error) {
	if b.basis != nil {
		k, err := b.basis.Kernel(c)
		if err != nil {
			return nil, err
		}
		return &CoefficientsChain{conditional: k.(*basisKernel)}, nil
	}
	own := *b.plain
	if b.rewritten {
		own.target = own.target.Rewritable()
	}
	made, err := own.Kernel(c)
	if err != nil {
		return nil, err
	}
	k := made.(*kernel)
	out := &CoefficientsChain{conditional: k, plain: k,
		dispersions: update.Schedule{First: update.Moves{k.refreshWhenDue, k.moveDispersions}}}
	if b.form != nil {
		out.drift = newDrifting(b.form, k)
		if b.proposed {
			out.drift.follows, out.drift.every = true, proposedEvery
		}
		if b.rewritten {
			out.drift.count = 1
			if glm.Tall(own.target.Rows()) {
				out.drift.every = tallDriftEvery
			}
		}
	}
	return out, nil
}

// Step makes one sweep; with smooths most iterations have moves of all coefficients at once in its place.
func (b *CoefficientsChain) Step() (infer.Info, error) {
	b.Point().Begin()
	if b.drift != nil && !b.drift.swept() {
		return b.drift.step()
	}
	return b.conditional.Step()
}

// StepDispersions is Step of the coordinate sampler without its coefficients, which the caller draws. It panics in
// another basis.
func (b *CoefficientsChain) StepDispersions() (infer.Info, error) {
	k := b.plain
	k.point.Begin()
	err := k.run(k, &b.dispersions, 0)
	return infer.Info{Evaluations: k.Evaluations, Touched: k.Touched}, err
}

// moveDispersions moves the logs of dispersions.
func (k *kernel) moveDispersions() bool { return k.sweepAll(k.target.Cols()) }

// DrawSmooths moves the standard deviations of smooths given a closed gaussian likelihood precision·(linearᵀb −
// ½·bᵀ·gram·b), with the coefficients integrated out, and draws the coefficients given them, which the caller moves;
// nil if rounding has lost a rank. ok is false if a log density was not finite. It panics in another basis.
func (b *CoefficientsChain) DrawSmooths(gram, linear []float64, precision float64) (beta []float64, ok bool) {
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
		to, ok := m.move(&b.plain.slice, scalesAt(b.plain.point, &h))
		if !ok {
			return nil, false
		}
		setScales(b.plain.point, &h, to)
		priors.spreadBy(&h, to)
	}
	return form.draw(b.plain.Stream, priors, precision), true
}

// Displace adds to the coefficients, and to eta step = X·delta. Cost: O(n + d²).
func (b *CoefficientsChain) Displace(delta, step []float64) {
	b.Shift(delta)
	b.Point().Translate(1, step)
}

// Slicer makes univariate slice updates for a neighbour of this sampler: with doubling, or by steps of one width where
// Stepping says so, of which few are needed where the width is of the size of the slice.
type Slicer struct {
	slicer
	Stepping bool
}

// NewSlicer returns one that draws from a source, and counts in looks.
func NewSlicer(source variate.Source, looks *update.Looks) *Slicer {
	return &Slicer{slicer: slicer{Looks: looks, source: source}}
}

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
