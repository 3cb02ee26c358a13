package vec

import word "math/bits"

// Philox returns the two words of the Philox 2 × 64 generator with ten rounds
// at a counter of two words: random access to a stream that a key names.
//
// Source: Salmon, Moraes, Dror and Shaw (2011), Parallel random numbers: as easy
// as 1, 2, 3, doi:10.1145/2063384.2063405.
func Philox(key, low, high uint64) (uint64, uint64) {
	for range 10 {
		hi, lo := word.Mul64(low, 0xD2B74407B1CE6E93)
		low, high = hi^key^high, lo
		key += 0x9E3779B97F4A7C15
	}
	return low, high
}

// Midpoint maps a word to a midpoint (k + ½)·2⁻⁵² of (0, 1), exactly.
func Midpoint(w uint64) float64 { return (float64(w>>12) + 0.5) * 0x1p-52 }
