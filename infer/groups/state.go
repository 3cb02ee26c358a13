package groups

import (
	"math"
	"slices"

	"glmbatch/internal/state"
)

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain; with the cached linear predictor unless a refresh is due. Coefficients come last:
// their cache is that of a point with the effects.
func (k *kernel) list(c *state.Codec) {
	c.Count("iteration", &k.Iteration)
	for _, g := range k.groups {
		r := c.Finite("effects", slices.Clone(g.r))
		for _, u := range c.Finite("sds", g.logSD) {
			c.Demand(math.Abs(u) <= logRange, "a log sd is %v", u)
		}
		for _, y := range c.Finite("correlations", g.partial) {
			c.Demand(math.Abs(y) <= partialRange, "the atanh of a partial correlation is %v", y)
		}
		c.Exchange(func() {
			copy(g.to, g.r)
			k.point.Assign(g.effects, r)
			copy(r, g.to)
		})
		c.Then(g.settle)
	}
	c.Rest(k.fixed)
}
