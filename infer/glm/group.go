package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
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
	beside := [][]float64{t.data.Offset}
	if !binary && name != "poisson" {
		beside = append(beside, t.data.Y, t.data.Precision)
	}
	first, of := design.EqualRows(t.data.X, beside, n/condenseFrom)
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
	data.X, data.Offset, data.Precision = design.TakeRows(data.X, first), design.Take(data.Offset, first),
		design.Take(data.Precision, first)
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
		data.Y, data.Frequency = design.Take(data.Y, first), frequency
	}
	out := *t
	out.data = &data
	out.rowData()
	out.rows.kernels, out.rows.total = t.rows.kernels, t.rows.total
	out.weights, out.counted = out.rowWeights(), sums
	return &out, words
}
