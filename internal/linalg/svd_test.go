package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// graded returns a rows × cols matrix with singular values s, by column:
// products of random rotations, so that the truth is known without a
// decomposition.
func graded(rng *rand.Rand, rows, cols int, s []float64) []float64 {
	a := make([]float64, rows*cols)
	for i, v := range s {
		a[i*rows+i] = v
	}
	for range 20 * (rows + cols) {
		c, t := math.Sincos(rng.Float64() * 6)
		if rows > 1 {
			p, q := rng.IntN(rows), rng.IntN(rows)
			for j := range cols {
				if p != q {
					x, y := a[j*rows+p], a[j*rows+q]
					a[j*rows+p], a[j*rows+q] = c*x-t*y, t*x+c*y
				}
			}
		}
		if cols > 1 {
			if p, q := rng.IntN(cols), rng.IntN(cols); p != q {
				rotate(a[p*rows:(p+1)*rows], a[q*rows:(q+1)*rows], c, t)
			}
		}
	}
	return a
}

func TestSVD(t *testing.T) {
	// Tolerances are multiples of ε·S[0]: a backward stable factorisation of
	// k ≤ 30 columns keeps a few tens of ε; squaring the condition number
	// would cost 1e-8·S[0].
	const eps = 0x1p-52
	for _, c := range []struct {
		rows, cols int
		decades    float64 // S falls by this many powers of ten
	}{{1, 1, 0}, {5, 1, 0}, {1, 5, 0}, {4, 4, 0}, {30, 30, 3}, {60, 7, 12}, {7, 60, 12}, {30, 30, 14}} {
		t.Run(fmt.Sprintf("%dx%d/decades=%v", c.rows, c.cols, c.decades), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, uint64(c.rows)))
			k := min(c.rows, c.cols)
			want := make([]float64, k)
			for i := range want {
				want[i] = 3 * math.Pow(10, -c.decades*float64(i)/float64(max(k-1, 1)))
			}
			a := graded(rng, c.rows, c.cols, want)
			s, err := NewSVD(append([]float64(nil), a...), c.rows, c.cols, 1e-15)
			must(t, err)
			if s.Rank != k {
				t.Fatalf("rank %d, want %d", s.Rank, k)
			}
			for i := range want {
				if d := math.Abs(s.S[i] - want[i]); d > 200*eps*want[0] {
					t.Errorf("S[%d] = %v, off by %.1f ε·S[0]", i, s.S[i], d/(eps*want[0]))
				}
			}
			orthonormal(t, "U", s.U, s.Rows, s.Rank)
			orthonormal(t, "V", s.V, s.Cols, s.Rank)
			for j := range c.cols {
				for i := range c.rows {
					var sum float64
					for r := range s.Rank {
						sum += s.U[r*s.Rows+i] * s.S[r] * s.V[r*s.Cols+j]
					}
					if d := math.Abs(sum - a[j*c.rows+i]); d > 200*eps*want[0] {
						t.Fatalf("U·S·Vᵀ misses entry (%d, %d) by %.1f ε·S[0]", i, j, d/(eps*want[0]))
					}
				}
			}
		})
	}
}

func orthonormal(t *testing.T, name string, q []float64, m, n int) {
	t.Helper()
	for i := range n {
		for j := range n {
			var dot, want float64
			for k := range m {
				dot += q[i*m+k] * q[j*m+k]
			}
			if i == j {
				want = 1
			}
			if math.Abs(dot-want) > 1e-12 {
				t.Fatalf("%sᵀ%s entry (%d, %d) is %v, want %v", name, name, i, j, dot, want)
			}
		}
	}
}

func TestSVDDropsNullDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	a := graded(rng, 20, 9, []float64{5, 4, 3, 1e-3, 1e-5, 0, 0, 0, 0})
	s, err := NewSVD(a, 20, 9, 1e-13)
	must(t, err)
	if s.Rank != 5 {
		t.Errorf("rank %d, want 5: S = %v", s.Rank, s.S)
	}
	if z, err := NewSVD(make([]float64, 12), 4, 3, 1e-13); err != nil || z.Rank != 0 {
		t.Errorf("zero matrix: rank %v, error %v", z.Rank, err)
	}
	if _, err := NewSVD([]float64{1, 2, math.NaN(), 4}, 2, 2, 1e-13); err == nil {
		t.Error("a NaN entry was decomposed without an error")
	}
}

func TestSymEigenAgainstGonum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 60} {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		sym := mat.NewSymDense(n, nil)
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				v := rng.NormFloat64()
				sym.SetSym(i, j, v)
				a[i*n+j], a[j*n+i] = v, v
			}
		}
		keep := append([]float64(nil), a...)
		values, vectors, err := SymEigen(a, n)
		must(t, err)
		orthonormal(t, "V", vectors, n, n)
		var oracle mat.EigenSym
		oracle.Factorize(sym, false)
		want := oracle.Values(nil) // ascending
		for k, got := range values {
			if math.Abs(got-want[n-1-k]) > 1e-13*float64(n) {
				t.Errorf("n=%d: value %d is %v, want %v", n, k, got, want[n-1-k])
			}
			for i := range n { // A·v = value·v
				var s float64
				for j := range n {
					s += keep[j*n+i] * vectors[k*n+j]
				}
				if math.Abs(s-got*vectors[k*n+i]) > 1e-13*float64(n) {
					t.Fatalf("n=%d: A·v differs from value·v by %v", n, s-got*vectors[k*n+i])
				}
			}
		}
	}
}

// TestRowQRMatchesGram: RᵀR = AᵀA, whatever the block sizes, fewer rows than
// columns included.
func TestRowQRMatchesGram(t *testing.T) {
	for _, rows := range []int{0, 1, 3, 5, 40} {
		rng := rand.New(rand.NewPCG(4, uint64(rows)))
		const k = 5
		a := make([]float64, rows*k)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		tri := NewRowQR(k)
		for first := 0; first < rows; {
			m := min(1+rng.IntN(7), rows-first)
			block := make([]float64, m*k)
			for j := range k {
				copy(block[j*m:(j+1)*m], a[j*rows+first:j*rows+first+m])
			}
			tri.Push(block, m)
			first += m
		}
		for i := range k {
			for j := range k {
				var got, want float64
				for l := range k {
					got += tri.At(l, i) * tri.At(l, j)
				}
				for l := range rows {
					want += a[i*rows+l] * a[j*rows+l]
				}
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("rows=%d: (RᵀR)[%d,%d] = %v, want %v", rows, i, j, got, want)
				}
			}
		}
	}
}

func BenchmarkNewSVD(b *testing.B) {
	for _, k := range []int{25, 100, 400} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, 5))
			a := make([]float64, k*k)
			for i := range a {
				a[i] = rng.NormFloat64()
			}
			for b.Loop() {
				if _, err := NewSVD(append([]float64(nil), a...), k, k, 1e-13); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
