package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A = GGᵀ of rank r comes back as RRᵀ, and R and its transpose are solved for at the pivots, to 1e-9 of the largest
// entry. The part that is left out is below tol.
func TestPivoted(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][2]int{{1, 1}, {5, 5}, {7, 3}, {12, 11}, {30, 40}, {4, 0}} {
		n, r := shape[0], shape[1]
		g, a := make([]float64, n*r), make([]float64, n*n)
		for i := range g {
			g[i] = rnd.NormFloat64() * math.Exp(float64(i%r)/8)
		}
		largest := 0.0
		for i := range n {
			for j := range i + 1 {
				for k := range r {
					a[i*n+j] += g[i*r+k] * g[j*r+k]
				}
			}
			largest = math.Max(largest, a[i*n+i])
		}
		p := NewPivoted(a, n, 1e-12)
		if p.Rank != min(n, r) {
			t.Errorf("%d × %d: rank %d", n, r, p.Rank)
		}
		product := func(z []float64, i int) (sum float64) {
			for k, x := range z {
				sum += p.R[k*n+i] * x
			}
			return sum
		}
		for i := range n {
			row := make([]float64, p.Rank)
			for k := range row {
				row[k] = p.R[k*n+i]
			}
			for j := range i + 1 {
				if got := product(row, j); math.Abs(got-a[i*n+j]) > 1e-9*largest {
					t.Errorf("%d × %d: entry (%d, %d) is %v, want %v", n, r, i, j, got, a[i*n+j])
				}
			}
		}
		want, f := make([]float64, p.Rank), make([]float64, n)
		for k := range want {
			want[k] = rnd.NormFloat64()
		}
		for i := range f {
			f[i] = product(want, i)
		}
		z, q := make([]float64, p.Rank), make([]float64, n)
		p.Solve(f, z)
		p.SolveTransposed(want, q)
		for k := range z {
			back := 0.0
			for i := range n {
				back += p.R[k*n+i] * q[i]
			}
			if math.Abs(z[k]-want[k]) > 1e-6 || math.Abs(back-want[k]) > 1e-6 {
				t.Errorf("%d × %d: solved for %v and %v, want %v", n, r, z[k], back, want[k])
			}
		}
	}
}

// A direction below tol is left out, and a matrix with a NaN has rank 0.
func TestPivotedLeavesOut(t *testing.T) {
	if p := NewPivoted([]float64{1, 0, 0, 0, 1e-8, 0, 0, 0, 1e-12}, 3, 1e-10); p.Rank != 2 || p.Pivots[0] != 0 || p.Pivots[1] != 1 {
		t.Errorf("rank %d with pivots %v, want 2 with 0 and 1", p.Rank, p.Pivots)
	}
	// The limit is a share of the first pivot: the unit of the matrix does not matter.
	if p := NewPivoted([]float64{1e-20, 0, 0, 0, 1e-28, 0, 0, 0, 1e-32}, 3, 1e-10); p.Rank != 2 {
		t.Errorf("rank %d of a matrix in a small unit, want 2", p.Rank)
	}
	if p := NewPivoted([]float64{math.NaN()}, 1, 1e-10); p.Rank != 0 {
		t.Errorf("NaN has rank %d", p.Rank)
	}
}
