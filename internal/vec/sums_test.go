package vec

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lanewise is the definition of every sum here, word for word.
func lanewise(n int, add func(i int, acc float64) float64) float64 {
	var l [8]float64
	for i := range n {
		l[i%8] = add(i, l[i%8])
	}
	var half [4]float64
	for k := range half {
		half[k] = l[k] + l[k+4]
	}
	return (half[0] + half[2]) + (half[1] + half[3])
}

// vectors returns slices that start at every alignment.
func vectors(r *rand.Rand, n int) (a, b, c []float64) {
	make1 := func() []float64 {
		v := make([]float64, n+3)[r.IntN(4):]
		for i := range v {
			v[i] = 4 * r.NormFloat64()
		}
		return v[:n:n]
	}
	return make1(), make1(), make1()
}

func TestSumsFollowTheLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 70 {
		x, y, z := vectors(r, n)
		delta := r.NormFloat64()
		at := func(i int) float64 { return math.FMA(delta, x[i], y[i]) }
		weight := make([]float64, n)
		for i := range weight {
			weight[i] = float64(r.IntN(9))
		}
		first, second := Deviations(x, delta)
		cases := []struct {
			name      string
			got, want float64
		}{
			{"Sum", Sum(x), lanewise(n, func(i int, a float64) float64 { return a + x[i] })},
			{"Dot", Dot(x, y), lanewise(n, func(i int, a float64) float64 { return math.FMA(x[i], y[i], a) })},
			{"SumSquares", SumSquares(x), lanewise(n, func(i int, a float64) float64 { return math.FMA(x[i], x[i], a) })},
			{"Deviations, first", first, lanewise(n, func(i int, a float64) float64 { return a + (x[i] - delta) })},
			{"Deviations, second", second, lanewise(n, func(i int, a float64) float64 { return math.FMA(x[i]-delta, x[i]-delta, a) })},
			{"SumExpAlong", SumExpAlong(y, x, delta), lanewise(n, func(i int, a float64) float64 { return a + Exp(at(i)) })},
			{"SumSquaresAlong", SumSquaresAlong(z, y, x, delta), lanewise(n, func(i int, a float64) float64 {
				return math.FMA(z[i]-at(i), z[i]-at(i), a)
			})},
			{"WeightedLog1pExpAlong", WeightedLog1pExpAlong(weight, y, x, delta), lanewise(n, func(i int, a float64) float64 {
				return math.FMA(weight[i], Log1pExp(at(i)), a)
			})},
		}
		for _, c := range cases {
			if math.Float64bits(c.got) != math.Float64bits(c.want) {
				t.Errorf("n=%d: %s = %v, in the lanes' order %v", n, c.name, c.got, c.want)
			}
		}
	}
}

// The bound is that of the doc comment: 4e-16 for each element, and 1e-16 of
// each term of Σ max(t, 0) for each addition.
func TestSumLog1pExpAlong(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 7, 8, 9, 511, 512, 513, 1024, 5000} {
		for _, scale := range []float64{0, 1, 30, 700, 1e6} {
			x, y, _ := vectors(r, n)
			for i := range y {
				y[i] *= scale
			}
			want, positive := newBig(), 0.0
			for i := range y {
				v := math.FMA(0.25, x[i], y[i])
				want.Add(want, bigOf(Log1pExp(v))) // tested by TestUlps
				positive += max(v, 0)
			}
			got := SumLog1pExpAlong(y, x, 0.25)
			exact, _ := want.Float64()
			bound := 4e-16*float64(n) + 1.2e-16*positive*(4+math.Sqrt(float64(n)/8)) + 2e-16*exact
			if d := math.Abs(got - exact); !(d <= bound) {
				t.Errorf("n=%d scale=%v: %v, want %v: off by %.2g, bound %.2g", n, scale, got, exact, d, bound)
			}
		}
	}
}

// The value along a column is that at the point that a move leads to, to the
// bit: the sampler carries it over.
func TestAlongEqualsMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 5, 8, 600, 1300} {
		x, y, z := vectors(r, n)
		delta := r.NormFloat64()
		before := []float64{SumLog1pExpAlong(y, x, delta), SumExpAlong(y, x, delta), SumSquaresAlong(z, y, x, delta)}
		Axpy(delta, x, y)
		after := []float64{SumLog1pExpAlong(y, y, 0), SumExpAlong(y, y, 0), SumSquaresAlong(z, y, y, 0)}
		for k := range before {
			if math.Float64bits(before[k]) != math.Float64bits(after[k]) {
				t.Errorf("n=%d, sum %d: %v along, %v after the move", n, k, before[k], after[k])
			}
		}
	}
}

func TestSumsOfExtremes(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := []float64{1}
	if got := SumLog1pExpAlong([]float64{nan}, one, 0); got == got {
		t.Errorf("NaN gives %v", got)
	}
	if got := SumLog1pExpAlong([]float64{-1e308, -800, -1e5}, make([]float64, 3), 0); got != 0 {
		t.Errorf("far negative gives %v", got)
	}
	if got := SumLog1pExpAlong([]float64{800, 1e300}, make([]float64, 2), 0); got != 1e300 {
		t.Errorf("far positive gives %v", got)
	}
	if got := SumExpAlong([]float64{0, 800}, make([]float64, 2), 0); got != inf {
		t.Errorf("overflow gives %v", got)
	}
	// 512 factors of 2, the largest product of a chunk
	if got := SumLog1pExpAlong(make([]float64, 512), make([]float64, 512), 0); math.Abs(got-512*math.Ln2) > 1e-12 {
		t.Errorf("512·log 2 gives %v", got)
	}
}

// TestPinned pins the bits of every function: draws that were stored must be
// made again by a later version and on another processor.
func TestPinned(t *testing.T) {
	h := sha256.New()
	put := func(x float64) {
		h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		x := 20 * r.NormFloat64()
		put(Exp(x))
		put(Log(math.Abs(x)))
		put(Log1p(math.Abs(x)))
		put(Log1pExp(x))
		put(Logistic(x))
		put(LogFactorial(math.Floor(math.Abs(x))))
	}
	x, y, z := vectors(r, 1037)
	for _, v := range []float64{
		Sum(x), Dot(x, y), SumSquares(z), SumLog1pExpAlong(x, y, 0.3), SumExpAlong(x, y, 0.3),
		SumSquaresAlong(z, x, y, 0.3), WeightedLog1pExpAlong(z, x, y, 0.3),
	} {
		put(v)
	}
	const want = "9824703d6fefe9cad40daebd2a2c858bf08dd0f37e3404dc1bb9776836368ca9"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("the bits of package vec have changed: hash %s, pinned %s", got, want)
	}
}

func BenchmarkAlong(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		r := rand.New(rand.NewPCG(1, 1))
		x, y, z := vectors(r, n)
		run := func(name string, f func() float64) {
			b.Run(fmt.Sprintf("op=%s/n=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
			})
		}
		run("dot", func() float64 { return Dot(x, y) })
		run("log1pexp", func() float64 { return SumLog1pExpAlong(y, x, 0.5) })
		run("weighted_log1pexp", func() float64 { return WeightedLog1pExpAlong(x, y, x, 0.5) })
		run("exp", func() float64 { return SumExpAlong(y, x, 0.5) })
		run("squares", func() float64 { return SumSquaresAlong(z, y, x, 0.5) })
		run("axpy", func() float64 { Axpy(1e-9, x, y); return 0 })
	}
}

// Squares about a mean have the bits of the sum of an array of them.
func TestSquaresAbout(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000, 1003} {
		x, squares := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(math.Sin(float64(3*i)) * 1e3)
			squares[i] = float64((x[i] - 0.1) * (x[i] - 0.1))
		}
		if got, want := SquaresAbout(x, 0.1), Sum(squares); got != want {
			t.Errorf("n = %d: %v, want %v", n, got, want)
		}
	}
}
