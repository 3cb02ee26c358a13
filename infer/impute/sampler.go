package impute

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
)

// chain draws the coefficients and dispersions of a reader, and its group-level effects with their standard deviations
// and correlations if it has such: a cggibbs.CoefficientsChain or a groups.Chain. Its point's linear predictor has the
// effects, so that who moves a cell need not know of them.
type chain interface {
	Step() (infer.Info, error)
	Point() *glm.Point
	Target() *glm.Target
	LogPrior() float64
	Position(dst []float64)
	SetPosition(theta []float64) error
	Start() string
	MarshalBinary() ([]byte, error)
	UnmarshalBinary(data []byte) error
}

// sampler makes the chains of a reader.
type sampler struct {
	target  *glm.Target       // without effects
	params  []infer.Parameter // the effects of levels last
	effects int               // how many these are
	explain string
	start   func(c infer.Chain) (chain, error)
}

// newSampler returns the sampler of a model, of whose design the entries of some columns are rewritten.
func newSampler(data *glm.Data, model glm.Model, by infer.Parallel, columns []int) (*sampler, error) {
	if len(data.Effects) == 0 {
		target, err := glm.NewTargetBy(by, data, model)
		if err != nil {
			return nil, err
		}
		s, err := cggibbs.NewRewritten(target, cggibbs.Options{})
		if err != nil {
			return nil, err
		}
		return &sampler{target, target.Parameters(), 0, s.Explain(),
			func(c infer.Chain) (chain, error) { return s.Kernel(c) }}, nil
	}
	s, err := groups.NewRewritten(data, model, by, columns)
	if err != nil {
		return nil, err
	}
	out := &sampler{target: s.Target(), params: s.Parameters(), explain: s.Explain(),
		start: func(c infer.Chain) (chain, error) { return s.Chain(c) }}
	for _, e := range data.Effects {
		out.effects += e.Count()
	}
	return out, nil
}

// first is how many parameters stand before the effects of levels.
func (s *sampler) first() int { return len(s.params) - s.effects }

// split writes the position of a reader's chain, the effects of levels apart from the rest.
func (r *reader) split(dst, effects []float64) {
	if r.effects == 0 {
		r.chain.Position(dst)
		return
	}
	theta := make([]float64, len(r.params))
	r.chain.Position(theta)
	copy(effects, theta[copy(dst, theta):])
}

// addEffects adds the effects of rows without a response, which are of the same levels as those of the others.
func (r *reader) addEffects(of []*design.Effects, eta []float64) {
	if c, ok := r.chain.(*groups.Chain); ok {
		c.AddEffects(of, eta)
	}
}
