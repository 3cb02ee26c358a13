package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// random returns rows × cols by column with the singular values of its scales.
func random(r *rand.Rand, rows, cols int) []float64 {
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func TestGram(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, shape := range [][2]int{{1, 1}, {3, 9}, {255, 4}, {256, 5}, {600, 13}} {
		rows, cols := shape[0], shape[1]
		x, w := random(r, rows, cols), make([]float64, rows)
		for i := range w {
			w[i] = r.Float64()
		}
		for _, weights := range [][]float64{nil, w} {
			h := make([]float64, cols*cols)
			for i := range h {
				h[i] = 99
			}
			Gram(x, rows, cols, weights, h)
			for i := range cols {
				for j := range cols {
					want, size := 0.0, 1.0
					for k := range rows {
						v := x[i*rows+k] * x[j*rows+k]
						if weights != nil {
							v *= w[k]
						}
						want, size = want+v, size+math.Abs(v)
					}
					if j > i {
						want = 99
					}
					if math.Abs(h[i*cols+j]-want) > 1e-14*size {
						t.Errorf("%v: entry (%d, %d) is %v, want %v", shape, i, j, h[i*cols+j], want)
					}
				}
			}
		}
	}
}

// blocksOf returns the blocks of a matrix whose transpose is stored by column.
func blocksOf(at []float64, n, d int) func(first, m int, dst []float64) {
	return func(first, m int, dst []float64) {
		for i := range n {
			copy(dst[i*m:(i+1)*m], at[i*d+first:])
		}
	}
}

// U = L⁻ᵀ: LᵀU = I, by entries; Solve inverts Apply, and Multiply is X·U.
func TestUpper(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{1, 2, 5, 34} {
		c, err := Cholesky(gram(r, n, 0.5), n)
		must(t, err)
		u := c.InverseTransposed()
		for i := range n {
			for j := range n {
				sum, want := 0.0, 0.0
				for k := i; k < n && k <= j; k++ { // (Lᵀ)(i, k) = L(k, i)
					sum += c.l[k*n+i] * u.Col(j)[k]
				}
				if i == j {
					want = 1
				}
				if math.Abs(sum-want) > 1e-10 {
					t.Errorf("n = %d: (LᵀU)(%d, %d) = %v", n, i, j, sum)
				}
			}
		}
		x := random(r, 1, n)
		y := make([]float64, n)
		u.Apply(x, y)
		product := u.Multiply(append([]float64(nil), identity(n)...), n)
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += product[j*n+i] * x[j]
			}
			if math.Abs(sum-y[i]) > 1e-10*(1+math.Abs(sum)) {
				t.Errorf("n = %d: entry %d of U·x is %v, of (I·U)·x %v", n, i, y[i], sum)
			}
		}
		u.Solve(y)
		for i := range x {
			if math.Abs(x[i]-y[i]) > 1e-8 {
				t.Errorf("n = %d: Solve gives %v, want %v", n, y[i], x[i])
			}
		}
	}
}

func identity(n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	return out
}

// Either way of taking the row space: VᵀV = I, A = UΣ·Vᵀ within the stated bounds,
// and the singular values are those of NewSVD.
func TestRowSpace(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const n, d = 7, 300 // in two blocks of columns
	for _, c := range []struct {
		name     string
		scale    float64 // of the last row
		explicit bool
		rank     int
	}{{"even", 1, false, n}, {"uneven", 0.02, false, n}, {"ill conditioned", 1e-6, true, n}, {"dependent", 0, true, n - 1}} {
		at := random(r, d, n)
		for j := range d {
			at[(n-1)*d+j] = at[j] + c.scale*at[(n-1)*d+j]
		}
		svd, err := NewSVD(append([]float64(nil), at...), d, n, 1e-12)
		must(t, err)
		s, err := NewRowSpace(blocksOf(at, n, d), n, d, 1e-12)
		must(t, err)
		if s.Rank != c.rank || (s.Lift == nil) != c.explicit {
			t.Fatalf("%s: rank %d, explicit %v", c.name, s.Rank, s.Lift == nil)
		}
		v := rowsOfV(s, at, n, d)
		for k := range s.Rank {
			if math.Abs(s.S[k]-svd.S[k]) > 1e-10*s.S[0] {
				t.Errorf("%s: value %d is %v, want %v", c.name, k, s.S[k], svd.S[k])
			}
			for l := range k + 1 {
				sum := 0.0
				for j := range d {
					sum += v[j*s.Rank+k] * v[j*s.Rank+l]
				}
				if k == l {
					sum--
				}
				if math.Abs(sum) > 1e-10 {
					t.Errorf("%s: VᵀV − I is %v at (%d, %d)", c.name, sum, k, l)
				}
			}
		}
		for i := range n {
			for j := range d {
				sum := 0.0
				for k := range s.Rank {
					sum += s.US[k*n+i] * v[j*s.Rank+k]
				}
				if math.Abs(sum-at[i*d+j]) > 1e-11*s.S[0] {
					t.Errorf("%s: A is off by %v at (%d, %d)", c.name, sum-at[i*d+j], i, j)
				}
			}
		}
	}
}

// rowsOfV returns V by rows, made of unit vectors where it is not explicit.
func rowsOfV(s *RowSpace, at []float64, n, d int) []float64 {
	if s.Lift == nil {
		return s.V
	}
	v, w, q := make([]float64, d*s.Rank), make([]float64, s.Rank), make([]float64, n)
	for k := range s.Rank {
		clear(w)
		w[k] = 1
		s.Lifted(w, q)
		for j := range d {
			for i := range n {
				v[j*s.Rank+k] += at[i*d+j] * q[i]
			}
		}
	}
	return v
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
