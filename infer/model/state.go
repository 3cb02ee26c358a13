package model

import "glmbatch/internal/state"

// stateVersion leads the state of a chain.
const stateVersion = 2

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
	if k.law != nil {
		k.law.List(c)
	}
	c.Then(k.arrive)
	if k.joint != nil {
		k.listJoint(c)
	}
}

// listJoint lists where a chain is between sweeps, with the log likelihood as its look has rounded it.
func (k *kernel) listJoint(c *state.Codec) {
	m, flags := k.joint, byte(0)
	if m.ahead {
		flags = 1
	}
	flags = c.Flags(flags, 1)
	logLik := c.Finite("log likelihood", []float64{k.logLik})
	c.Finite("position", m.theta)
	c.Finite("proposals", m.to)
	c.Finite("squares", m.squares)
	c.Finite("log likelihoods", m.logLiks)
	c.Then(func() { m.ahead, k.logLik = flags == 1, logLik[0] })
}
