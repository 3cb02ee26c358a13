package glm

import (
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/internal/vec"
)

// Part is the posterior that some of the rows of a target give alone, with the target's priors. Which rows these are
// changes from one Take to the next, as those of a component of a mixture do. It belongs to one chain.
type Part struct {
	whole, target *Target
	data          *Data
	x             *design.Dense
}

// NewPart returns a part of no rows. The design must be dense; memory: a copy of it.
func (t *Target) NewPart() *Part {
	x := t.data.X.(*design.Dense)
	data, target := *t.data, *t.Vectorised()
	p := &Part{whole: t, target: &target, data: &data, x: &design.Dense{Cols: x.Cols, Values: make([]float64, 0,
		len(x.Values))}}
	data.X, data.Offset = p.x, nil
	target.rows = family.Rows{Kernels: target.kernels}
	target.data, target.constant = p.data, 0
	target.xty = make([]float64, x.Cols)
	p.Take(nil, nil)
	return p
}

// Target returns the posterior of the rows that were taken last, its log likelihood up to a constant. After each
// Take its points have to be set to a theta.
func (p *Part) Target() *Target { return p.target }

// Take sets the part to the given rows, in their order; counts has the multiplicity of each, nil means once. Cost:
// O(len(rows)·d).
func (p *Part) Take(rows []int32, counts []float64) {
	t, from, to := p.target, &p.whole.rows, &p.target.rows
	for _, v := range []struct {
		dst *[]float64
		of  []float64
	}{{&to.Y, from.Y}, {&to.Trials, from.Trials}, {&to.LogY, from.LogY}, {&to.Log1Y, from.Log1Y},
		{&to.Precision, from.Precision}, {&to.Roots, from.Roots}, {&to.Kind, from.Kind},
		{&p.data.Offset, p.whole.data.Offset}} {
		if v.of != nil {
			*v.dst = gather((*v.dst)[:0], v.of, rows)
		}
	}
	if from.Bounds != nil {
		to.Bounds = gather(to.Bounds[:0], from.Bounds, rows)
	}
	to.Frequency, to.Total = counts, float64(len(rows))
	if counts != nil {
		to.Total = vec.Sum(counts)
	}
	p.data.Y, p.data.Trials, p.data.Precision, p.data.Frequency = to.Y, to.Trials, to.Precision, counts
	p.x.Rows, p.x.Values = len(rows), p.x.Values[:0]
	for j := range p.x.Cols {
		p.x.Values = gather(p.x.Values, p.whole.data.X.(*design.Dense).Col(j), rows)
	}
	t.weights, t.counted = t.rowWeights(), product(counts, to.Y)
	if t.form.Linear() {
		p.x.TransposedProduct(t.kernels, t.counted, t.xty)
	}
}

// gather appends the entries of some rows.
func gather[T any](dst, of []T, rows []int32) []T {
	dst = slices.Grow(dst, len(rows))
	for _, i := range rows {
		dst = append(dst, of[i])
	}
	return dst
}
