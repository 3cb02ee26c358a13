package transform

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// mapOf is a map of pairs, "a-b"; "a" alone has no neighbours.
func mapOf(t *testing.T, pairs ...string) *Matrix {
	t.Helper()
	var from, to []string
	var alone []int
	for row, p := range pairs {
		a, b, paired := strings.Cut(p, "-")
		if from, to = append(from, a), append(to, b); !paired {
			alone = append(alone, row)
		}
	}
	m, err := ReadMatrix("W", makeTable(t, 0, col{name: "a", values: from}, col{name: "b", values: to, missing: alone}),
		MatrixColumns{}, func(row int64) string { return fmt.Sprint("row ", row+1) })
	must(t, err)
	return m
}

// laplacian is D − rho·W of a map.
func (m *Matrix) laplacian(rho float64) [][]float64 {
	n := len(m.Levels)
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	for _, e := range m.neighbours() {
		out[e.Row][e.Column] -= rho
		out[e.Column][e.Row] -= rho
		out[e.Row][e.Row]++
		out[e.Column][e.Column]++
	}
	return out
}

// covariance is that of effects with the standard deviation 1 whose columns have these variances.
func (s *Structure) covariance(n int, variance func(j int) float64) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
		for k := range out[i] {
			for j := s.Fixed; j < s.columns(n); j++ {
				out[i][k] += variance(j-s.Fixed) * s.Map[j*n+i] * s.Map[j*n+k]
			}
		}
	}
	return out
}

func times(a, b [][]float64) [][]float64 {
	out := make([][]float64, len(a))
	for i := range a {
		out[i] = make([]float64, len(b[0]))
		for j := range out[i] {
			for k := range b {
				out[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return out
}

func alike(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	for i := range want {
		for j := range want[i] {
			if math.Abs(got[i][j]-want[i][j]) > 1e-9 {
				t.Fatalf("%s: entry %d, %d is %v, want %v", what, i, j, got[i][j], want[i][j])
			}
		}
	}
}

func one(int) float64 { return 1 }

// Two components and two areas without neighbours; one pair is listed in both orders.
func disconnected(t *testing.T) *Matrix {
	return mapOf(t, "a-b", "b-c", "c-d", "d-a", "b-d", "c-b", "p-q", "q-r", "y", "z")
}

// The covariance of icar is the generalised inverse of D − W, and the sum of each component is 0. Areas without
// neighbours are independent with the variance 1.
func TestICARIsGeneralisedInverse(t *testing.T) {
	m := disconnected(t)
	s, err := areas(kindICAR, m)
	must(t, err)
	n := len(m.Levels)
	if got := s.columns(n); got != n-2 {
		t.Fatalf("%d columns of %d areas with two components of several", got, n)
	}
	for j := range s.columns(n) {
		for _, part := range m.components() {
			sum := 0.0
			for _, i := range part {
				sum += s.Map[j*n+int(i)]
			}
			if len(part) > 1 && math.Abs(sum) > 1e-12 {
				t.Errorf("column %d has the sum %v over %v", j, sum, part)
			}
		}
	}
	r, c := m.laplacian(1), s.covariance(n, one)
	alike(t, "R·C·R", times(times(r, c), r), r)
	for _, part := range m.components() {
		if i := part[0]; len(part) == 1 && math.Abs(c[i][i]-1) > 1e-12 {
			t.Errorf("area %s without neighbours has the variance %v", m.Levels[i], c[i][i])
		}
	}
}

// The covariance of gr(g, cov = A) is A, also of a matrix without full rank.
func TestCovarianceIsOfMatrix(t *testing.T) {
	a := [][]float64{{2, 1, 0.5}, {1, 1.5, 0.75}, {0.5, 0.75, 0.375}} // the third level is half of the second
	m := &Matrix{Name: "A", Levels: []string{"1", "2", "3"}}
	for i := range a {
		for j := i; j < len(a); j++ {
			m.Entries = append(m.Entries, Entry{Row: int32(i), Column: int32(j), Value: a[i][j]})
		}
	}
	s, err := m.covariance()
	must(t, err)
	if got := s.columns(3); got != 2 {
		t.Fatalf("%d columns of a matrix of rank 2", got)
	}
	alike(t, "covariance", s.covariance(3, one), a)
}

// The structured part of bym2 has variances with the geometric mean 1 in each component, and is proportional to that
// of icar; the other part is independent with the variance 1.
func TestBYM2IsScaled(t *testing.T) {
	m := disconnected(t)
	s, err := areas(kindBYM2, m)
	must(t, err)
	n := len(m.Levels)
	c := s.covariance(n, func(j int) float64 { return s.Shares[j] })
	for _, part := range m.components() {
		sum := 0.0
		for _, i := range part {
			sum += math.Log(c[i][i])
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("the variances of %v have the mean log %v", part, sum/float64(len(part)))
		}
	}
	r := m.laplacian(1)
	scaled := times(times(r, c), r)
	for _, part := range m.components() {
		factor := scaled[part[0]][part[0]]
		for _, i := range part {
			for _, k := range part {
				if len(part) > 1 && math.Abs(scaled[i][k]*r[part[0]][part[0]]-factor*r[i][k]) > 1e-9 {
					t.Errorf("component %v is not structured as icar", part)
				}
			}
		}
	}
	all := s.covariance(n, one)
	for i := range all {
		all[i][i]--
	}
	for i := range all {
		for k := range all {
			if math.Abs(all[i][k]) > 1e-9 {
				t.Fatalf("independent part: entry %d, %d differs by %v", i, k, all[i][k])
			}
		}
	}
}

// The covariance of escar is the inverse of D − rho·W.
func TestESCARIsInverse(t *testing.T) {
	m := mapOf(t, "a-b", "b-c", "c-d", "d-a", "b-d", "p-q", "q-r", "q-p")
	s, err := areas(kindESCAR, m)
	must(t, err)
	n := len(m.Levels)
	unit := make([][]float64, n)
	for i := range unit {
		unit[i] = make([]float64, n)
		unit[i][i] = 1
	}
	for _, rho := range []float64{0.1, 0.8, 0.99} {
		c := s.covariance(n, func(j int) float64 { return 1 / (1 - rho + rho*s.Shares[j]) })
		alike(t, fmt.Sprint("rho ", rho), times(m.laplacian(rho), c), unit)
	}
	if _, err := areas(kindESCAR, disconnected(t)); err == nil || !strings.Contains(err.Error(), `area "y" has no neighbours`) {
		t.Errorf("an area without neighbours: %v", err)
	}
}

// Differences of the order of a random walk are independent with the variance 1, the sum is 0, and a line is apart.
func TestRandomWalkDifferences(t *testing.T) {
	const n = 9
	for order := 1; order <= 2; order++ {
		s := randomWalk(n, order)
		d := make([][]float64, n-order)
		for i := range d {
			d[i] = make([]float64, n)
			copy(d[i][i:], map[int][]float64{1: {-1, 1}, 2: {1, -2, 1}}[order])
		}
		back := make([][]float64, n)
		for i := range back {
			back[i] = make([]float64, len(d))
			for k := range d {
				back[i][k] = d[k][i]
			}
		}
		unit := make([][]float64, len(d))
		for i := range unit {
			unit[i] = make([]float64, len(d))
			unit[i][i] = 1
		}
		alike(t, fmt.Sprint("order ", order), times(times(d, s.covariance(n, one)), back), unit)
		for j := range s.columns(n) {
			sum, rise := 0.0, 0.0
			for i := range n {
				sum += s.Map[j*n+i]
				rise += float64(i) * s.Map[j*n+i]
			}
			if math.Abs(sum) > 1e-9 || order == 2 && (math.Abs(rise) > 1e-9) == (j >= s.Fixed) {
				t.Errorf("order %d, column %d: sum %v, slope %v", order, j, sum, rise)
			}
		}
	}
}

// A pair has one value in whatever order it is listed; the hash does not depend on the order of rows.
func TestMatrixOfPairs(t *testing.T) {
	if a, b := mapOf(t, "a-b", "b-c"), mapOf(t, "c-b", "b-a", "b-c"); a.Hash() != b.Hash() || len(b.Entries) != 2 {
		t.Errorf("hashes %s and %s, entries %v", a.Hash(), b.Hash(), b.Entries)
	}
	if a, b := mapOf(t, "a-b"), mapOf(t, "a-b", "c"); a.Hash() == b.Hash() || len(b.Levels) != 3 {
		t.Errorf("an area without neighbours is left out: %v", b.Levels)
	}
	numbers := makeTable(t, 0, col{name: "i", values: []float64{10, 9}}, col{name: "j", values: []float64{9, 100}},
		col{name: "value", values: []float64{0.5, 2}})
	m, err := ReadMatrix("A", numbers, MatrixColumns{}, func(int64) string { return "" })
	must(t, err)
	if got := fmt.Sprint(m.Levels, m.Entries); got != "[9 10 100] [{0 1 0.5} {0 2 2}]" {
		t.Errorf("numbers: %s", got)
	}
	for want, values := range map[string][]float64{"and 0.5 in an earlier row": {0.5, 2}, "no value": {0.5, math.NaN()}} {
		table := makeTable(t, 0, col{name: "i", values: []string{"a", "b"}}, col{name: "j", values: []string{"b", "a"}},
			col{name: "value", values: values})
		if _, err := ReadMatrix("A", table, MatrixColumns{}, func(row int64) string { return fmt.Sprint("row ", row+1) }); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
