package report

import (
	"maps"
	"math"
	"slices"
)

// Interval is a median and its 95 % confidence interval, NaN where there are
// fewer than six values: with five, even the extremes miss the median with
// probability 1/16.
type Interval struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// medianInterval returns the median of independent values and the narrowest
// symmetric interval of order statistics that covers the law's median with
// probability at least 0.95, whatever the law: [x₍ₖ₎, x₍ₙ₊₁₋ₖ₎] misses it with
// probability 2·P(Bin(n, ½) < k). Infinite values are as good as any. It sorts.
//
// Source: Thompson (1936), doi:10.1214/aoms/1177732502.
func medianInterval(x []float64) Interval {
	nan := Number(math.NaN())
	out := Interval{nan, nan, nan}
	x = slices.DeleteFunc(x, math.IsNaN)
	n := len(x)
	if n == 0 {
		return out
	}
	slices.Sort(x)
	out.Value = Number((x[(n-1)/2] + x[n/2]) / 2)
	k, below, term := 0, 0.0, math.Pow(0.5, float64(n)) // term is P(Bin = k)
	for below += term; below <= 0.025; below += term {
		k++
		term *= float64(n-k+1) / float64(k)
	}
	if k > 0 {
		out.Low, out.High = Number(x[k-1]), Number(x[n-k])
	}
	return out
}

// medianOf is medianInterval over replicates.
func medianOf(m map[int]float64) Interval { return medianInterval(slices.Sorted(maps.Values(m))) }

// ratio is the median ratio of b's to a's times over the replicates of both,
// and how many these are. Replicates are independent, so their numbers make
// independent pairs. A pair of which neither reached its end counts as none.
func ratio(a, b map[int]float64) (Interval, int) {
	var all []float64
	for replicate, v := range a {
		if w, ok := b[replicate]; ok && !(math.IsInf(v, 0) && math.IsInf(w, 0)) {
			all = append(all, w/v)
		}
	}
	return medianInterval(all), len(all)
}
