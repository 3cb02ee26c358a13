package family

import (
	"math"

	"glmbatch/infer/prior"
)

// LengthPrior returns the default prior of the length scale of a Gaussian process: the inverse gamma with a hundredth
// of its probability below the least distance of two values, or a hundredth of the largest if that is larger, and as
// much above the largest distance. It is brms's, to 6 decimals.
func LengthPrior(nearest, farthest float64) prior.Prior {
	const tail, least = 0.01, 0.01
	low := max(nearest, float64(least*farthest))
	// P(ℓ < low) = tail where scale/low is the upper quantile of a gamma distribution of the shape, P(ℓ > farthest) = tail
	// where scale/farthest is the lower one
	ratio := func(shape float64) float64 { return gammaQuantile(shape, 1-tail) / gammaQuantile(shape, tail) }
	few, many := 0.05, 1e4
	for range 100 {
		if middle := math.Sqrt(few * many); ratio(middle) > farthest/low {
			few = middle
		} else {
			many = middle
		}
	}
	round := func(x float64) float64 { return math.Floor(math.FMA(x, 1e6, 0.5)) / 1e6 }
	return prior.Prior{Kind: prior.InverseGamma, Shape: round(few), Scale: round(low * gammaQuantile(few, 1-tail))}
}

// gammaQuantile returns the quantile of a gamma distribution with rate 1, by bisection.
func gammaQuantile(shape, p float64) float64 {
	low, high := 1e-300, math.FMA(100, math.Sqrt(shape), shape+100)
	for range 2000 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if middle <= low || middle >= high {
			break
		}
		if incompleteGamma(shape, middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
