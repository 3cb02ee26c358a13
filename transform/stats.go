package transform

import (
	"math"
	"math/bits"

	"glmbatch/internal/vec"
)

// meanAndSD returns the mean and the standard deviation with divisor n − 1 (NaN
// for one value) by the corrected two-pass algorithm: the rounding error of the
// first mean is measured by the sum of deviations from it and taken out of both.
//
// Source: Chan, Golub, LeVeque (1983), Algorithms for computing the sample
// variance, doi:10.1080/00031305.1983.10483115, equation 1.7.
func meanAndSD(x []float64) (mean, sd float64) {
	n := float64(len(x))
	m := vec.Sum(x) / n
	first, second := vec.Deviations(x, m)
	return m + first/n, math.Sqrt((second - float64(first*first)/n) / (n - 1))
}

// extent returns the largest magnitude, the index where it first stands, and
// whether all values are equal. NaN counts as infinite.
func extent(x []float64) (largest float64, at int, constant bool) {
	constant = true
	for i, v := range x {
		a := math.Abs(v)
		if v != v {
			a = math.Inf(1)
		}
		if a > largest {
			largest, at = a, i
		}
		if v != x[0] {
			constant = false
		}
	}
	return largest, at, constant
}

// hash of the values of a column, +0 and −0 counting as equal.
func hash(x []float64) uint64 {
	const prime = 0x9e3779b97f4a7c15
	h := [4]uint64{1, 2, 3, 4}
	for i, v := range x {
		h[i&3] = bits.RotateLeft64(h[i&3]^math.Float64bits(v+0), 29) * prime
	}
	return ((h[0]*prime^h[1])*prime^h[2])*prime ^ h[3]
}
