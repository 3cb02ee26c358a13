package mixture

import "glmbatch/internal/state"

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain. Cost: O(K·d).
func (k *kernel) list(c *state.Codec) {
	c.Finite("log weights", k.LogW)
	theta := c.Finite("parameters", k.Theta)
	for i, v := range theta {
		j := i % len(k.Of)
		c.Demand(j < k.target.Cols() || k.real(j) || v > 0, "a dispersion is %v", v)
	}
	c.Rest(k.Stream)
	c.Then(k.Evaluate)
}
