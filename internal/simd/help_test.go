package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// vectors returns the ways that this processor has besides the portable one.
func vectors() []Kernels { return forms()[1:] }

// forms returns all ways that this processor has, the portable one first.
func forms() []Kernels {
	var out []Kernels
	for k := Scalar; k <= best(); k++ {
		out = append(out, k)
	}
	return out
}

// same reports whether two results have the same bits, any NaN for any other.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// firstDifference returns −1 where all bits agree.
func firstDifference(a, b []float64) int {
	for i := range a {
		if !same(a[i], b[i]) {
			return i
		}
	}
	return -1
}

// seed is fixed, or that of GLMBATCH_SEED or a fresh one under GLMBATCH_STAT=1.
func seed(t testing.TB) uint64 {
	if os.Getenv("GLMBATCH_STAT") != "1" {
		return 1
	}
	s, err := strconv.ParseUint(os.Getenv("GLMBATCH_SEED"), 10, 64)
	if err != nil {
		s = rand.Uint64()
	}
	t.Logf("seed %d", s)
	return s
}

// specials are arguments at the ends of every approximation and range.
var specials = func() []float64 {
	inf, big := math.Inf(1), math.MaxFloat64
	xs := []float64{0, 0x1p-1074, 0x1p-1022, 0x1p-60, 0x1p-54, 0x1p-53, 0.2928, 0.4142, math.Ln2 / 2, 0.5, 0.66, 1 / 0.66, 2.41421356237309504880, math.Sqrt2 - 1, math.Sqrt2 / 2,
		1, math.Sqrt2, 2, 36.7, 37, 64, 700, 708.3964185322641, 709.782712893383973096, 710, 745.133219101941108420, 746, 0x1p52, 0x1p1000, 1e300, big}
	var out []float64
	for _, x := range xs {
		for _, v := range []float64{x, math.Nextafter(x, inf), math.Nextafter(x, -inf)} {
			out = append(out, v, -v)
		}
	}
	return append(out, inf, -inf, math.NaN(), math.Float64frombits(0xfff8_0000_0000_0fff))
}()

// column returns n numbers that begin at any multiple of 8 bytes, with a guard
// behind them: standard normal times scale, a twentieth of them specials where
// wild.
func column(r *rand.Rand, n int, scale float64, wild bool) []float64 {
	v := make([]float64, n+9)[r.IntN(8):]
	for i := range v {
		v[i] = scale * r.NormFloat64()
		if wild && r.IntN(20) == 0 {
			v[i] = specials[r.IntN(len(specials))]
		}
	}
	return v[:n]
}

func lengths() []int {
	out := []int{511, 512, 513, 1023, 1024, 1600}
	for n := range 301 {
		out = append(out, n)
	}
	return out
}

func describe(k Kernels, n int) string { return fmt.Sprintf("%s, n = %d", k, n) }
