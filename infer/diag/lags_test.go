package diag

import (
	"math"
	"math/bits"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainLags returns Σ y[i]·y[i+k] over all halves.
func plainLags(halves [][]float64) []float64 {
	sums := make([]float64, len(halves[0]))
	for _, y := range halves {
		for k := range y {
			for i := k; i < len(y); i++ {
				sums[k] += y[i] * y[i-k]
			}
		}
	}
	return sums
}

// loadHalves puts halves into the y of a workspace of their shape.
func loadHalves(halves [][]float64) *Workspace {
	w := NewWorkspace()
	w.load(draw(len(halves)/2, 2*len(halves[0]), func() float64 { return 0 }))
	for h := range halves {
		copy(w.halfOf(h), halves[h])
	}
	return w
}

func TestSeriesLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 8))
	for n := 3; n < 140; n++ {
		halves := draw(6, n, rng.NormFloat64)
		w := loadHalves(halves)
		for known := 0; known < n; {
			known = w.seriesLags(known)
		}
		for k, want := range plainLags(halves) {
			if got := w.acov[k] * float64(6*n); math.Abs(got-want) > 1e-12*float64(6*n) {
				t.Errorf("n=%d lag %d: %g, want %g", n, k, got, want)
			}
		}
	}
}

func TestSpectrum(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 9))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100, 127, 129, 500, 513} {
		halves := draw(10, n, rng.NormFloat64)
		y := slices.Concat(halves...)
		var s spectrum
		s.resize(n)
		sums := make([]float64, n)
		for range 2 { // the second round shows that the first left nothing behind
			s.add(y, n, n, pairsAtATime)
			s.add(y[8*n:], n, n, 1)
			s.lagProducts(sums)
		}
		for k, want := range plainLags(halves) {
			if math.Abs(sums[k]-want) > 1e-13*float64(10*n) {
				t.Errorf("n=%d lag %d: %g, want %g", n, k, sums[k], want)
			}
		}
	}
}

// TestTransform compares with the sum that defines it.
func TestTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 10))
	for n := 1; n <= 512; n *= 2 {
		var s spectrum
		s.resize(n)
		x := make([]complex128, n)
		c := newComplexes(n)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
			c.re[i], c.im[i] = real(x[i]), imag(x[i])
		}
		s.transform(c)
		for k := range n {
			want := complex128(0)
			for i, v := range x {
				want += v * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			r := s.reversed[k]
			if got := complex(c.re[r], c.im[r]); cmplx.Abs(got-want) > 1e-12*math.Sqrt(float64(n)) {
				t.Errorf("n=%d frequency %d: %v, want %v", n, k, got, want)
			}
		}
	}
}

// TestRoots bounds the error of the roots of unity, made without sine and cosine.
func TestRoots(t *testing.T) {
	const n = 1 << 14
	r := roots(n)
	for k := range n {
		want := cmplx.Rect(1, -2*math.Pi*float64(k)/n)
		if d := cmplx.Abs(complex(r.re[k], r.im[k]) - want); d > 2e-15 {
			t.Fatalf("root %d of %d is off by %g", k, n, d)
		}
	}
}

// TestEventLags compares counted lags with those of the indicator as numbers,
// across word boundaries.
func TestEventLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 11))
	for _, n := range []int{3, 31, 63, 64, 65, 127, 128, 129, 200} {
		x := draw(2, 2*n, rng.Float64)
		w := NewWorkspace()
		w.load(x)
		for _, p := range []float64{0.05, 0.5, 0.95} {
			k := w.countBelow(p)
			w.event.set(w.sorted, k)
			halves := refSplit(x)
			limit := w.sorted.values[k-1]
			for h := range halves {
				halves[h] = refMap(halves[h:h+1], func(v float64) float64 {
					if v <= limit {
						return 1
					}
					return 0
				})[0]
				m := refMean(halves[h])
				for i := range halves[h] {
					halves[h][i] -= m
				}
			}
			for lag, want := range plainLags(halves) {
				if got := w.event.lag(lag) * float64(4*n); math.Abs(got-want) > 1e-12*float64(n) {
					t.Errorf("n=%d p=%g lag %d: %g, want %g", n, p, lag, got, want)
				}
			}
		}
	}
}

func TestCoincidences(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 12))
	words := []uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}
	for lag := range 192 {
		want := 0
		for i := range 192 - lag {
			j := i + lag
			want += int(words[i/64] >> (i % 64) & (words[j/64] >> (j % 64)) & 1)
		}
		if got := coincidences(words, lag); got != want {
			t.Errorf("lag %d: %d coincidences, want %d", lag, got, want)
		}
	}
	if got := coincidences(words, 0); got != bits.OnesCount64(words[0])+bits.OnesCount64(words[1])+bits.OnesCount64(words[2]) {
		t.Errorf("lag 0 counts %d", got)
	}
}
