package glm

import (
	"fmt"
	"math"
)

// grouped returns the same posterior with equal rows told by the first of them and
// how often it counts, and says so; t itself, and nothing, unless that leaves a
// quarter of the rows at most: passes over rows that count cost up to twice those
// over others. Equal are rows to the bit in design, offset, response, trials and
// precision. Bernoulli, binomial and poisson responses need not be equal: their
// likelihoods see the sums of successes and trials, or of counts, alone.
//
// The log likelihood keeps its constants, and groups the order in which their rows
// first appear. Cost: O(what the design stores), less where the rows differ in a
// column of the first.
func (t *Target) grouped() (grouped *Target, words string) {
	n, name := t.Rows(), t.model.Family.Name
	binary := name == "bernoulli" || name == "binomial"
	first, of := t.groups(n/condenseFrom, binary || name == "poisson")
	if of == nil {
		return t, ""
	}
	data := *t.data
	frequency, sums, trials := make([]float64, len(first)), make([]float64, len(first)), make([]float64, len(first))
	for i, g := range of {
		f, m := t.rows.count(i), 1.0
		if data.Trials != nil {
			m = data.Trials[i]
		}
		frequency[g] += f
		sums[g] = math.FMA(f, data.Y[i], sums[g])
		trials[g] = math.FMA(f, m, trials[g])
	}
	data.X, data.Offset, data.Precision = rowsOf(data.X, first), taken(data.Offset, first), taken(data.Precision, first)
	words = fmt.Sprintf("%d rows told by %d, equal ones counted", n, len(first))
	if binary || name == "poisson" {
		words = fmt.Sprintf("%d rows told by %d, responses of equal predictors summed", n, len(first))
	}
	switch {
	case binary:
		data.Y, data.Trials, data.Frequency = sums, trials, nil
	case name == "poisson": // their mean, as often as it counts
		data.Y, data.Frequency = make([]float64, len(first)), frequency
		for g, f := range frequency {
			data.Y[g] = sums[g] / f
		}
	default:
		data.Y, data.Frequency = taken(data.Y, first), frequency
	}
	out := *t
	out.data = &data
	out.rowData()
	out.rows.kernels, out.rows.total = t.rows.kernels, t.rows.total
	out.weights, out.counted = out.rowWeights(), sums
	return &out, words
}

// groups returns the first row of each group, and the group of each row; nil where
// there are more than limit. Joined rows may differ in their responses.
func (t *Target) groups(limit int, joined bool) (first, of []int) {
	p := newPartition(t.Rows(), limit)
	columns := [][]float64{t.data.Offset}
	if !joined {
		columns = append(columns, t.data.Y, t.data.Precision)
	}
	for _, v := range columns {
		if v != nil && !p.refine(Column{Values: v}) {
			return nil, nil
		}
	}
	for j := range t.Cols() {
		if !p.refine(t.data.X.Column(j)) {
			return nil, nil
		}
	}
	if !p.refine(Column{Values: make([]float64, t.Rows())}) { // numbers by first appearance
		return nil, nil
	}
	for i, g := range p.of {
		if g == len(first) {
			first = append(first, i)
		}
	}
	return first, p.of
}

// taken returns the entries of v at some rows; nil for nil.
func taken(v []float64, at []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(at))
	for g, i := range at {
		out[g] = v[i]
	}
	return out
}

// rowsOf returns some rows of a design, stored as it is.
func rowsOf(x Matrix, at []int) Matrix {
	if s, sparse := x.(*Sparse); sparse {
		return s.Taken(at)
	}
	_, d := x.Size()
	out := NewDense(len(at), d)
	for j := range d {
		copy(out.Col(j), taken(x.Col(j), at))
	}
	return out
}
