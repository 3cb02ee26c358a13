package glm_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// made are columns of n rows, one of them far from 0 and one constant, and how often rows count.
func made(n int) (columns [][]float64, frequency []float64) {
	s := infer.NewStream(7, "triangle")
	columns, frequency = make([][]float64, 4), make([]float64, n)
	for i := range n {
		x := variate.Normal(s)
		columns[0] = append(columns[0], x)
		columns[1] = append(columns[1], 1e6+variate.Normal(s)+0.5*x)
		columns[2] = append(columns[2], 3)
		columns[3] = append(columns[3], x-2*variate.Normal(s))
		frequency[i] = float64(1 + i*i%5)
	}
	return columns, frequency
}

// pushed is the triangle of rows that come in pieces of size rows.
func pushed(columns [][]float64, frequency []float64, size int) *glm.Triangle {
	t := glm.NewTriangle(len(columns))
	for first := 0; first < len(columns[0]); first += size {
		last := min(first+size, len(columns[0]))
		var some [][]float64
		for _, x := range columns {
			some = append(some, x[first:last])
		}
		var f []float64
		if frequency != nil {
			f = frequency[first:last]
		}
		t.Push(some, f)
	}
	t.End()
	return t
}

// The rows that a triangle returns have the number of observations, the means and the products about them of all
// rows, with their counts.
func TestTriangleTellsAllRows(t *testing.T) {
	columns, frequency := made(5000)
	for name, weights := range map[string][]float64{"each once": nil, "counted": frequency} {
		tri := pushed(columns, weights, 777)
		centre, scale := []float64{0.25, 1e6, 0, 0}, []float64{2, 0.5, 1, 1}
		got, counts, ok := tri.Representatives(centre, scale)
		if !ok {
			t.Fatal("too few rows")
		}
		if weights == nil {
			weights = slices.Repeat([]float64{1}, 5000)
		}
		scaled := make([][]float64, len(columns))
		for j, x := range columns {
			for _, v := range x {
				scaled[j] = append(scaled[j], (v-centre[j])/scale[j])
			}
		}
		n, m := sum(weights), sum(counts)
		if n != m {
			t.Errorf("%s: %v observations, want %v", name, m, n)
		}
		for _, f := range counts {
			if f != math.Floor(f) || f < 1 {
				t.Errorf("%s: a row counts %v times", name, f)
			}
		}
		for i := range columns {
			want, is := product2(weights, scaled[i], nil)/n, product2(counts, got[i], nil)/n
			if !(math.Abs(want-is) <= 1e-11*(1+math.Abs(want))) {
				t.Errorf("%s: mean %v of column %d, want %v", name, is, i, want)
			}
			_, sd := tri.Moments(i)
			if want := math.Sqrt(about(weights, scaled[i], scaled[i])/(n-1)) * scale[i]; !(math.Abs(sd-want) <= 1e-11*(1+want)) {
				t.Errorf("%s: standard deviation %v of column %d, want %v", name, sd, i, want)
			}
			for j := range columns {
				want, is := about(weights, scaled[i], scaled[j]), about(counts, got[i], got[j])
				if !(math.Abs(want-is) <= 1e-9*n) {
					t.Errorf("%s: product %v of columns %d and %d, want %v", name, is, i, j, want)
				}
			}
		}
	}
}

func sum(x []float64) float64 { return product2(x, nil, nil) }

// product2 is Σ w·x·y, nil for ones.
func product2(w, x, y []float64) float64 {
	total := 0.0
	for i, v := range w {
		if x != nil {
			v *= x[i]
		}
		if y != nil {
			v *= y[i]
		}
		total += v
	}
	return total
}

// about is Σ w·(x − mean)·(y − mean).
func about(w, x, y []float64) float64 {
	n := sum(w)
	a, b := product2(w, x, nil)/n, product2(w, y, nil)/n
	total := 0.0
	for i, v := range w {
		total += v * (x[i] - a) * (y[i] - b)
	}
	return total
}

// No bit of a triangle depends on the pieces in which its rows came.
func TestTriangleOfAnyPieces(t *testing.T) {
	columns, frequency := made(5000)
	want := pushed(columns, frequency, 5000).Numbers()
	for _, size := range []int{1, 7, 1023, 1024, 1025, 4096} {
		if got := pushed(columns, frequency, size).Numbers(); !slices.Equal(got, want) {
			t.Errorf("pieces of %d rows: other bits", size)
		}
	}
}

// Fewer observations than the factor has rows are refused.
func TestTriangleOfFewRows(t *testing.T) {
	columns, frequency := made(4)
	if _, _, ok := pushed(columns, nil, 4).Representatives(make([]float64, 4), []float64{1, 1, 1, 1}); ok {
		t.Error("4 rows are told by 5")
	}
	if _, _, ok := pushed(columns, frequency, 4).Representatives(make([]float64, 4), []float64{1, 1, 1, 1}); !ok {
		t.Error("4 rows that count 7 times are not told by 5")
	}
}
