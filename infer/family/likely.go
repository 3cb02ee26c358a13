package family

import (
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Where one family ends and another begins.
const (
	smallestCount = 30 // whole numbers of which all are larger are measurements
	skewed        = 1  // skewness of what is not symmetric
)

// Likely returns the family that numbers look like, in the order of what is asked: bernoulli of two values,
// poisson of whole numbers from 0 on of which one is below 30, beta between 0 and 1, gaussian of shares that reach 0 or
// 1, gamma of positive numbers that are skewed to the right and whose logarithms are less so, else gaussian. NaN is
// passed over. Cost: O(n), and the sorting of what is not decided by the first values.
func Likely(values []float64) *Distribution {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(v) == 0 {
		return gaussian
	}
	least, most := slices.Min(v), slices.Max(v)
	switch {
	case least < most && !slices.ContainsFunc(v, func(x float64) bool { return x != least && x != most }):
		return bernoulli
	case least >= 0 && least < smallestCount &&
		!slices.ContainsFunc(v, func(x float64) bool { return x != math.Trunc(x) }):
		return poisson
	case least > 0 && most < 1:
		return beta
	case least >= 0 && most <= 1:
		return gaussian
	case least > 0:
		s := skewness(v)
		logs := v
		for i, x := range v {
			logs[i] = vec.Log(x)
		}
		if s > skewed && math.Abs(skewness(logs)) < s {
			return gamma
		}
	}
	return gaussian
}

// skewness is the third central moment over the cube of the standard deviation; 0 of equal numbers.
func skewness(v []float64) float64 {
	n, mean, second, third := float64(len(v)), 0.0, 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		d := x - mean
		second += float64(d * d)
		third += float64(d * d * d)
	}
	sd := math.Sqrt(second / n)
	if sd == 0 {
		return 0
	}
	return third / n / (sd * sd * sd)
}
