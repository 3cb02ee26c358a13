package cggibbs

import (
	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Conditional makes sweeps over coefficients and dispersions given rows that change from one sweep to the next, for a
// neighbour of this sampler: that of mixtures. It belongs to one chain.
type Conditional struct{ k *kernel }

// NewConditional returns sweeps over the posterior of a part, by slices in the coordinate basis that draw from a
// stream. The priors must be proper and none of them a horseshoe.
func NewConditional(part *glm.Part, stream *infer.Stream) (*Conditional, error) {
	opts, err := Options{Basis: "coordinate", Kernels: "scalar", RefreshEvery: -1}.filled()
	if err != nil {
		return nil, err
	}
	s := newSetup(part.Target(), opts) // whose passes are those of the part, vector ones
	return &Conditional{s.fresh(stream, s.scan.of(infer.Chain{}))}, nil
}

// Sweep moves theta, as glm.Target.Parameters describes it, by one update of each entry given the rows that the
// part has now. The cached linear predictor of these rows is recomputed from theta, so that theta and the stream
// are the whole state. Cost: O(rows·d). It returns a *update.NonFiniteError, with theta unchanged, if a log density
// is not a number.
func (c *Conditional) Sweep(theta []float64) (infer.Info, error) {
	c.k.point.SetTheta(theta)
	info, err := c.k.Step()
	if err == nil {
		c.k.point.Theta(theta)
	}
	return info, err
}
