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

// extent returns the largest magnitude, the index where it first appears, and whether all values are equal. NaN
// counts as infinite.
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

// columnHash is the hash of the values of a column, +0 and −0 counting as equal.
type columnHash struct {
	lanes [4]uint64
	n     int
}

const hashPrime = 0x9e3779b97f4a7c15

// add takes values in.
func (h *columnHash) add(x []float64) {
	if h.n == 0 {
		h.lanes = [4]uint64{1, 2, 3, 4}
	}
	l, n := h.lanes, h.n
	for i, v := range x {
		k := (n + i) & 3
		l[k] = bits.RotateLeft64(l[k]^math.Float64bits(v+0), 29) * hashPrime
	}
	h.lanes, h.n = l, n+len(x)
}

func (h *columnHash) sum() uint64 {
	l := h.lanes
	return ((l[0]*hashPrime^l[1])*hashPrime^l[2])*hashPrime ^ l[3]
}
