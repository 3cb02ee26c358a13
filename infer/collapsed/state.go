package collapsed

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain: a byte for each row, and the parameters.
func (k *kernel) list(c *state.Codec) {
	c.Same("rows", len(k.labels))
	labels := c.Bytes(k.labels)
	if i := slices.IndexFunc(labels, func(l uint8) bool { return int(l) >= k.Components }); i >= 0 {
		c.Demand(false, "label %d of row %d; there are %d components", labels[i], i+1, k.Components)
	}
	c.Finite("log weights", k.LogW)
	for i, v := range c.Finite("parameters", k.Theta) {
		p := k.Of[i%len(k.Of)]
		c.Demand(p.Kind != infer.Dispersion || v > 0 || correlation(p), "%s is %v", p.Name, v)
		c.Demand(p.Kind != infer.Probability || v <= 0, "the log of probability %s is %v", p.Name, v)
	}
	c.Rest(k.Stream)
	c.Then(k.collect)
	c.Then(k.Evaluate)
}
