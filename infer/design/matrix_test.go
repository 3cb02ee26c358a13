package design_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/internal/simd"
)

func TestSparseIsTheMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 50))
	dense, x := design.NewDense(50, 5), design.NewSparse(50, 5, 0)
	for j := range dense.Cols {
		for i := range dense.Rows {
			switch {
			case j == 0:
				dense.Col(j)[i] = 1
			case j%2 == 0 || i%3 == 0:
				dense.Col(j)[i] = r.NormFloat64()
			}
		}
		x.AppendDense(dense.Col(j))
	}
	from := []int{49, 0, 0, 7, 12}
	taken := x.Taken(from)
	for j := range dense.Cols {
		col := dense.Col(j)
		if !slices.Equal(x.Col(j), col) {
			t.Errorf("column %d differs", j)
		}
		part := make([]float64, 17)
		x.Read(j, 11, part)
		if !slices.Equal(part, col[11:28]) {
			t.Errorf("rows 12 to 28 of column %d are %v", j, part)
		}
		for to, i := range from {
			if got := taken.Col(j)[to]; got != col[i] {
				t.Errorf("row %d taken to %d: %v, want %v", i, to, got, col[i])
			}
		}
		sum, b := make([]float64, 17), make([]float64, j+1)
		b[j] = 2
		x.AddRows(simd.Vector(), b, sum, 11)
		b[j] = -1
		dense.AddRows(simd.Vector(), b, sum, 11)
		for i, v := range sum {
			if v != col[11+i] {
				t.Errorf("row %d of column %d, twice less once, is %v", 11+i, j, v)
			}
		}
	}
	if full := x.Column(0); full.Rows != nil || len(full.Values) != 50 {
		t.Error("a column without zeros is not read as a dense one")
	}
	if got, want := x.Entries(), int64(3*50+2*17); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}

// A broken column is a fault of who makes it.
func TestSparseRefusesDisorder(t *testing.T) {
	for _, rows := range [][]int32{{3, 3}, {4, 2}, {0, 9}, {-1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("rows %v were taken", rows)
				}
			}()
			design.NewSparse(9, 1, 2).Append(rows, make([]float64, len(rows)))
		}()
	}
}

// Products of rows are those of the dense design, whatever columns are full, and one of
// infinite ridge counts for nothing.
func TestOuter(t *testing.T) {
	const n, d = 5, 8
	x := design.NewSparse(n, d, n*d)
	for j := range d {
		col := make([]float64, n)
		for i := range n {
			if j%3 == 0 || (i+j)%2 == 0 {
				col[i] = math.Sin(float64(3*i + 7*j + 1))
			}
		}
		x.AppendDense(col)
	}
	ridge := []float64{1, 2, 0.5, 4, math.Inf(1), 1, 3, 1}
	k := make([]float64, n*n)
	x.Outer(ridge, k)
	for i := range n {
		for l := range n {
			want := 0.0
			for j := range d {
				want += x.Col(j)[i] * x.Col(j)[l] / ridge[j]
			}
			if l > i {
				want = 0
			}
			if !(math.Abs(k[i*n+l]-want) <= 1e-14) {
				t.Errorf("entry (%d, %d) is %v, want %v", i, l, k[i*n+l], want)
			}
		}
	}
}
