package diag

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/internal/simd"
)

// Lags from edges have the bits of lags that are counted, whatever the lag they
// begin at: for events that come singly and in runs, never and always in a half, and
// at either end of one.
func TestEdgeLags(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 16))
	for _, n := range []int{3, 5, 31, 63, 64, 65, 127, 130, 500} {
		for _, stay := range []float64{0.5, 0.95, 1} {
			on := false
			x := draw(3, 2*n, func() float64 {
				if rng.Float64() > stay {
					on = !on
				}
				if on {
					return 1 + rng.Float64()
				}
				return rng.Float64()
			})
			copy(x[1], slices.Repeat([]float64{2}, n))
			w := NewWorkspace()
			w.load(x)
			for _, p := range []float64{0.05, 0.5, 0.95} {
				w.event.set(w.sorted, w.countBelow(p))
				want := make([]float64, n)
				for k := range want {
					want[k] = w.event.lag(k)
				}
				from := rng.IntN(n)
				got := slices.Clone(want)
				clear(got[from:])
				w.event.edgeLags(got, from)
				if !slices.Equal(got, want) {
					t.Fatalf("n=%d, stay=%g, p=%g: from lag %d on %v, counted %v", n, stay, p, from, got[from:], want[from:])
				}
			}
		}
	}
}

// Every set of instructions gives the same bits, for columns of every shape and for
// those whose lags take the transform.
func TestFormsAgree(t *testing.T) {
	if kernels == simd.Scalar {
		t.Skip("this processor has no other form")
	}
	rng := rand.New(rand.NewPCG(20260101, 17))
	check := func(name string, x [][]float64) {
		t.Helper()
		var of [2][]float64
		for i, k := range []simd.Kernels{simd.Vector(), simd.Scalar} {
			kernels = k
			_, of[i] = fields(NewWorkspace().Summarize(x))
		}
		kernels = simd.Vector()
		for i, v := range of[0] {
			if math.Float64bits(v) != math.Float64bits(of[1][i]) && v == v {
				t.Errorf("%s, %d × %d: number %d is %v with %s, %v portable", name, len(x), len(x[0]), i, v, kernels, of[1][i])
			}
		}
	}
	for name, shape := range inOrder {
		check(name, shape(rng, 1+rng.IntN(6), 6+rng.IntN(500)))
	}
	for _, rho := range []float64{0.5, 0.9, 0.99, 0.999} {
		for _, chains := range []int{1, 3, 4, 5} {
			check("autoregressive", autoregressive(rng, chains, 600+rng.IntN(900), rho))
		}
	}
}
