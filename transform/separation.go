package transform

import (
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// separated warns of columns that separate the outcomes of a model without error, in all rows or beyond one value,
// as a dummy does whose rows have one outcome: the likelihood alone has no maximum then (Albert and Anderson 1984),
// and the posterior is as finite as the prior makes it. It looks at one column at a time; columns may separate
// together, too, which flat priors are tested for later. Cost: O(rows·columns), and less where the first rows
// overlap.
func (b *builder) separated() error {
	data := b.out.Data
	f, outcome := b.spec.Family, "one outcome"
	counts := f.Support().Counts()
	if counts {
		outcome = "the count 0"
	}
	if !f.Support().Whole || f.Support().Classes || f.PositiveEta() {
		return nil
	}
	var all, some []string
	for j, p := range b.plan {
		if b.unit[j].constant || j == data.Intercept || p.asIs {
			continue
		}
		switch x := b.values(j); {
		case !counts && data.Trials == nil && separates(x, data.Y):
			all = append(all, fmt.Sprintf("%q", p.name))
		case separatesSome(x, data, counts):
			some = append(some, fmt.Sprintf("%q", p.name))
		}
	}
	if len(all) > 0 {
		b.warn("%s separates the responses perfectly: only the prior keeps its coefficient finite", words.List(all))
	}
	if len(some) > 0 {
		b.warn("all rows on one side of a value of %s have %s: only the prior keeps its coefficient finite",
			words.List(some), outcome)
	}
	return nil
}

// separatesSome reports whether no row's likelihood falls along one column, however far:
// rows that bound it on both sides share one value of x, and the others lie on their
// side of it. Without an intercept that value is 0. Counts have no largest response.
func separatesSome(x []float64, data *glm.Data, counts bool) bool {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	if data.Intercept < 0 {
		low, high = [2]float64{}, [2]float64{}
	}
	add := func(k int, v float64) { low[k], high[k] = min(low[k], v), max(high[k], v) }
	var seen [2]bool
	for i, v := range x {
		y, most := data.Y[i], 1.0
		if data.Trials != nil {
			most = data.Trials[i]
		}
		if y > 0 { // the likelihood falls with the linear predictor
			add(1, v)
			seen[1] = true
		}
		if y < most || counts {
			add(0, v)
			seen[0] = true
		}
		if high[0] > low[1] && high[1] > low[0] {
			return false
		}
	}
	return seen[0] && seen[1]
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
