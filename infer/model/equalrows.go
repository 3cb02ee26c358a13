package model

import (
	"fmt"

	"glmbatch/infer/design"
)

// grouped returns the problem with equal rows replaced by the first of them and their count, and a text about it, if
// that leaves less than groupedFrom of the rows; else p itself, and no text. Equal are rows to the bit in the response
// and its limits, and in offsets, designs and levels of all predictors. Log likelihoods are equal up to rounding.
// Several responses, user-defined families and monotonic effects of one predictor keep their rows.
//
// Cost: O(n·d), or what the first column stores if the rows differ in it.
func (p *Problem) grouped() (out *Problem, text string) {
	if p.Responses != nil || p.Family.Several() == nil || p.Family.Custom != "" {
		return p, ""
	}
	limit := int(groupedFrom * float64(len(p.Y)))
	beside := p.outcomes()
	var first, of []int
	for _, q := range p.Predictors {
		for _, e := range q.Data.Effects {
			beside = append(append(beside, numbers(e.Grouping.Of())), e.Columns...)
		}
		if first, of = design.EqualRows(q.Data.X, append(beside, q.Data.Offset), limit); of == nil {
			return p, ""
		}
		beside = [][]float64{numbers(of)}
	}
	out = p.taken(first)
	out.Frequency = make([]float64, len(first))
	for i, g := range of {
		count := 1.0
		if p.Frequency != nil {
			count = p.Frequency[i]
		}
		out.Frequency[g] += count
	}
	return out, fmt.Sprintf("%d different rows of %d, counted; ", len(first), len(of))
}

// groupedFrom is the share of rows below which equal ones are counted: a pass with counts takes longer for each row.
const groupedFrom = 0.6

// outcomes returns the numbers of each row that its density has besides predictors; nil columns are those of none.
func (p *Problem) outcomes() [][]float64 {
	var upper, low, high []float64
	for _, b := range p.Bounds {
		upper, low, high = append(upper, b.Upper), append(low, b.Low), append(high, b.High)
	}
	return append([][]float64{p.Y, p.Trials, p.Kind, upper, low, high}, p.Counts...)
}

// numbers returns whole numbers as a column.
func numbers[T int | int32](of []T) []float64 {
	out := make([]float64, len(of))
	for i, v := range of {
		out[i] = float64(v)
	}
	return out
}
