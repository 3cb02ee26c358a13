package variate

import (
	"math"
	"math/bits"
)

// Philox returns the two words of the Philox 2 × 64 generator with ten rounds
// at a counter of two words: random access to a stream that a key names.
//
// Source: Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy
// as 1, 2, 3, doi:10.1145/2063384.2063405.
func Philox(key, low, high uint64) (uint64, uint64) {
	for range 10 {
		hi, lo := bits.Mul64(low, 0xD2B74407B1CE6E93)
		low, high = hi^key^high, lo
		key += 0x9E3779B97F4A7C15
	}
	return low, high
}

// NormalsAt writes standard normal draws first, first+1, … of line, which key
// names, to dst: draw j is a function of (key, line, j) alone, Quantile of a
// midpoint (k + ½)·2⁻⁵².
func NormalsAt(key, line uint64, first int, dst []float64) {
	for i := 0; i < len(dst); {
		j := first + i
		a, b := Philox(key, uint64(j/2), line)
		if j%2 == 0 {
			dst[i] = open(a)
			i++
		}
		if i < len(dst) {
			dst[i] = open(b)
			i++
		}
	}
	toQuantiles(dst)
}

// open maps a word to a midpoint of (0, 1).
func open(word uint64) float64 { return (float64(word>>12) + 0.5) * 0x1p-52 }

// toQuantiles overwrites probabilities with their normal quantiles, to the bit as
// Quantile. The rational function of its centre, which serves 85 % of them, is
// evaluated for all of a chunk without a branch, and the tails anew.
func toQuantiles(p []float64) {
	var kept [64]float64
	for ; len(p) > 0; p = p[min(64, len(p)):] {
		some := p[:min(64, len(p))]
		copy(kept[:], some)
		for i, x := range some {
			q := x - 0.5
			some[i] = q * centre(math.FMA(-q, q, 0.180625))
		}
		for i := range some {
			if math.Abs(kept[i]-0.5) > 0.425 {
				some[i] = Quantile(kept[i])
			}
		}
	}
}

// centre is horner(r, &centreNum) / horner(r, &centreDen) with its constants in
// place.
func centre(r float64) float64 {
	n := math.FMA(2.5090809287301226727e+3, r, 3.3430575583588128105e+4)
	d := math.FMA(5.2264952788528545610e+3, r, 2.8729085735721942674e+4)
	n, d = math.FMA(n, r, 6.7265770927008700853e+4), math.FMA(d, r, 3.9307895800092710610e+4)
	n, d = math.FMA(n, r, 4.5921953931549871457e+4), math.FMA(d, r, 2.1213794301586595867e+4)
	n, d = math.FMA(n, r, 1.3731693765509461125e+4), math.FMA(d, r, 5.3941960214247511077e+3)
	n, d = math.FMA(n, r, 1.9715909503065514427e+3), math.FMA(d, r, 6.8718700749205790830e+2)
	n, d = math.FMA(n, r, 1.3314166789178437745e+2), math.FMA(d, r, 4.2313330701600911252e+1)
	return math.FMA(n, r, 3.3871328727963666080e0) / math.FMA(d, r, 1)
}
