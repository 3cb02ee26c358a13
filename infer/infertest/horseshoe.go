package infertest

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// HorseshoeCases returns models whose columns a and b, and c in one of them, have
// horseshoe priors: plain and regularised, with tau in units of sigma and not, two
// of them side by side, and one on a single coefficient.
func HorseshoeCases() []Case {
	plain := prior.Prior{Kind: prior.Horseshoe, Scale: 0.7}
	slab := prior.Prior{Kind: prior.RegularisedHorseshoe, Scale: 0.8, DF: 5, Slab: 1.5}
	out := []Case{
		Gaussian(9, prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 5}),
		Bernoulli(12), Bernoulli(12), Bernoulli(10),
		Gaussian(8, prior.Prior{Kind: prior.HalfNormal, Scale: 1}),
	}
	for i, priors := range [][]prior.Prior{{plain, plain}, {plain, plain}, {slab, slab}, {slab, plain}, {slab, slab}} {
		c := &out[i]
		c.Name += fmt.Sprintf("/%s", priors[0].Kind)
		if priors[0] != priors[1] {
			c.Name += "+" + string(priors[1].Kind)
		}
		copy(c.Model.Coefficients[1:], priors)
	}
	return out
}

// scaleNames names the scales of a model in the order of theta, by its own
// reckoning.
func (c Case) scaleNames() []string {
	horseshoes := c.Model.Horseshoes()
	var names, locals []string
	for g, h := range horseshoes {
		names = append(names, fmt.Sprint("tau", g+1))
		if h.Slab >= 0 {
			names = append(names, fmt.Sprint("c", g+1))
		}
		for _, j := range h.Columns {
			locals = append(locals, "lambda of "+c.Data.Names[j])
		}
	}
	for _, s := range c.Data.Smooths {
		names = append(names, "sds of "+s.Name)
		if s.SecondName() != "" {
			names = append(names, s.SecondName())
		}
	}
	return append(names, locals...)
}

// unit is the unit of tau0, given the dispersions that are parameters.
func unit(model *glm.Model, free []float64) float64 {
	if model.TauBySigma() {
		return model.DispersionsAt(free)[0]
	}
	return 1
}

// halfCauchy draws by inversion.
func halfCauchy(scale float64, rng *infer.Stream) float64 {
	return scale * math.Tan(math.Pi/2*rng.Float64())
}

// drawScales draws the scales of horseshoe priors and smooths from their definition, writes
// the coefficients given them to beta and returns the scales.
func (c Case) drawScales(beta, free []float64, rng *infer.Stream) []float64 {
	var scales, locals []float64
	model := &c.Model
	for _, h := range model.Horseshoes() {
		tau, c := halfCauchy(h.Prior.Scale*unit(model, free), rng), math.Inf(1)
		scales = append(scales, tau)
		if h.Slab >= 0 {
			df, s := h.Prior.DF, h.Prior.Slab
			c = math.Sqrt(df * s * s / 2 / variate.Gamma(rng, df/2))
			scales = append(scales, c)
		}
		for _, j := range h.Columns {
			lambda := halfCauchy(1, rng)
			locals = append(locals, lambda)
			beta[j] = regularised(tau*lambda, c) * variate.Normal(rng)
		}
	}
	for k, s := range c.Data.Smooths {
		sd := drawPrior(model.Smooths[k], rng)
		scales = append(scales, sd)
		length := 0.0
		if s.SecondName() != "" {
			length = drawPrior(model.Lengths[k], rng)
			scales = append(scales, length)
		}
		for j := s.First; j < s.Last; j++ {
			beta[j] = sd * spectral(&s, length, j) * variate.Normal(rng)
		}
	}
	return append(scales, locals...)
}

// spectral is the spread of column j of a smooth for a standard deviation of 1, given its second parameter.
func spectral(s *design.Smooth, length float64, j int) float64 {
	switch {
	case s.Structure == "bym2":
		return math.Sqrt(1 - length + length*s.Shares[j-s.First])
	case s.Structure == "escar":
		return 1 / math.Sqrt(1-length+length*s.Shares[j-s.First])
	case s.Frequencies == nil:
		return 1
	}
	z := length * s.Frequencies[j-s.First]
	return math.Sqrt(math.Pow(math.Sqrt(2*math.Pi)*length, float64(s.Numbers)) * math.Exp(-z*z/2))
}

// regularised is the spread of a coefficient.
func regularised(wide, c float64) float64 {
	if math.IsInf(c, 1) {
		return wide
	}
	return wide * c / math.Hypot(c, wide)
}

// scalesDensity returns the log density of the scales of horseshoe priors and smooths, and
// of the coefficients given them.
func scalesDensity(data *glm.Data, model *glm.Model, theta []float64) (sum float64) {
	horseshoes, sds := model.Horseshoes(), len(data.Smooths)
	for _, s := range data.Smooths {
		if s.SecondName() != "" {
			sds++
		}
	}
	count := sds
	if len(horseshoes) > 0 {
		last := horseshoes[len(horseshoes)-1]
		count += last.Local + len(last.Columns)
	}
	scales := theta[len(theta)-count:]
	free := theta[data.Cols() : len(theta)-count]
	heads := 0
	for _, h := range horseshoes {
		tau, c := scales[h.Tau], math.Inf(1)
		heads = max(heads, h.Tau+1, h.Slab+1)
		sum += priorDensity(prior.Prior{Kind: prior.HalfCauchy, Scale: h.Prior.Scale * unit(model, free)}, tau)
		if h.Slab >= 0 {
			c = scales[h.Slab]
			square := prior.Prior{Kind: prior.InverseGamma, Shape: h.Prior.DF / 2,
				Scale: h.Prior.DF * h.Prior.Slab * h.Prior.Slab / 2}
			sum += priorDensity(square, c*c) + math.Log(2*c)
		}
		for i, j := range h.Columns {
			lambda := scales[sds+h.Local+i]
			sum += priorDensity(prior.Prior{Kind: prior.HalfCauchy, Scale: 1}, lambda)
			sum += priorDensity(prior.Prior{Kind: prior.Normal, Scale: regularised(tau*lambda, c)}, theta[j])
		}
	}
	for k, s := range data.Smooths {
		sd, length := scales[heads], 0.0
		heads++
		sum += priorDensity(model.Smooths[k], sd)
		if s.SecondName() != "" {
			length = scales[heads]
			heads++
			sum += priorDensity(model.Lengths[k], length)
		}
		for j := s.First; j < s.Last; j++ {
			sum += priorDensity(prior.Prior{Kind: prior.Normal, Scale: sd * spectral(&s, length, j)}, theta[j])
		}
	}
	return sum
}
