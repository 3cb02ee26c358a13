package model

import (
	"cmp"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// sorted returns the problem with its rows in the order of what their densities depend on besides numbers: the kind of
// limit, and the class or whether the response is 0. Passes over rows then seldom find two such kinds in one
// chunk. Rows of several responses have no such order.
// Cost: O(n·d), and a copy of the data unless they are in this order.
func (p *Problem) sorted() *Problem {
	classes := p.Family.Support().Classes
	order := func(i, j int) int {
		if p.Kind != nil && p.Kind[i] != p.Kind[j] {
			return cmp.Compare(p.Kind[i], p.Kind[j])
		}
		if classes {
			return cmp.Compare(p.Y[i], p.Y[j])
		}
		return cmp.Compare(above(p.Y[i]), above(p.Y[j]))
	}
	rows := make([]int, len(p.Y))
	for i := range rows {
		rows[i] = i
	}
	if p.Responses != nil || p.Family.Several() == nil || p.Family.Custom != "" || slices.IsSortedFunc(rows, order) {
		return p
	}
	slices.SortStableFunc(rows, order)
	return p.taken(rows)
}

// taken returns the problem of some rows. Predictors with one design have one again.
func (p *Problem) taken(rows []int) *Problem {
	out := *p
	out.Y, out.Trials, out.Frequency = design.Take(p.Y, rows), design.Take(p.Trials, rows), design.Take(p.Frequency, rows)
	out.Censoring, out.Counted, out.Predictors = p.Censoring.Taken(rows), p.Counted.Taken(rows), nil
	of := map[*glm.Data]*glm.Data{}
	for k, q := range p.Predictors {
		data := of[q.Data]
		if data == nil {
			data = q.Data.Taken(rows)
			of[q.Data] = data
		}
		for j, other := range p.Predictors[:k] {
			if other.Data.X == q.Data.X {
				data.X = out.Predictors[j].Data.X
			}
		}
		out.Predictors = append(out.Predictors, Predictor{Data: data, Model: q.Model})
	}
	return &out
}

// above is 0 of a zero, else 1.
func above(y float64) int {
	if y == 0 {
		return 0
	}
	return 1
}
