package model

import "glmbatch/internal/state"

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain: that of each predictor's.
func (k *kernel) list(c *state.Codec) {
	c.Count("iteration", &k.Iteration)
	for _, own := range k.chains {
		c.Sized(own)
	}
	for _, move := range k.steps {
		if move != nil {
			c.Finite("steps", move.c)
		}
	}
	if k.cut != nil {
		c.Finite("thresholds", k.cut.tau)
	}
	for _, l := range k.linked {
		l.List(c)
	}
	c.Then(k.arrive)
}
