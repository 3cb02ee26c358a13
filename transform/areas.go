package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// components are the connected parts of a map, each with its areas in increasing order.
func (m *Matrix) components() (out [][]int32) {
	next := make([][]int32, len(m.Levels))
	for _, e := range m.neighbours() {
		next[e.Row], next[e.Column] = append(next[e.Row], e.Column), append(next[e.Column], e.Row)
	}
	seen := make([]bool, len(m.Levels))
	for first := range m.Levels {
		if seen[first] {
			continue
		}
		seen[first] = true
		part := []int32{int32(first)}
		for at := 0; at < len(part); at++ {
			for _, to := range next[part[at]] {
				if !seen[to] {
					seen[to] = true
					part = append(part, to)
				}
			}
		}
		slices.Sort(part)
		out = append(out, part)
	}
	return out
}

// neighbours are the entries of different areas that are not 0.
func (m *Matrix) neighbours() []Entry {
	return slices.DeleteFunc(slices.Clone(m.Entries), func(e Entry) bool { return e.Row == e.Column || e.Value == 0 })
}

// minEigen is the part of the largest eigenvalue of a structure matrix up to which one counts as 0.
const minEigen = 1e-10

// areas makes the columns of car() of a map. With degrees D and neighbours W:
//
//	icar   precision (D − W)/sd² of each component, its values with the sum 0
//	bym2   covariance sd²·((1 − rho)·I + rho·C), where C is the generalised inverse of D − W of each component, divided
//	       by the geometric mean of its diagonal
//	escar  precision (D − rho·W)/sd²
//
// An area without neighbours has a normal effect with the standard deviation sd, in escar none.
//
// Source: Riebler, Sørbye, Simpson and Rue (2016), doi:10.1177/0962280216660421; of components and single areas
// Freni-Sterrantino, Ventrucci and Rue (2018), A note on intrinsic conditional autoregressive models for disconnected
// graphs, doi:10.1016/j.sste.2018.04.002.
func areas(kind string, m *Matrix) (*Structure, error) {
	out, n := &Structure{Kind: kind}, len(m.Levels)
	for _, part := range m.components() {
		switch {
		case len(part) == 1 && kind == kindESCAR:
			return nil, words.Hint(fmt.Errorf("area %q has no neighbours", m.Levels[part[0]]),
				`type = "icar" and type = "bym2" take such areas`)
		case len(part) == 1:
			out.add(n, part, []float64{1}, 1)
			continue
		}
		if err := out.component(m, part); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add appends a column with values at some levels, and its share, of kinds that have one.
func (s *Structure) add(levels int, at []int32, values []float64, share float64) {
	column := make([]float64, levels)
	for i, k := range at {
		column[k] = values[i]
	}
	s.Map = append(s.Map, column...)
	if s.Kind == kindESCAR || s.Kind == kindBYM2 {
		s.Shares = append(s.Shares, share)
	}
}

// component adds the columns of a connected part of a map. Cost: O(areas³).
func (s *Structure) component(m *Matrix, part []int32) error {
	k := len(part)
	at := make(map[int32]int, k)
	for i, area := range part {
		at[area] = i
	}
	a, degree := make([]float64, k*k), make([]float64, k)
	for _, e := range m.neighbours() {
		i, in := at[e.Row]
		if !in {
			continue
		}
		j := at[e.Column]
		a[i*k+j], a[j*k+i] = -1, -1
		degree[i]++
		degree[j]++
	}
	for i, d := range degree {
		if a[i*k+i] = d; s.Kind != kindESCAR {
			continue
		}
		for j := range k { // D^−½·(D − W)·D^−½
			a[i*k+j] /= float64(math.Sqrt(d) * math.Sqrt(degree[j]))
		}
		a[i*k+i] = 1
	}
	values, vectors, err := linalg.SymEigen(a, k)
	if err != nil {
		return errors.New("its structure matrix has no eigenvalues")
	}
	scale := 1.0
	if s.Kind == kindBYM2 {
		scale = typicalVariance(values, vectors, k)
	}
	for j, value := range values {
		v, null := vectors[j*k:(j+1)*k], !(value > minEigen*values[0])
		switch {
		case s.Kind == kindESCAR && null:
			value = 0
			fallthrough
		case s.Kind == kindESCAR:
			for i := range v {
				v[i] /= math.Sqrt(degree[i])
			}
			s.add(len(m.Levels), part, v, value)
		case s.Kind == kindBYM2 && null:
			s.add(len(m.Levels), part, v, 0)
		case s.Kind == kindBYM2:
			s.add(len(m.Levels), part, v, 1/float64(value*scale))
		case !null:
			rescaleBy(v, 1/math.Sqrt(value))
			s.add(len(m.Levels), part, v, 0)
		}
	}
	return nil
}

// typicalVariance is the geometric mean of the diagonal of the generalised inverse of a structure matrix.
func typicalVariance(values, vectors []float64, k int) float64 {
	sum := 0.0
	for i := range k {
		variance := 0.0
		for j, value := range values {
			if value > minEigen*values[0] {
				v := vectors[j*k+i]
				variance = math.FMA(v/value, v, variance)
			}
		}
		sum += vec.Log(variance)
	}
	return vec.Exp(sum / float64(k))
}

// structure makes the columns of a kind of term with a matrix.
func (m *Matrix) structure(kind string) (*Structure, error) {
	if kind == kindCov {
		return m.covariance()
	}
	return areas(kind, m)
}

// covariance makes the columns of gr(g, cov = A), whose effects have the covariance sd²·A: the eigenvectors of A, each
// times the root of its eigenvalue. Directions without variance have no column. Cost: O(levels³).
func (m *Matrix) covariance() (*Structure, error) {
	out, n := &Structure{Kind: kindCov}, len(m.Levels)
	a, all := make([]float64, n*n), make([]int32, n)
	for _, e := range m.Entries {
		a[int(e.Row)*n+int(e.Column)], a[int(e.Column)*n+int(e.Row)] = e.Value, e.Value
	}
	for i := range all {
		if all[i] = int32(i); !(a[i*n+i] > 0) {
			return nil, words.Hint(fmt.Errorf("the variance of %q in matrix %q is %v", m.Levels[i], m.Name, a[i*n+i]),
				"give the table a row for each level with itself")
		}
	}
	values, vectors, err := linalg.SymEigen(a, n)
	if err != nil || values[n-1] < -minEigen*values[0] {
		return nil, words.Hint(fmt.Errorf("matrix %q is not a covariance matrix: an eigenvalue is negative", m.Name),
			"check that each pair has its covariance")
	}
	for j, value := range values {
		if v := vectors[j*n : (j+1)*n]; value > minEigen*values[0] {
			rescaleBy(v, math.Sqrt(value))
			out.add(n, all, v, 0)
		}
	}
	return out, nil
}

// randomWalk makes the columns of a random walk over n levels: its differences, or second differences, are independent
// normal with the standard deviation sd. The sum of the values is 0; of order 2 a line is apart, without a penalty.
func randomWalk(n, order int) *Structure {
	a := make([]float64, n*n)
	weights := []float64{-1, 1}
	if order == 2 {
		weights = []float64{1, -2, 1}
	}
	for first := range n - order {
		for i, u := range weights {
			for j, w := range weights {
				a[(first+i)*n+first+j] += float64(u * w)
			}
		}
	}
	out := &Structure{Kind: rwCall, Order: order}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	if order == 2 {
		line := make([]float64, n)
		for i := range line {
			line[i] = float64(i) - 0.5*float64(n-1)
		}
		out.add(n, all, line, 0)
		out.Fixed = 1
	}
	values, vectors, err := linalg.SymEigen(a, n)
	if err != nil {
		panic("transform: the matrix of a random walk has no eigenvalues: " + err.Error())
	}
	for j := range n - order {
		v := vectors[j*n : (j+1)*n]
		rescaleBy(v, 1/math.Sqrt(values[j]))
		out.add(n, all, v, 0)
	}
	return out
}
