package groups

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// Rewritten is the sampler of a model whose design, or whose responses, somebody else rewrites between the steps of a
// chain, as package impute does with missing cells. It has no sums of the design that rest on its entries: the
// coefficients are those of cggibbs.NewRewritten, and no column that changes is shifted against effects.
type Rewritten struct{ *setup }

// NewRewritten returns the sampler of data with a dense design, of which the entries of some columns change; terms of
// effects do not. Errors are those of New.
func NewRewritten(data *glm.Data, model glm.Model, by infer.Parallel, columns []int) (*Rewritten, error) {
	s, err := newSetup(data, model, by, Options{rewritten: &rewriting{columns}})
	return &Rewritten{s}, err
}

// rewriting has the columns of the design whose entries change.
type rewriting struct{ columns []int }

// NewOrdered returns the sampler of data whose rows keep their order, because other predictors of the same rows move
// too: glm.Point.AddRest adds what these leave. Errors are those of New.
func NewOrdered(data *glm.Data, model glm.Model, by infer.Parallel) (*Rewritten, error) {
	s, err := newSetup(data, model, by, Options{ordered: true})
	return &Rewritten{s}, err
}

// Target returns the model without its effects.
func (r *Rewritten) Target() *glm.Target { return r.target }

// Chain returns one chain at its dispersed start.
func (r *Rewritten) Chain(c infer.Chain) (*Chain, error) {
	k, err := r.newKernel(c)
	return &Chain{k}, err
}

// Chain is a chain of coefficients, dispersions and effects, with the methods of a cggibbs.CoefficientsChain. Effects
// are terms of its linear predictor, and its own Step moves them.
type Chain struct{ *kernel }

// Point returns the point, effects included.
func (c *Chain) Point() *glm.Point { return c.point }

// Target returns the likelihood that the point belongs to, whose entries and responses are to be rewritten.
func (c *Chain) Target() *glm.Target { return c.fixed.Target() }

// Beta writes the coefficients.
func (c *Chain) Beta(dst []float64) { c.fixed.Beta(dst) }

// Displace adds to the coefficients, and to eta step = X·delta.
func (c *Chain) Displace(delta, step []float64) { c.fixed.Displace(delta, step) }

// LogPrior returns the log prior density of the position, that of effects given their scales included.
func (c *Chain) LogPrior() float64 { return c.logPrior() }

// AddEffects adds the effects of other rows to eta; they are those of the model, by the same levels.
func (c *Chain) AddEffects(effects []*design.Effects, eta []float64) {
	for i, g := range c.groups {
		effects[i].AddTo(eta, 0, g.r, eta)
	}
}

// newFixed makes the sampler of coefficients and dispersions.
func (o *Options) newFixed(target *glm.Target, options cggibbs.Options) (*cggibbs.Coefficients, error) {
	if o.rewritten != nil {
		return cggibbs.NewRewritten(target, options)
	}
	return cggibbs.NewCoefficients(target, options)
}
