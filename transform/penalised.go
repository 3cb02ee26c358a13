package transform

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/linalg"
)

// smooth reports whether the basis is that of s() or gp().
func (s *Basis) smooth() bool { return s.Map != nil || s.Process != nil }

// raw is how many functions a smooth is made of.
func (s *Basis) raw() int {
	if s.Kind == "ps" {
		return len(s.Knots) - s.Degree - 1
	}
	return len(s.Knots)
}

// checkSmooth finds a basis of s() that no Build writes.
func (s *Basis) checkSmooth(label string) error {
	if s.Kind == processBasis && s.Process != nil {
		return s.Process.check(label)
	}
	rising := slices.IsSorted(s.Knots) && len(slices.Compact(slices.Clone(s.Knots))) == len(s.Knots)
	sized := slices.Contains(smoothBases, s.Kind) && s.Degree >= 2 && s.Degree <= 4 && s.raw() >= minK-1
	if !rising || !sized || len(s.Map)%s.raw() != 0 || s.Fixed < 0 || s.Fixed >= s.columns() {
		return fmt.Errorf("design record: the basis of %q is not one of s() with all that it needs", label)
	}
	return nil
}

// hint is the remedy if a smooth cannot be made of few numbers.
func (c *smoothCall) hint() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("take a smaller k (at least %d, and no more than there are distinct values), or the number itself "+
		"as a term, or factor(x)", minK)
}

// fillSmooth writes the columns of a smooth at every x.
func (s *Basis) fillSmooth(out [][]float64, x []float64) {
	if s.Process != nil {
		s.Process.fill(out, x)
		return
	}
	if s.Kind != "ps" {
		newCubic(s.Knots, s.Map).fill(out, x)
		return
	}
	bs := &spline{basis: s, knots: s.Knots}
	n := s.raw()
	row, slope := make([]float64, n), make([]float64, n)
	low, high := s.Knots[s.Degree], s.Knots[n]
	for i, v := range x {
		at := max(low, min(high, v))
		bs.derivative(row, at, 0)
		if at != v { // a line beyond the inner knots
			bs.derivative(slope, at, 1)
			for p := range row {
				row[p] = math.FMA(v-at, slope[p], row[p])
			}
		}
		for p := range out {
			sum := 0.0
			for j, b := range row {
				sum = math.FMA(b, s.Map[p*n+j], sum)
			}
			out[p][i] = sum
		}
	}
}

// learn makes the basis of a smooth of x as mgcv's smoothCon and smooth2random do with a diagonal penalty: functions
// with a quadratic penalty, centred over the rows unless free, of which Fixed have no penalty and the others are such
// that their coefficients are independent normal with one standard deviation. Among these, which any rotation leaves
// as they are, it takes those whose columns are orthogonal over the rows.
//
// Source: Wood (2017), Generalized Additive Models, 2nd edition, sections 5.3, 5.4.2, 5.5 and 5.8; Wood (2003), Thin
// plate regression splines, doi:10.1111/1467-9868.00374.
func (c *smoothCall) learn(x, counts []float64) (*Basis, error) {
	d := valuesOf(x, counts, c.weights)
	if len(d.x) == 1 {
		return nil, fmt.Errorf("it is %v in all rows, and a curve needs %d values", d.x[0], minK)
	}
	if c.bs == processBasis {
		return c.learnProcess(x)
	}
	if len(d.x) < c.k {
		return nil, fmt.Errorf("it has %d distinct values, fewer than k = %d", len(d.x), c.k)
	}
	out := &Basis{Kind: c.bs, Degree: 3, Boundary: [2]float64{d.x[0], d.x[len(d.x)-1]}}
	var penalty []float64
	var err error
	switch c.bs {
	case "tp":
		penalty, err = c.thinPlate(out, d)
	case "cr":
		penalty = c.cubicKnots(out, d)
	case "ps":
		penalty = c.differences(out, d)
	}
	if err != nil {
		return nil, err
	}
	return out, c.penalise(out, penalty, d)
}

// values are numbers in increasing order, their counts, and the weights of their rows.
type values struct{ x, n, weight []float64 }

func valuesOf(x, counts, weights []float64) (d values) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for _, i := range order {
		if k := len(d.x); k == 0 || d.x[k-1] != x[i] {
			d.x, d.n, d.weight = append(d.x, x[i]), append(d.n, 0), append(d.weight, 0)
		}
		count, weight := 1.0, 1.0
		if counts != nil {
			count = counts[i]
		}
		if weights != nil {
			weight = weights[i]
		}
		k := len(d.x) - 1
		d.n[k] += count
		d.weight[k] = math.FMA(count, weight, d.weight[k])
	}
	return d
}

// sums are those of the columns of a smooth over the rows.
type sums struct {
	n           float64
	means       []float64
	gram        []float64 // of the columns, and with the rows' weights
	weighted    []float64
	largestRow  float64 // Σ|x| of a row
	weightTotal float64
}

// rowsAtOnce bounds the memory that sums take.
const rowsAtOnce = 1 << 12

func (s *Basis) sums(d values) *sums {
	k := s.columns()
	out := &sums{means: make([]float64, k), gram: make([]float64, k*k), weighted: make([]float64, k*k)}
	part := make([]float64, k*k)
	for first := 0; first < len(d.x); first += rowsAtOnce {
		last := min(first+rowsAtOnce, len(d.x))
		columns := s.evaluate(d.x[first:last])
		flat := slices.Concat(columns...)
		for i := range last - first {
			row := 0.0
			for p := range columns {
				row += math.Abs(columns[p][i])
				out.means[p] = math.FMA(d.n[first+i], columns[p][i], out.means[p])
			}
			out.largestRow = max(out.largestRow, row)
			out.n += d.n[first+i]
			out.weightTotal += d.weight[first+i]
		}
		for _, of := range []struct{ weights, to []float64 }{{d.n, out.gram}, {d.weight, out.weighted}} {
			linalg.Gram(flat, last-first, k, of.weights[first:last], part)
			for i := range k {
				for j := range i + 1 {
					of.to[i*k+j] += part[i*k+j]
					of.to[j*k+i] = of.to[i*k+j]
				}
			}
		}
	}
	for p := range out.means {
		out.means[p] /= out.n
	}
	return out
}

// penalise turns the functions of a basis with their penalty into columns, see learn.
func (c *smoothCall) penalise(out *Basis, penalty []float64, d values) error {
	k := out.columns()
	rows := out.sums(d)
	rescaleBy(penalty, float64(rows.largestRow*rows.largestRow)/largestColumn(penalty, k))
	centred, cols := identity(k), k
	if !c.free {
		centred, cols = complement(rows.means), k-1
	}
	inner := sandwich(penalty, k, centred, cols)
	rank := min(c.rank(), cols)
	asIs := diagonal(inner, cols, rank)
	eigen, vectors, err := linalg.SymEigen(inner, cols)
	if err != nil {
		return errors.New("its penalty has no eigenvalues; measure it in another unit")
	}
	if !(eigen[rank-1] > 0) {
		return errors.New("its values are too close to each other to be distinguished")
	}
	weighted := rows.weighted
	if !(rows.weightTotal > 0) {
		weighted = rows.gram
	}
	vectors = product(centred, k, cols, vectors)
	penalised, free := vectors[:rank*k], vectors[rank*k:]
	average := 0.0
	for j := range rank {
		v := penalised[j*k : (j+1)*k]
		rescaleBy(v, 1/math.Sqrt(eigen[j]))
		average += sandwich(weighted, k, v, 1)[0] / float64(rank)
	}
	if penalised, err = orthogonalColumns(penalised, k, rank, rows.gram); err != nil {
		return err
	}
	if free, err = orthogonalColumns(free, k, cols-rank, weighted); err != nil {
		return err
	}
	for j := range cols - rank {
		if asIs {
			break
		}
		v := free[j*k : (j+1)*k]
		rescaleBy(v, math.Sqrt(average/sandwich(weighted, k, v, 1)[0]))
	}
	out.Map = product(out.Map, out.raw(), k, slices.Concat(free, penalised))
	out.Fixed = cols - rank
	out.rise()
	if slices.ContainsFunc(out.Map, func(v float64) bool { return v-v != 0 }) {
		return errors.New("its powers are beyond the range of float64; measure the column in another unit")
	}
	return nil
}

// largestColumn is the largest sum of magnitudes of a column of n × n.
func largestColumn(a []float64, n int) (norm float64) {
	for j := range n {
		column := 0.0
		for _, v := range a[j*n : (j+1)*n] {
			column += math.Abs(v)
		}
		norm = max(norm, column)
	}
	return norm
}

// diagonal reports whether a penalty is that of independent coefficients already, which mgcv leaves as it is.
func diagonal(penalty []float64, n, rank int) bool {
	off := 0.0
	for i, v := range penalty {
		if i%n == i/n && i%n < rank {
			v -= penalty[0]
		}
		off = max(off, math.Abs(v))
	}
	return off <= 3e-13*math.Abs(penalty[0])
}

// rank is that of the penalty.
func (c *smoothCall) rank() int {
	if c.bs == "ps" {
		return c.k - c.m[1]
	}
	return c.k - 2
}

// rise makes the unpenalised columns end above where they begin.
func (s *Basis) rise() {
	ends := s.evaluate(s.Boundary[:])
	n := s.raw()
	for p := range s.Fixed {
		if ends[p][1] < ends[p][0] {
			rescaleBy(s.Map[p*n:(p+1)*n], -1)
		}
	}
}

// orthogonalColumns rotates columns of coefficients so that what they make of the rows is orthogonal, longest first.
func orthogonalColumns(a []float64, rows, cols int, gram []float64) ([]float64, error) {
	if cols < 2 {
		return a, nil
	}
	_, rotation, err := linalg.SymEigen(sandwich(gram, rows, a, cols), cols)
	if err != nil {
		return nil, errors.New("its columns cannot be distinguished; measure it in another unit")
	}
	return product(a, rows, cols, rotation), nil
}

// identity, product and sandwich are of matrices by column: 1; a·b; bᵀ·a·b of a symmetric n × n.
func identity(n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		out[i*n+i] = 1
	}
	return out
}

func product(a []float64, rows, inner int, b []float64) []float64 {
	cols := len(b) / max(1, inner)
	out := make([]float64, rows*cols)
	for j := range cols {
		col := out[j*rows : (j+1)*rows]
		for k := range inner {
			v := b[j*inner+k]
			for i, u := range a[k*rows : (k+1)*rows] {
				col[i] = math.FMA(u, v, col[i])
			}
		}
	}
	return out
}

func sandwich(a []float64, n int, b []float64, cols int) []float64 {
	half := product(a, n, n, b)
	out := make([]float64, cols*cols)
	for j := range cols {
		for i := range cols {
			sum := 0.0
			for k := range n {
				sum = math.FMA(b[i*n+k], half[j*n+k], sum)
			}
			out[j*cols+i] = sum
		}
	}
	for j := range cols { // to the bit
		for i := range j {
			out[i*cols+j] = out[j*cols+i]
		}
	}
	return out
}

func rescaleBy(v []float64, by float64) {
	for i := range v {
		v[i] = float64(v[i] * by)
	}
}

// complement is an orthonormal basis of what is orthogonal to v.
func complement(v []float64) []float64 {
	k := len(v)
	qr := linalg.NewQR(slices.Clone(v), k, 1, 1)
	out := identity(k)[k:]
	for j := range k - 1 {
		qr.Apply(out[j*k : (j+1)*k])
	}
	return out
}
