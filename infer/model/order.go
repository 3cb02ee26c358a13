package model

import (
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// sorted returns the problem with its rows in the order of what their densities depend on besides numbers: the kind of
// limit, and the class or whether the response is 0. Passes over rows then seldom find two such kinds in one
// chunk. Rows of several responses have no such order.
// Cost: O(n·d), and a copy of the data unless they are in this order.
func (p *Problem) sorted() *Problem {
	if p.Responses != nil || p.Family.Several() == nil || p.Family.Custom != "" {
		return p
	}
	classes := p.Family.Support().Classes
	of := map[[2]float64][]int{}
	var order [][2]float64
	rising := true
	for i, y := range p.Y {
		var key [2]float64
		if p.Kind != nil {
			key[0] = p.Kind[i]
		}
		if key[1] = y; !classes && y != 0 {
			key[1] = 1
		}
		rows, there := of[key]
		if !there {
			rising = rising && (order == nil || slices.Compare(order[len(order)-1][:], key[:]) < 0)
			order = append(order, key)
		}
		rising = rising && (!there || key == order[len(order)-1])
		of[key] = append(rows, i)
	}
	if rising {
		return p
	}
	slices.SortFunc(order, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	rows := make([]int, 0, len(p.Y))
	for _, key := range order {
		rows = append(rows, of[key]...)
	}
	return p.taken(rows)
}

// taken returns the problem of some rows. Predictors with one design have one again.
func (p *Problem) taken(rows []int) *Problem {
	out := *p
	out.Y, out.Trials, out.Frequency = design.Take(p.Y, rows), design.Take(p.Trials, rows), design.Take(p.Frequency, rows)
	out.Censoring, out.Counted, out.Predictors = p.Censoring.Taken(rows), p.Counted.Taken(rows), nil
	of, designs := map[*glm.Data]*glm.Data{}, map[design.Matrix]design.Matrix{}
	for _, q := range p.Predictors {
		x := designs[q.Data.X]
		if x == nil {
			x = design.TakeRows(q.Data.X, rows)
			designs[q.Data.X] = x
		}
		data := of[q.Data]
		if data == nil {
			data = q.Data.TakenAs(rows, x)
			of[q.Data] = data
		}
		out.Predictors = append(out.Predictors, Predictor{Data: data, Model: q.Model})
	}
	return &out
}
