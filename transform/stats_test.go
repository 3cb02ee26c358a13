package transform

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"glmbatch/internal/vec"
)

// exactMoments are the mean and the sd in 500 bits.
func exactMoments(x []float64) (mean, sd float64) {
	const prec = 500
	n := new(big.Float).SetPrec(prec).SetInt64(int64(len(x)))
	total := new(big.Float).SetPrec(prec)
	for _, v := range x {
		total.Add(total, big.NewFloat(v))
	}
	m := new(big.Float).SetPrec(prec).Quo(total, n)
	squares := new(big.Float).SetPrec(prec)
	for _, v := range x {
		d := new(big.Float).SetPrec(prec).Sub(big.NewFloat(v), m)
		squares.Add(squares, d.Mul(d, d))
	}
	squares.Quo(squares, n.Sub(n, big.NewFloat(1)))
	mean, _ = m.Float64()
	sd, _ = squares.Sqrt(squares).Float64()
	return mean, sd
}

// Means are right to 2 units in the last place, sds to 4 and one for each 8
// additions of a lane, also where the mean is 10^12 times the sd and for numbers
// near the ends of what is accepted.
func TestMeanAndSD(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ shift, scale float64 }{{0, 1}, {1e9, 1}, {-1e9, 1e-3}, {1.7e18, 1e6}, {1e139, 1e138}, {0, 1e-130}} {
		for _, n := range []int{2, 3, 7, 8, 9, 1000, 4099} {
			x := make([]float64, n)
			for i := range x {
				x[i] = c.shift + c.scale*rng.NormFloat64()
			}
			mean, sd := meanAndSD(x)
			wantMean, wantSD := exactMoments(x)
			if math.Abs(mean-wantMean) > 2*ulp(wantMean)+0x1p-52*wantSD || math.Abs(sd-wantSD) > float64(4+n/(8*vec.Lanes))*ulp(wantSD) {
				t.Errorf("%d numbers %v + %v·z: mean %v and sd %v, want %v and %v", n, c.shift, c.scale, mean, sd, wantMean, wantSD)
			}
		}
	}
}

func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// Sums are pinned to the bit, and do not move with where a slice begins.
func TestSumsHaveOneOrder(t *testing.T) {
	x := make([]float64, 1003)
	rng := rand.New(rand.NewPCG(8, 9))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	total := vec.Sum(x)
	first, second := vec.Deviations(x, 0.25)
	mean, sd := meanAndSD(x)
	got := [...]uint64{math.Float64bits(total), math.Float64bits(first), math.Float64bits(second), math.Float64bits(mean), math.Float64bits(sd)}
	want := [...]uint64{0xc019d513a6f5b7b4, 0xc07013544e9bd6df, 0x40912bb3769d5fb4, 0xbf7a5f8937584733, 0x3ff03ecffef9fcf3}
	if got != want {
		t.Errorf("bits %#x, want %#x", got, want)
	}
	for offset := range vec.Lanes {
		moved := append(make([]float64, offset), x...)[offset:]
		if vec.Sum(moved) != total {
			t.Errorf("the sum moves with the slice's alignment %d", offset)
		}
	}
}

func TestHashTellsColumnsApart(t *testing.T) {
	seen := make(map[uint64]int)
	x := make([]float64, 9)
	for i := range 20_000 {
		x[i%9] = float64(i)
		h := hashOf(x)
		if j, there := seen[h]; there {
			t.Fatalf("columns %d and %d have one hash", i, j)
		}
		seen[h] = i
	}
	if hashOf([]float64{0, 1}) != hashOf([]float64{math.Copysign(0, -1), 1}) {
		t.Error("equal columns have different hashes")
	}
	if hashOf([]float64{0, 1}) == hashOf([]float64{1, 0}) || hashOf([]float64{0}) == hashOf([]float64{0, 0}) {
		t.Error("the hash does not see the order or the length")
	}
}

// naturalLog is within one unit in the last place of the logarithm, taken from
// math.Log1p and math.Log near 1 and elsewhere, whose own errors are below one.
func TestNaturalLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	for i := range 200_000 {
		x := math.Exp2(2000*rng.Float64() - 1000)
		if i%2 == 0 {
			x = 1 + (rng.Float64()-0.5)/float64(1+i%1000)
		}
		if got, want := naturalLog(x), math.Log(x); math.Abs(got-want) > ulp(want) {
			t.Fatalf("ln %v is %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{1: 0, math.E: 1, 0x1p-1074: -744.4400719213812, math.MaxFloat64: 709.782712893384, 2: math.Ln2, 10: math.Ln10} {
		if got := naturalLog(x); math.Abs(got-want) > ulp(want) {
			t.Errorf("ln %v is %v, want %v", x, got, want)
		}
	}
}

func TestExtentOfNaN(t *testing.T) {
	if largest, at, constant := extent([]float64{1, math.NaN(), 2}); !math.IsInf(largest, 1) || at != 1 || constant {
		t.Errorf("largest %v at %d, constant %v", largest, at, constant)
	}
}

func hashOf(x []float64) uint64 {
	var h columnHash
	h.add(x)
	return h.sum()
}
