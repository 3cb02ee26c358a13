package groups

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
)

// A Chain moves the coefficients and dispersions of one linear predictor, and its effects with their sds and
// correlations if it has such: a cggibbs.CoefficientsChain, or a chain of New's sampler. Between its steps the owner
// rewrites entries of the design or responses, or changes what other predictors leave, by methods of the point.
type Chain interface {
	infer.Kernel
	// SetPosition moves the chain, as Position writes it.
	SetPosition(theta []float64) error
	// Point returns the point, effects included, and Target the likelihood that it belongs to.
	Point() *glm.Point
	Target() *glm.Target
	// Beta writes the coefficients.
	Beta(dst []float64)
	// Displace adds to the coefficients, and to eta step = X·delta.
	Displace(delta, step []float64)
	// LogPrior returns the log prior density of the position, that of effects given their scales included.
	LogPrior() float64
}

// A Sampler makes the chains of one linear predictor.
type Sampler struct {
	Target  *glm.Target       // without effects
	Params  []infer.Parameter // the effects of levels last
	Effects int               // how many these are
	Explain string
	Start   func(c infer.Chain) (Chain, error) // a chain at its dispersed start
	// Carry adds a number to eta of all rows by effects, where numbers outside take it back, so that priors alone
	// decide: outside is their log prior density after a move by delta. It returns the number, and false if a log density
	// was not finite. Without such effects it is 0. Samplers of NewOrdered have it. Cost: O(n).
	Carry func(c Chain, outside func(delta float64) float64) (delta float64, ok bool)
}

// NewRewritten returns the sampler of a model whose owner rewrites entries of some columns of the design, which is
// dense, or responses, as package impute does with missing cells; terms of effects stay. The sampler has no sums that
// rest on entries: coefficients are those of cggibbs.NewRewritten, and no column that changes is shifted against
// effects. It returns the same errors as New.
func NewRewritten(data *glm.Data, model glm.Model, by infer.Parallel, columns []int) (*Sampler, error) {
	return newSampler(data, model, by, Options{rewritten: &rewriting{columns}}, cggibbs.Options{})
}

// rewriting has the columns of the design whose entries change.
type rewriting struct{ columns []int }

// NewOrdered returns the sampler of data whose rows keep their order, because other predictors of the same rows move
// too: glm.Point.AddRest adds what these leave. It returns the same errors as New.
func NewOrdered(data *glm.Data, model glm.Model, by infer.Parallel) (*Sampler, error) {
	plain := cggibbs.Options{Basis: "rotated", Update: "stepping_out", PlainTimes: orderedPlain}
	if Sparse(data) || len(data.Smooths) > 0 { // whose coefficients are proposed at once
		plain.Basis = "coordinate"
	}
	if model.Family.Custom != "" {
		plain.MaxDoublings = customDoublings
	}
	return newSampler(data, model, by, Options{ordered: true}, plain)
}

// customDoublings bounds the steps of a slice by 2^customDoublings, because a density of a user's own may be flat over
// millions of widths. An update that is cut off there stays exact.
const customDoublings = 10

// orderedPlain is how many times as seldom as elsewhere a chain of NewOrdered makes plain sweeps, which would take a
// third of its time.
const orderedPlain = 4

// newSampler returns the sampler of a model, whose coefficients move by plain if it has no effects.
func newSampler(data *glm.Data, model glm.Model, by infer.Parallel, o Options, plain cggibbs.Options,
) (*Sampler, error) {
	if len(data.Effects) == 0 {
		target, err := glm.NewTargetBy(by, data, model)
		if err != nil {
			return nil, err
		}
		s, err := o.newFixed(target, plain)
		if err != nil {
			return nil, err
		}
		return &Sampler{Target: target, Params: target.Parameters(), Explain: s.Explain(),
			Start: func(c infer.Chain) (Chain, error) { return s.Kernel(c) },
			Carry: func(Chain, func(float64) float64) (float64, bool) { return 0, true }}, nil
	}
	s, err := newSetup(data, model, by, o)
	if err != nil {
		return nil, err
	}
	out := &Sampler{Target: s.target, Params: s.params, Explain: s.Explain(),
		Start: func(c infer.Chain) (Chain, error) { return s.newKernel(c) },
		Carry: func(c Chain, outside func(float64) float64) (float64, bool) { return c.(*kernel).carry(outside) }}
	for _, e := range data.Effects {
		out.Effects += e.Count()
	}
	return out, nil
}

// newFixed makes the sampler of coefficients and dispersions.
func (o *Options) newFixed(target *glm.Target, options cggibbs.Options) (*cggibbs.Coefficients, error) {
	if o.rewritten != nil {
		return cggibbs.NewRewritten(target, options)
	}
	return cggibbs.NewCoefficients(target, options)
}

// First is the number of parameters before the effects of levels.
func (s *Sampler) First() int { return len(s.Params) - s.Effects }

// Read writes the position of a chain, the effects of levels apart from the others.
func (s *Sampler) Read(c Chain, head, effects []float64) {
	if s.Effects == 0 {
		c.Position(head)
		return
	}
	theta := make([]float64, len(s.Params))
	c.Position(theta)
	copy(effects, theta[copy(head, theta):])
}

// Point returns the point, effects included.
func (k *kernel) Point() *glm.Point { return k.point }

// Target returns the likelihood that the point belongs to.
func (k *kernel) Target() *glm.Target { return k.fixed.Target() }

// Beta writes the coefficients.
func (k *kernel) Beta(dst []float64) { k.fixed.Beta(dst) }

// Displace adds to the coefficients, and to eta step = X·delta.
func (k *kernel) Displace(delta, step []float64) { k.fixed.Displace(delta, step) }
