package transform

import (
	"fmt"

	"glmbatch/internal/words"
)

// separated warns of columns that tell the two responses of a bernoulli model
// apart without error: the likelihood alone has no maximum then (Albert and
// Anderson 1984), and the posterior is as finite as the prior makes it. It
// looks at one column at a time; columns may separate together, too, which
// flat priors are tested for later. Cost: O(rows·columns).
func (b *builder) separated() error {
	data := b.out.Data
	if b.spec.Family.Name != "bernoulli" {
		return nil
	}
	var names []string
	for j, p := range b.plan {
		if !b.unit[j].constant && j != data.Intercept && separates(b.values(j), data.Y) {
			names = append(names, fmt.Sprintf("%q", p.name))
		}
	}
	if len(names) > 0 {
		b.warn("%s separates the responses perfectly: only the prior keeps its coefficient finite", words.List(names))
	}
	return nil
}

// separates reports whether every x of one response lies above every x of the
// other.
func separates(x, y []float64) bool {
	var low, high [2]float64 // by response
	var seen [2]bool
	for i, v := range x {
		k := 0
		if y[i] > 0 {
			k = 1
		}
		if !seen[k] {
			low[k], high[k], seen[k] = v, v, true
			continue
		}
		low[k], high[k] = min(low[k], v), max(high[k], v)
	}
	return seen[0] && seen[1] && (high[0] < low[1] || high[1] < low[0])
}
