package vec

import (
	"math"
	"testing"
)

// The known answers that the authors' Random123 distributes (kat_vectors).
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = math.MaxUint64
	for _, c := range [][5]uint64{
		{0, 0, 0, 0xca00a0459843d731, 0x66c24222c9a845b5},
		{ones, ones, ones, 0x65b021d60cd8310f, 0x4d02f3222f86df20},
		{0xa4093822299f31d0, 0x243f6a8885a308d3, 0x13198a2e03707344, 0x0a5e742c2997341c, 0xb0f883d38000de5d},
	} {
		if a, b := Philox(c[0], c[1], c[2]); a != c[3] || b != c[4] {
			t.Errorf("key %#x, counter %#x %#x: %#x %#x, want %#x %#x", c[0], c[1], c[2], a, b, c[3], c[4])
		}
	}
}

// Midpoints are exact: the least, the largest, and their distance.
func TestMidpoint(t *testing.T) {
	for word, want := range map[uint64]float64{0: 0x1p-53, 4095: 0x1p-53, 4096: 0x3p-53, math.MaxUint64: 1 - 0x1p-53, 1 << 63: 0.5 + 0x1p-53} {
		if got := Midpoint(word); got != want {
			t.Errorf("midpoint of %#x is %v, want %v", word, got, want)
		}
	}
}
