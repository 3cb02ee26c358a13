package variate

import (
	"math/bits"

	"glmbatch/infer/internal/simd"
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
	kernels.NormalQuantile(dst, dst)
}

// kernels have the bits of package vec in the form that this processor runs
// fastest.
var kernels = simd.Vector()

// open maps a word to a midpoint of (0, 1).
func open(word uint64) float64 { return (float64(word>>12) + 0.5) * 0x1p-52 }
