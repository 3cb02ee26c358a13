package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/internal/linalg"
)

// condenseRows is the number of rows that enter the factorisation at a time, and
// condenseFrom how many times fewer rows make a condensed posterior worth its cost.
const condenseRows, condenseFrom = 1024, 4

// Condensed returns the same posterior on fewer rows, and says which; t itself, and
// nothing, where it has none. Its log likelihood keeps its constants. Rows are not
// those of the data any more: what looks at single observations needs t.
func (t *Target) Condensed() (condensed *Target, words string) {
	if condensed, words = t.factored(); words != "" {
		return condensed, words
	}
	return t.grouped()
}

// factored condenses a gaussian likelihood with the identity link, which is a function of ‖y − Xβ‖² alone: with the
// triangular factor R of (X, y), rows weighted and offsets subtracted, that is the sum of squares of R·(−β, 1), d +
// 1 rows instead of n, so that an update costs O(d) and a gradient O(d²). R comes from Householder reflections, so
// that no digits are lost as in XᵀX. Cost: n·(d + 1)².
func (t *Target) factored() (condensed *Target, words string) {
	n, d := t.Rows(), t.Cols()
	x, dense := t.data.X.(*design.Dense)
	if t.form != family.Squares || !dense || n < condenseFrom*(d+1) {
		return t, ""
	}
	r := linalg.NewRowQR(d + 1)
	block := make([]float64, condenseRows*(d+1))
	for first := 0; first < n; first += condenseRows {
		m := min(condenseRows, n-first)
		t.weightedRows(x, first, m, block)
		r.Push(block[:m*(d+1)], m)
	}
	out, data := *t, *t.data
	reduced := design.NewDense(d+1, d)
	data.Y = make([]float64, d+1)
	for i := range d + 1 {
		for j := range d {
			reduced.Col(j)[i] = r.At(i, j)
		}
		data.Y[i] = r.At(i, d)
		if math.IsNaN(data.Y[i]) || math.IsInf(data.Y[i], 0) {
			return t, ""
		}
	}
	data.X, data.Offset, data.Frequency, data.Precision = reduced, nil, nil, nil
	out.data, out.weights, out.counted = &data, nil, data.Y
	out.rows = family.Rows{Y: data.Y, Kernels: t.rows.Kernels, Total: t.rows.Total}
	out.xty = make([]float64, d)
	design.Transposed(reduced, data.Y, out.xty)
	return &out, fmt.Sprintf("%d rows told by %d, the triangular factor of design and response", n, d+1)
}

// weightedRows writes rows first to first+m−1 of (X, y − offset), each times the
// root of its weight, to dst by column.
func (t *Target) weightedRows(x *design.Dense, first, m int, dst []float64) {
	d := x.Cols
	for j := range d {
		copy(dst[j*m:(j+1)*m], x.Col(j)[first:])
	}
	y := dst[d*m : (d+1)*m]
	copy(y, t.data.Y[first:])
	if t.data.Offset != nil {
		passes.Axpy(-1, t.data.Offset[first:first+m], y)
	}
	if t.weights == nil {
		return
	}
	for i, w := range t.weights[first : first+m] {
		root := math.Sqrt(w)
		for j := range d + 1 {
			dst[j*m+i] *= root
		}
	}
}

// grouped returns the same posterior with equal rows replaced by the first of them and its count, and a text about
// it; t itself, and no text, unless that leaves a quarter of the rows at most: passes over rows with counts cost up
// to twice those over others. Equal are rows to the bit in design, offset, response, trials and precision.
// Bernoulli, binomial and poisson responses need not be equal: their likelihoods depend only on the sums of
// successes and trials, or of counts.
//
// The log likelihood keeps its constants, and groups the order in which their rows
// first appear. Cost: O(what the design stores), less where the rows differ in a
// column of the first.
func (t *Target) grouped() (grouped *Target, words string) {
	n, probability := t.Rows(), t.law.Support.Probability()
	if t.data.Given != nil { // which changes from row to row
		return t, ""
	}
	beside := [][]float64{t.data.Offset}
	if !t.law.Additive {
		beside = append(beside, t.data.Y, t.data.Precision)
	}
	first, of := design.EqualRows(t.data.X, beside, n/condenseFrom)
	if of == nil {
		return t, ""
	}
	data := *t.data
	frequency, sums, trials := make([]float64, len(first)), make([]float64, len(first)), make([]float64, len(first))
	for i, g := range of {
		f, m := t.rows.Count(i), 1.0
		if data.Trials != nil {
			m = data.Trials[i]
		}
		frequency[g] += f
		sums[g] = math.FMA(f, data.Y[i], sums[g])
		trials[g] = math.FMA(f, m, trials[g])
	}
	data.X, data.Offset, data.Precision = design.TakeRows(data.X, first), design.Take(data.Offset, first),
		design.Take(data.Precision, first)
	words = fmt.Sprintf("%d rows told by %d, equal ones counted", n, len(first))
	if t.law.Additive {
		words = fmt.Sprintf("%d rows told by %d, responses of equal predictors summed", n, len(first))
	}
	switch {
	case probability && t.law.Additive:
		data.Y, data.Trials, data.Frequency = sums, trials, nil
	case t.law.Additive: // their mean, as often as it counts
		data.Y, data.Frequency = make([]float64, len(first)), frequency
		for g, f := range frequency {
			data.Y[g] = sums[g] / f
		}
	default:
		data.Y, data.Frequency = design.Take(data.Y, first), frequency
	}
	out := *t
	out.data = &data
	out.rowData()
	out.rows.Kernels, out.rows.Total = t.rows.Kernels, t.rows.Total
	out.weights, out.counted = out.rowWeights(), sums
	return &out, words
}
