package infertest

import (
	"fmt"
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// gridPriors are the kinds of proper priors of coefficients, around location
// with about the scale of a normal prior.
var gridPriors = []struct {
	kind prior.Kind
	at   func(location, scale float64) prior.Prior
}{
	{prior.Normal, func(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Normal, Location: m, Scale: s} }},
	{prior.StudentT, func(m, s float64) prior.Prior {
		return prior.Prior{Kind: prior.StudentT, DF: 3, Location: m, Scale: 0.8 * s}
	}},
	{prior.Cauchy, func(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Cauchy, Location: m, Scale: 0.4 * s} }},
	{prior.Laplace,
		func(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Laplace, Location: m, Scale: 0.7 * s} }},
	{prior.Uniform, func(m, s float64) prior.Prior {
		return prior.Prior{Kind: prior.Uniform, Low: m - math.Sqrt(3)*s, High: m + math.Sqrt(3)*s}
	}},
	// One group of two coefficients, whatever their scales.
	{prior.Horseshoe, func(_, _ float64) prior.Prior { return prior.Prior{Kind: prior.Horseshoe, Scale: 0.2} }},
	{prior.RegularisedHorseshoe, func(_, _ float64) prior.Prior {
		return prior.Prior{Kind: prior.RegularisedHorseshoe, Scale: 0.3, DF: 6, Slab: 0.5}
	}},
}

// gridDispersions are the kinds of proper priors of dispersions, of the size 1.
var gridDispersions = []prior.Prior{
	{Kind: prior.HalfNormal, Scale: 1},
	{Kind: prior.HalfStudentT, DF: 4, Scale: 1},
	{Kind: prior.HalfCauchy, Scale: 0.7},
	{Kind: prior.Exponential, Rate: 1},
	{Kind: prior.Gamma, Shape: 3, Rate: 2},
	{Kind: prior.InverseGamma, Shape: 3, Scale: 2},
	{Kind: prior.Uniform, Low: 0.3, High: 2},
	{Kind: prior.Constant, Location: 1.2},
}

// gridScale is the scale of the coefficients' priors by family: most where a
// link is steep.
func gridScale(f glm.Family) float64 {
	switch f.Name {
	case "gaussian":
		if f.Link == "log" {
			return 0.5
		}
	case "negative_binomial", "inverse_gaussian":
		return 0.6
	case "beta", "gamma":
		return 0.7
	case "poisson":
		if f.Link == "log" {
			return 0.7
		}
	}
	return 1
}

// sized multiplies a dispersion's prior by a factor.
func sized(p prior.Prior, factor float64) prior.Prior {
	p.Scale *= factor
	p.Rate /= factor
	p.Low *= factor
	p.High *= factor
	p.Location *= factor
	return p
}

// GridCases returns a case of every family and link with every kind of proper
// prior of coefficients, and with every kind of prior of each of its
// dispersions; not every pair of these.
func GridCases() []Case {
	var out []Case
	for _, info := range family.OfOne() {
		for _, link := range info.Links {
			f := family.Family{Name: info.Name, Link: link.Name}
			rows := len(gridPriors)
			if len(info.Dispersions) > 0 {
				rows = len(gridDispersions)
			}
			for k := range rows {
				out = append(out, gridCase(f, k))
			}
			for _, limits := range []family.Limits{family.Censored, family.Truncated} {
				if of, err := f.WithLimits(limits); err == nil {
					out = append(out, limitedCase(of))
				}
			}
		}
	}
	return out
}

// gridCase returns row k of a family and link.
func gridCase(f glm.Family, k int) Case {
	const n = 9
	prior := gridPriors[k%len(gridPriors)]
	c := Case{Name: fmt.Sprintf("%s/%s", f, prior.kind), Data: newDesign(n), Model: glm.Model{Family: f}}
	scale, at := gridScale(f), []float64{0.3, 0, -0.2}
	if f.PositiveEta() { // mostly inside the domain, and often at its boundary
		scale, at = 0.5, []float64{3, 0, -0.2}
	}
	for j, share := range []float64{1, 0.6, 1.5} {
		c.Model.Coefficients = append(c.Model.Coefficients, prior.at(at[j]*scale, share*scale))
	}
	if prior.kind.Shrinks() { // never the intercept
		c.Model.Coefficients[0] = gridPriors[0].at(at[0]*scale, scale)
	}
	if f.Support().Trials {
		c.Data.Trials = []float64{0, 1, 2, 3, 4, 5, 0, 1, 2}
	}
	for i, d := range f.Dispersions() {
		p := gridDispersion(d, k+3*i)
		c.Name += "/" + d.Name + "=" + string(p.Kind)
		if i == 0 {
			c.Model.Dispersion = p
		} else {
			c.Model.Nu = p
		}
	}
	return c
}

// limitedCase returns a case whose rows are observed, or censored beyond bounds near the middle of the responses.
func limitedCase(f glm.Family) Case {
	c := gridCase(f, 0)
	middle, spread := 0.3, 0.8
	if f.Limits == family.Truncated { // and what is seen has a probability that a draw can have
		spread = 1.5
		for j := range c.Model.Coefficients {
			c.Model.Coefficients[j].Scale *= 0.3
		}
		if f.HasDispersion() {
			least := f.First().Lower + 0.6
			c.Model.Dispersion = prior.Prior{Kind: prior.Uniform, Low: least, High: least + 1.5}
			c.Name = f.String() + "/normal/" + f.First().Name + "=uniform"
		}
	}
	unit := func(v float64) float64 { return v }
	switch of := f.Support(); {
	case of.Whole:
		unit = func(v float64) float64 { return math.Floor(2 * math.Exp(v)) }
	case of.Low == 0:
		unit = math.Exp
	}
	for i := range c.Data.Rows() {
		kind := []float64{family.Observed, family.Above, family.Below, family.Within}[i%4]
		b := family.Bound{Upper: unit(middle + spread), Low: math.Inf(-1), High: math.Inf(1)}
		if f.Limits == family.Truncated {
			b.Low, b.High = unit(middle-1.6*spread), unit(middle+2*spread)
		}
		c.Data.Y = append(c.Data.Y, unit(middle-0.3*spread*float64(i%3)))
		c.Data.Kind, c.Data.Bounds = append(c.Data.Kind, kind), append(c.Data.Bounds, b)
	}
	return c
}

// gridDispersion returns the k-th prior of a dispersion.
func gridDispersion(d family.Dispersion, k int) prior.Prior {
	if d.Real {
		if k %= len(gridReal) + 1; k == len(gridReal) {
			return prior.Prior{Kind: prior.Constant, Location: -2}
		}
		return gridReal[k].at(0.5, 1.5)
	}
	size, ok := map[string]float64{"shape": 2, "phi": 8, "nu": 5}[d.Name]
	if !ok {
		size = 1
	}
	return sized(gridDispersions[k%len(gridDispersions)], size)
}

// gridReal are the kinds of proper priors of a dispersion of either sign, besides constant.
var gridReal = gridPriors[:5]

// plain reports whether responses can be a data set of the family: finite, not
// astronomic, and inside the family's domain by more than rounding. Simulate
// draws pairs until it is so: a condition on y alone, under which the posterior
// of theta given y is what it is without.
func plain(f glm.Family, y []float64) bool {
	low, high := -1e6, 1e6
	switch s := f.Support(); {
	case s.Positive():
		low = 1e-100
	case s.Share():
		low, high = 1e-100, 1-1e-15
	}
	for _, v := range y {
		if !(v >= low && v <= high) {
			return false
		}
	}
	return true
}
