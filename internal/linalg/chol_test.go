package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// gram returns A = GGᵀ + ridge·I, full and by rows.
func gram(r *rand.Rand, n int, ridge float64) []float64 {
	g, a := make([]float64, n*n), make([]float64, n*n)
	for i := range g {
		g[i] = r.NormFloat64()
	}
	for i := range n {
		for j := range n {
			for k := range n {
				a[i*n+j] += g[i*n+k] * g[j*n+k]
			}
		}
		a[i*n+i] += ridge
	}
	return a
}

func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 8, 17, 60} {
		a := gram(r, n, 0.1)
		c, err := Cholesky(append([]float64(nil), a...), n)
		must(t, err)
		logDet := 0.0
		for i := range n {
			logDet += 2 * math.Log(c.l[i*n+i])
			for j := range i + 1 { // LLᵀ = A
				sum, size := 0.0, 0.0
				for k := range j + 1 {
					sum += c.l[i*n+k] * c.l[j*n+k]
					size += math.Abs(c.l[i*n+k] * c.l[j*n+k])
				}
				if math.Abs(sum-a[i*n+j]) > 1e-15*float64(n+2)*(size+math.Abs(a[i*n+j])) {
					t.Errorf("n=%d: (LLᵀ)(%d,%d) = %v, want %v", n, i, j, sum, a[i*n+j])
				}
			}
		}
		if math.Abs(logDet-c.LogDet()) > 1e-12*(1+math.Abs(logDet)) {
			t.Errorf("n=%d: LogDet = %v, want %v", n, c.LogDet(), logDet)
		}
		checkSolve(t, r, c, a, n)
	}
}

// checkSolve demands A·x = b for x from Solve, and from the two halves.
func checkSolve(t *testing.T, r *rand.Rand, c *Chol, a []float64, n int) {
	t.Helper()
	b := make([]float64, n)
	for i := range b {
		b[i] = r.NormFloat64()
	}
	x := append([]float64(nil), b...)
	c.Solve(x)
	y := append([]float64(nil), b...)
	c.SolveLower(y)
	c.SolveUpper(y)
	for i := range n {
		sum, size := 0.0, 0.0
		for j := range n {
			sum += a[i*n+j] * x[j]
			size += math.Abs(a[i*n+j] * x[j])
		}
		if math.Abs(sum-b[i]) > 1e-14*float64(n+2)*size || x[i] != y[i] {
			t.Errorf("n=%d: (Ax)(%d) = %v, want %v; x = %v, by halves %v", n, i, sum, b[i], x[i], y[i])
		}
	}
}

func TestCholeskyRefuses(t *testing.T) {
	nan := math.NaN()
	for name, a := range map[string][]float64{
		"zero":       {0},
		"negative":   {1, 0, 2, 3},
		"singular":   {1, 0, 1, 1},
		"NaN":        {1, 0, nan, 1},
		"infinite":   {math.Inf(1)},
		"NaN corner": {nan, 0, 0, 1},
	} {
		n := int(math.Sqrt(float64(len(a))))
		if _, err := Cholesky(a, n); !errors.Is(err, ErrNotPositive) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSpan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 40
	draw := func(scale float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = scale * r.NormFloat64()
		}
		return v
	}
	s := NewSpan(1e-11)
	a, b := draw(1e-180), draw(1e180)
	sum := make([]float64, n)
	near := make([]float64, n)
	for i := range sum {
		sum[i] = 3e200*a[i] + b[i]/7e160
		near[i] = b[i] * (1 + 1e-6*r.NormFloat64())
	}
	steps := []struct {
		name string
		col  []float64
		want bool
	}{
		{"tiny", a, true}, {"huge", b, true}, {"their sum", sum, false}, {"zero", make([]float64, n), false},
		{"the first again", a, false}, {"nearly the second", near, true},
	}
	for _, step := range steps {
		if got := s.Add(step.col); got != step.want {
			t.Errorf("%s: independent = %v, want %v", step.name, got, step.want)
		}
	}
	if s.Rank() != 3 {
		t.Errorf("rank %d, want 3", s.Rank())
	}
	for range n {
		s.Add(draw(1))
	}
	if s.Rank() != n {
		t.Errorf("rank %d of random columns, want %d", s.Rank(), n)
	}
	if _, share := s.Residual(draw(1)); share > 1e-13 {
		t.Errorf("a full span leaves a share of %v", share)
	}
}

func BenchmarkCholesky(b *testing.B) {
	n := 400
	a := gram(rand.New(rand.NewPCG(1, 1)), n, 1)
	work := make([]float64, len(a))
	b.Run("n=400", func(b *testing.B) {
		for b.Loop() {
			copy(work, a)
			if _, err := Cholesky(work, n); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Products undo solutions, from the left and from the right.
func TestCholeskyProducts(t *testing.T) {
	c, err := Cholesky([]float64{4, 0, 0, 2, 5, 0, 1, -1, 3}, 3)
	must(t, err)
	for name, do := range map[string][2]func([]float64){
		"L": {c.SolveLower, c.MulLower}, "Lᵀ": {c.SolveUpper, c.MulUpper},
	} {
		b := []float64{1, -2, 3}
		do[0](b)
		do[1](b)
		for i, want := range []float64{1, -2, 3} {
			if math.Abs(b[i]-want) > 1e-14 {
				t.Errorf("%s: entry %d is %v, want %v", name, i, b[i], want)
			}
		}
	}
}
