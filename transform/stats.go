package transform

import (
	"math"
	"math/bits"
)

// lanes is the number of partial sums of every sum here: element i goes to lane
// i mod 8, and lanes are added pairwise. The order never moves, so that sums
// have the same bits everywhere.
const lanes = 8

func reduce(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// sum adds x in the fixed order.
func sum(x []float64) float64 {
	var s [lanes]float64
	i := 0
	for ; i+lanes <= len(x); i += lanes {
		v := x[i : i+lanes : i+lanes]
		s[0] += v[0]
		s[1] += v[1]
		s[2] += v[2]
		s[3] += v[3]
		s[4] += v[4]
		s[5] += v[5]
		s[6] += v[6]
		s[7] += v[7]
	}
	for k := 0; i < len(x); i, k = i+1, k+1 {
		s[k] += x[i]
	}
	return reduce(&s)
}

// deviations returns the sums of x − m and of its square.
func deviations(x []float64, m float64) (first, second float64) {
	var s, q [lanes]float64
	i := 0
	for ; i+lanes <= len(x); i += lanes {
		v := x[i : i+lanes : i+lanes]
		for k := range lanes {
			d := v[k] - m
			s[k] += d
			q[k] = math.FMA(d, d, q[k])
		}
	}
	for k := 0; i < len(x); i, k = i+1, k+1 {
		d := x[i] - m
		s[k] += d
		q[k] = math.FMA(d, d, q[k])
	}
	return reduce(&s), reduce(&q)
}

// meanAndSD returns the mean and the standard deviation with divisor n − 1 (NaN
// for one value) by the corrected two-pass algorithm: the rounding error of the
// first mean is measured by the sum of deviations from it and taken out of both.
//
// Source: Chan, Golub, LeVeque (1983), Algorithms for computing the sample
// variance, doi:10.1080/00031305.1983.10483115, equation 1.7.
func meanAndSD(x []float64) (mean, sd float64) {
	n := float64(len(x))
	m := sum(x) / n
	first, second := deviations(x, m)
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
