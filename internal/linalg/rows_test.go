package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// products returns the products of A, given as Aᵀ by column, and the lower triangle of AAᵀ.
func products(at []float64, n, d int) ([]float64, Products) {
	k := make([]float64, n*n)
	Gram(at, d, n, nil, k)
	return k, Products{
		Cols: d,
		Times: func(x, dst []float64) {
			for i := range n {
				dst[i] += kernels.Dot(at[i*d:(i+1)*d], x)
			}
		},
		Transposed: func(q, dst []float64) {
			for i := range n {
				kernels.Axpy(q[i], at[i*d:(i+1)*d], dst)
			}
		},
	}
}

// For any dependence among the rows, VᵀV = I and A = (A·V)·Vᵀ, and no direction above 1e-12 of the largest singular
// value is dropped.
func TestRowSpaceOf(t *testing.T) {
	for _, c := range []struct {
		name      string
		n, d      int
		change    func(row func(i int) []float64)
		rank, own int
	}{
		{name: "even", n: 7, d: 40, rank: 7},
		{name: "blocks", n: 75, d: 90, rank: 75},
		{name: "repeated", n: 7, d: 40, rank: 5, change: func(row func(i int) []float64) {
			copy(row(3), row(1))
			copy(row(6), row(1))
		}},
		{name: "zero", n: 5, d: 9, rank: 3, change: func(row func(i int) []float64) { clear(row(0)); clear(row(4)) }},
		{name: "nearly repeated", n: 7, d: 40, rank: 6, own: 2, change: func(row func(i int) []float64) {
			for j := range row(0) {
				row(3)[j] = math.FMA(1e-5, row(3)[j], row(0)[j])
				row(5)[j] = math.FMA(1e-9, row(5)[j], row(1)[j])
				row(6)[j] = math.FMA(1e-15, row(6)[j], row(2)[j])
			}
		}},
		{name: "more rows than columns", n: 12, d: 5, rank: 5},
		{name: "of all sizes", n: 7, d: 40, rank: 7, change: func(row func(i int) []float64) {
			for i := range 7 {
				for j := range row(i) {
					row(i)[j] *= math.Pow(10, float64(3-i))
				}
			}
		}},
		{name: "nothing", n: 3, d: 4, change: func(row func(i int) []float64) { clear(row(0)); clear(row(1)); clear(row(2)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := random(rand.New(rand.NewPCG(11, 12)), c.d, c.n)
			if c.change != nil {
				c.change(func(i int) []float64 { return at[i*c.d : (i+1)*c.d] })
			}
			k, a := products(at, c.n, c.d)
			s, err := NewRowSpaceOf(k, c.n, a, 1e-12)
			must(t, err)
			if s.Rank != c.rank || s.Own != c.own || s.Explicit() {
				t.Fatalf("rank %d with %d of rows' own, want %d with %d", s.Rank, s.Own, c.rank, c.own)
			}
			checkSpace(t, s, a, at, c.n, c.d)
		})
	}
}

// checkSpace compares V, made of unit vectors, with A and its own transpose.
func checkSpace(t *testing.T, s *RowSpace, a Products, at []float64, n, d int) {
	t.Helper()
	v, q, w := make([][]float64, s.Rank), make([]float64, n+s.Own), make([]float64, s.Rank)
	for k := range v {
		v[k] = make([]float64, d)
		clear(w)
		w[k] = 1
		s.times(a, w, q, v[k])
	}
	largest := 0.0
	for _, x := range at {
		largest = max(largest, math.Abs(x))
	}
	for k := range v {
		clear(q)
		s.transposed(a, v[k], q, w) // Vᵀv
		for l := range v {
			want, dot := 0.0, kernels.Dot(v[k], v[l])
			if k == l {
				want = 1
			}
			if math.Abs(dot-want) > 1e-10 || math.Abs(w[l]-want) > 1e-10 {
				t.Errorf("VᵀV is %v at (%d, %d), by its product %v", dot, k, l, w[l])
			}
		}
	}
	for i := range n {
		for j := range d {
			sum := 0.0
			for k := range v {
				sum += s.US[k*n+i] * v[k][j]
			}
			if math.Abs(sum-at[i*d+j]) > 1e-11*largest*float64(d) {
				t.Fatalf("A is off by %v at (%d, %d)", sum-at[i*d+j], i, j)
			}
		}
	}
}

// Rows that are nearly dependent all together, no few of them by themselves, are
// refused; so is what is not finite.
func TestRowSpaceOfRefuses(t *testing.T) {
	const n, d = 60, 60
	r := rand.New(rand.NewPCG(13, 14))
	q := NewQR(random(r, d, d), d, d, d)
	at := make([]float64, n*d)
	for i := range n { // 1 on the diagonal, −1 before it, in a turned basis
		row := at[i*d : (i+1)*d]
		for j := range i {
			row[j] = -1
		}
		row[i] = 1
		q.Apply(row)
	}
	k, a := products(at, n, d)
	if _, err := NewRowSpaceOf(k, n, a, 1e-12); !errors.Is(err, errNotOrthonormal) {
		t.Errorf("error %v, want %v", err, errNotOrthonormal)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		at[5] = bad
		k, a := products(at, n, d)
		if s, err := NewRowSpaceOf(k, n, a, 1e-12); err == nil {
			t.Errorf("an entry %v gives rank %d", bad, s.Rank)
		}
	}
}

// Last columns that are zero in some rows change no bit of products.
func TestProductsOfATriangle(t *testing.T) {
	const n = 300 // more than a block of rows
	r := rand.New(rand.NewPCG(15, 16))
	x := random(r, n, n)
	for j := range n {
		clear(x[j*n : j*n+j])
	}
	c, err := Cholesky(gram(r, n, 1), n)
	must(t, err)
	u := c.InverseTransposed()
	product := u.Multiply(x, n)
	for j := range n {
		want := make([]float64, n)
		kernels.AxpyColumns(u.Col(j), x[:(j+1)*n], want)
		for i := range n {
			if math.Float64bits(want[i]) != math.Float64bits(product[j*n+i]) {
				t.Fatalf("entry (%d, %d) of X·U is %v, column by column %v", i, j, product[j*n+i], want[i])
			}
		}
	}
	h := make([]float64, n*n)
	Gram(x, n, n, nil, h)
	for i := range n {
		for j := range i + 1 {
			if want := kernels.Dot(x[i*n:(i+1)*n], x[j*n:(j+1)*n]); math.Abs(h[i*n+j]-want) > 1e-12*n {
				t.Fatalf("entry (%d, %d) of XᵀX is %v, want %v", i, j, h[i*n+j], want)
			}
		}
	}
}
