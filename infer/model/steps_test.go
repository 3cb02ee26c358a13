package model_test

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/prior"
)

// stepPrior and shares are the prior of monotonic effects.
var (
	stepPrior = prior.Prior{Kind: prior.Normal, Location: 0.3, Scale: 0.7}
	shares    = []float64{1.5, 1, 0.8}
)

// simplex draws the shares of steps.
func simplex(rng *infer.Stream, steps int) (out []float64) {
	sum := 0.0
	for _, a := range shares[:steps] {
		g := prior.Prior{Kind: prior.Gamma, Shape: a, Rate: 1}.Draw(rng)
		out, sum = append(out, g), sum+g
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// logSteps is the log prior density of steps.
func logSteps(c []float64) float64 {
	total, d, alpha := 0.0, float64(len(c)), 0.0
	for _, v := range c {
		total += v
	}
	out := stepPrior.LogDensity(total/d) - math.Log(d) - (d-1)*math.Log(math.Abs(total))
	for i, v := range c {
		out += (shares[i]-1)*math.Log(v/total) - logGamma(shares[i])
		alpha += shares[i]
	}
	return out + logGamma(alpha)
}

// shareNumbers are the means and shares that follow from the steps of a position.
func (s study) shareNumbers(theta []float64) (out []float64) {
	first := 0
	for k := range s.predictors() {
		if s.steps > 0 && !s.cut(k) {
			c, total := theta[first+s.own(k)-s.steps:first+s.own(k)], 0.0
			for _, v := range c {
				total += v
			}
			out = append(out, total/float64(s.steps))
			for _, v := range c {
				out = append(out, v/total)
			}
		}
		first += s.head(k)
	}
	return out
}

// shared is how many numbers follow from steps.
func (s study) shared() int {
	if s.equal {
		return 1
	}
	if s.steps == 0 {
		return 0
	}
	return (s.steps + 1) * (s.predictors() - s.cuts)
}

// distance is the prior of the distance between equidistant thresholds.
var distance = prior.Prior{Kind: prior.Normal, Location: 0.5, Scale: 0.7}

// equidistant makes the thresholds at the end of a position equidistant, and adds their distance.
func (s study) equidistant(rng *infer.Stream, theta []float64) []float64 {
	by := distance.Draw(rng)
	for s.of.Name == "cumulative" && by <= 0 {
		by = distance.Draw(rng)
	}
	first := len(theta) - s.cuts
	for k := range s.cuts {
		theta[first+k] = theta[first] + float64(k)*by
	}
	return append(theta, by)
}
