package groups

import (
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// Rates are the mixing rates of Gibbs samplers of a gaussian model with an intercept and effects of levels, given
// its standard deviations: the factor of the autocorrelation per sweep. Plain moves the intercept, then the effects
// of each grouping; Collapsed has the intercept integrated out. With one grouping, where λ of the precision of a
// level's effect is from the data, Plain is the mean of λ over rows and Collapsed is 0; with two groupings whose
// levels have equally many rows, the larger λ, and λ₁·λ₂ times the rate at which a walk from level to level mixes.
//
// Source: Papaspiliopoulos, Roberts and Zanella (2020), Scalable inference for crossed random effects models,
// arXiv:1803.09460; the largest eigenvalue of a sweep of any design, after Roberts and Sahu (1997),
// doi:10.1111/1467-9868.00070.
type Rates struct{ Plain, Collapsed float64 }

// PredictRates returns the rates for the sds of the groupings and sigma. ok is false if there is no such
// prediction: for other families, terms other than the column of ones, and designs without an intercept. Other
// columns of the design and the priors of coefficients are left out. Cost: up to 100 passes over the rows for each
// grouping and rate.
func PredictRates(data *glm.Data, f glm.Family, sds []float64, sigma float64) (r Rates, ok bool) {
	if !f.Is(family.Squares) || data.Intercept < 0 || len(sds) != len(data.Effects) {
		return r, false
	}
	g := &sweep{weights: filled(data.Rows()), eta: make([]float64, data.Rows())}
	for i := range g.weights {
		for _, by := range [][]float64{data.Frequency, data.Precision} {
			if by != nil {
				g.weights[i] = float64(g.weights[i] * by[i])
			}
		}
		g.total += g.weights[i]
	}
	for k, e := range data.Effects {
		if len(e.Terms) != 1 || e.Columns[0] != nil || !(sds[k] > 0) || !(sigma > 0) {
			return r, false
		}
		n := e.Grouping.Levels()
		b := crossing{of: e.Grouping.Of(), rows: make([]float64, n), share: make([]float64, n), r: make([]float64, n),
			sums: make([]float64, n)}
		for i, l := range b.of {
			b.rows[l] += g.weights[i]
		}
		ratio := sigma / sds[k]
		for l, n := range b.rows {
			b.share[l] = n / math.FMA(ratio, ratio, n)
		}
		g.groupings = append(g.groupings, b)
	}
	return Rates{g.rate(false), g.rate(true)}, true
}

// sweep is a Gibbs sampler without noise, of responses that are all 0.
type sweep struct {
	weights   []float64
	total     float64
	groupings []crossing
	mu        float64
	eta       []float64 // mu and the effects of each row
}

// crossing is a grouping of it.
type crossing struct {
	of             []int32
	rows, share, r []float64 // of each level: its weights, λ, and its effect
	sums           []float64 // scratch
}

// rate is the factor of a sweep, from one place, when nothing but the slowest direction is left.
func (g *sweep) rate(collapsed bool) float64 {
	const most, at = 100, 10
	g.mu = 0
	if !collapsed {
		g.mu = 1
	}
	for k := range g.groupings {
		for l := range g.groupings[k].r {
			g.groupings[k].r[l] = math.Mod(float64(l+1)*0.618033988749895, 1) - 0.4
		}
	}
	rate := 0.0
	for range most / at {
		before, size := rate, g.size()
		for range at {
			for k := range g.groupings {
				g.move(k, collapsed)
			}
			if !collapsed {
				g.moveIntercept()
			}
		}
		after := g.size()
		if !(after > 1e-12*size) {
			return 0
		}
		rate = vec.Exp(vec.Log(after/size) / at)
		if math.Abs(rate-before) < 1e-4 {
			break
		}
		g.scale(1 / after)
	}
	return rate
}

// size is the norm of the place.
func (g *sweep) size() float64 {
	sum := float64(g.mu * g.mu)
	for _, b := range g.groupings {
		sum += dot(b.r, b.r)
	}
	return math.Sqrt(sum)
}

func (g *sweep) scale(by float64) {
	g.mu *= by
	for _, b := range g.groupings {
		scale(by, b.r)
	}
}

// others makes eta of all but grouping k.
func (g *sweep) others(k int) {
	for i := range g.eta {
		g.eta[i] = 0
	}
	for m, b := range g.groupings {
		if m == k {
			continue
		}
		for i, l := range b.of {
			g.eta[i] += b.r[l]
		}
	}
}

// move takes the effects of grouping k to their mean given all else, collapsed given the other effects alone.
func (g *sweep) move(k int, collapsed bool) {
	b := &g.groupings[k]
	g.others(k)
	clear(b.sums)
	for i, l := range b.of {
		b.sums[l] = math.FMA(g.weights[i], g.eta[i], b.sums[l])
	}
	mu := g.mu
	if collapsed {
		above, below := 0.0, 0.0
		for l, n := range b.rows {
			above = math.FMA(1-b.share[l], b.sums[l], above)
			below = math.FMA(1-b.share[l], n, below)
		}
		mu = -above / below
	}
	for l, n := range b.rows {
		b.r[l] = 0
		if n > 0 {
			b.r[l] = -b.share[l] * (mu + b.sums[l]/n)
		}
	}
}

// moveIntercept takes it to its mean given the effects.
func (g *sweep) moveIntercept() {
	g.others(-1)
	g.mu = -dot(g.weights, g.eta) / g.total
}
