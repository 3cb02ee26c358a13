package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// M·B·M = A, and M is the root of A where B is A⁻¹'s mirror image: of the
// identity and A it is A^½.
func TestGeometricMean(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, n := range []int{1, 2, 5, 30} {
		a, b := gram(r, n, 0.3), gram(r, n, 0.3)
		m, err := GeometricMean(append([]float64(nil), a...), append([]float64(nil), b...), n)
		must(t, err)
		size := 0.0
		for _, v := range a {
			size = max(size, math.Abs(v))
		}
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					for l := range n {
						sum += m[i*n+k] * b[k*n+l] * m[l*n+j]
					}
				}
				if math.Abs(sum-a[i*n+j]) > 1e-10*size*float64(n) {
					t.Errorf("n=%d: (MBM)(%d,%d) = %v, want %v", n, i, j, sum, a[i*n+j])
				}
			}
		}
	}
}
