package cggibbs

import (
	"math"
	"sort"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// words is a sparse posterior whose columns have a row each, except the first sixteen, which are eight pairs of
// columns that differ in one row: twelve slow directions, with the columns that appear twice.
func words(t testing.TB, n, d int) *glm.Target {
	t.Helper()
	x, y := design.NewSparse(n, d, n*d/8), make([]float64, n)
	stream := infer.NewStream(6, "words")
	for j := range d {
		rows, values := []int32{int32(j % n)}, []float64{1}
		switch {
		case j < 16 && j%2 == 0:
			rows, values = nil, nil
			for i := range n {
				if stream.Float64() < 0.2 {
					rows, values = append(rows, int32(i)), append(values, 1)
				}
			}
		case j < 16:
			c := x.Column(j - 1)
			rows, values = c.Rows[1:], c.Values[1:]
		}
		x.Append(rows, values)
	}
	m := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}}
	for range d {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 10})
	}
	for i := range y {
		if stream.Float64() < 0.5 {
			y[i] = 1
		}
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: -1}, m)
	must(t, err)
	return target
}

// found returns words and their slow directions.
func found(t *testing.T) (target *glm.Target, slow *directions) {
	target = words(t, 300, 304)
	slow, err := findSlow(target, slowCount)
	must(t, err)
	return target, slow
}

// Slow directions are those that a pair of sweeps leaves most of, in their order, and what they do to the linear
// predictor is their product with the design.
func TestFindSlow(t *testing.T) {
	target, found := found(t)
	betas := found.betas
	all := newBlock(target, 304, infer.NewStream(1, "all")) // whose span is everything: these are the eigenvalues
	exact, ok := all.ritz()
	if !ok {
		t.Fatal("304 random points are dependent")
	}
	above := func(kept float64) int { return sort.Search(304, func(i int) bool { return exact[i] < kept }) }
	if least, most := above(0.9), above(slowKept); len(betas) < least || len(betas) > most || least < 8 {
		t.Errorf("%d directions, want %d to %d: pairs of sweeps keep %.3f", len(betas), least, most, exact[:20])
	}
	for i, beta := range betas { // as much as by any direction that is orthonormal to those before, and hardly less
		if kept := keptByPair(target, beta); !(kept >= exact[i]-0.015 && kept <= exact[i]+1e-9 && kept >= slowKept) {
			t.Errorf("a pair of sweeps keeps %v of direction %d, want %v", kept, i, exact[i])
		}
	}
	for i, beta := range betas {
		eta := make([]float64, 300)
		for j, b := range beta {
			target.Data().X.Column(j).AddTo(eta, b)
		}
		for r := range eta {
			if !(math.Abs(eta[r]-found.etas[i][r]) <= 1e-12) {
				t.Errorf("direction %d moves row %d by %v, product %v", i, r, found.etas[i][r], eta[r])
			}
		}
	}
}

// Slow directions are orthonormal in the curvature, and sweeps with them mix faster.
func TestFindSlowOrthonormal(t *testing.T) {
	target, found := found(t)
	betas := found.betas
	weights, ridge := curvatureAt(target)
	for a, u := range betas {
		for b, v := range betas[:a+1] {
			sum := 0.0
			one, other := make([]float64, len(weights)), make([]float64, len(weights))
			for j, r := range ridge {
				sum += r * u[j] * v[j]
				target.Data().X.Column(j).AddTo(one, u[j])
				target.Data().X.Column(j).AddTo(other, v[j])
			}
			for i, w := range weights {
				sum += w * one[i] * other[i]
			}
			if a == b {
				sum--
			}
			if !(math.Abs(sum) <= 1e-10) {
				t.Errorf("product of directions %d and %d is off by %v", a, b, sum)
			}
		}
	}
	before, after := dependence(target), dependenceWith(target, found, len(betas))
	t.Logf("%.1f sweeps to a draw, %.1f with slow directions", before, after)
	if one := dependenceWith(target, found, 1); !(one > after && one < before) {
		t.Errorf("%v sweeps to a draw with one direction in turn: want %v to %v", one, after, before)
	}
	if !(after < 0.7*before) {
		t.Errorf("%v sweeps to a draw, %v with slow directions: they are not slow", before, after)
	}
	s := newRowRelaxed(target.Data().X, weights, ridge)
	for i, beta := range betas {
		for j, x := range beta {
			s.move(j, x-s.u[j])
		}
		if energy := s.energy(); !(math.Abs(energy-1) <= 1e-10) {
			t.Errorf("direction %d has an energy of %v before a sweep", i, energy)
		}
	}
}

// keptByPair returns the product, in the curvature, of a direction with what a pair of sweeps leaves of it.
func keptByPair(target *glm.Target, beta []float64) float64 {
	weights, ridge := curvatureAt(target)
	s := newRowRelaxed(target.Data().X, weights, ridge)
	for j, x := range beta {
		s.move(j, x)
	}
	q, d := append([]float64(nil), s.q...), len(beta)
	for i := range 2 * d {
		j := i
		if i >= d {
			j = 2*d - 1 - i
		}
		s.move(j, -s.slope(j)/s.diagonal(j))
	}
	sum := kernels.Dot(q, s.q)
	for j, r := range ridge {
		sum += r * beta[j] * s.u[j]
	}
	return sum
}

// The filter's roots are those of the Chebyshev polynomial.
func TestChebyshev(t *testing.T) {
	for i, x := range chebyshev {
		if want := math.Cos(float64(2*i+1) * math.Pi / float64(2*len(chebyshev))); !(math.Abs(x-want) <= 1e-15) {
			t.Errorf("root %d is %v, want %v", i, x, want)
		}
	}
}
