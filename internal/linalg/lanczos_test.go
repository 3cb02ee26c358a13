package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLargestEigen holds the values and vectors to those of the whole matrix: of |x − y|³, of a diagonal with equal and
// with opposite values, and of an even grid, whose vectors are symmetric.
func TestLargestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	uniform := make([]float64, 300)
	for i := range uniform {
		uniform[i] = r.Float64()
	}
	cubes := func(n int, x func(i int) float64) []float64 {
		a := make([]float64, n*n)
		for i := range a {
			a[i] = math.Pow(math.Abs(x(i/n)-x(i%n)), 3)
		}
		return a
	}
	diagonal := make([]float64, 150*150)
	for i := range 150 {
		diagonal[i*151] = float64(i / 2)
		if i%3 == 0 {
			diagonal[i*151] = -diagonal[i*151]
		}
	}
	at := func(i int) float64 { return uniform[i] }
	checkLargest(t, "one", []float64{-2}, 1, 1)
	checkLargest(t, "few", cubes(12, at), 12, 4)
	checkLargest(t, "cubes", cubes(300, at), 300, 10)
	checkLargest(t, "even", cubes(250, func(i int) float64 { return float64(i) / 250 }), 250, 20)
	checkLargest(t, "diagonal", diagonal, 150, 7)
}

// checkLargest compares values, by magnitude, and looks at each pair.
func checkLargest(t *testing.T, name string, a []float64, n, k int) {
	t.Helper()
	multiply := func(dst, v []float64) {
		for i := range n {
			dst[i] = kernels.Dot(a[i*n:(i+1)*n], v)
		}
	}
	values, vectors, err := LargestEigen(n, k, multiply)
	if err != nil || len(values) != k || !slices.IsSortedFunc(values, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Fatalf("%s: %v, %v", name, values, err)
	}
	want, _, err := SymEigen(slices.Clone(a), n)
	must(t, err)
	magnitudes := func(v []float64) (out []float64) {
		for _, u := range v {
			out = append(out, -math.Abs(u))
		}
		slices.Sort(out)
		return out
	}
	scale := -magnitudes(want)[0]
	product := make([]float64, n)
	for i, v := range values {
		if got, want := magnitudes(values)[i], magnitudes(want)[i]; math.Abs(got-want) > 1e-12*scale {
			t.Errorf("%s: magnitude %d is %v, not %v", name, i, -got, -want)
		}
		multiply(product, vectors[i*n:(i+1)*n])
		kernels.Axpy(-v, vectors[i*n:(i+1)*n], product)
		if off := math.Sqrt(kernels.SumSquares(product)); off > 1e-12*scale {
			t.Errorf("%s: vector %d is off by %v", name, i, off)
		}
		if length := kernels.SumSquares(vectors[i*n : (i+1)*n]); math.Abs(length-1) > 1e-12 {
			t.Errorf("%s: vector %d has length² %v", name, i, length)
		}
	}
}
