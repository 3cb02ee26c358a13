package loo

import (
	"cmp"
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Forms of a move, each with what those before it match.
const (
	shift = iota
	scale
	covariance
)

// transform takes u to mapping·(scaling∘(u − means)) + means + shift. The mapping is a lower triangle by rows.
type transform struct {
	shift, scaling, mapping []float64 // mapping nil: the identity
}

// newTransform is the identity.
func newTransform(dim int) *transform {
	return &transform{shift: make([]float64, dim), scaling: slices.Repeat([]float64{1}, dim)}
}

// apply writes the image of u to dst, which must not be u.
func (t *transform) apply(u, means, dst []float64) {
	for j, v := range u {
		dst[j] = float64(t.scaling[j] * (v - means[j]))
	}
	if dim := len(u); t.mapping != nil {
		for i := dim - 1; i >= 0; i-- {
			dst[i] = vec.Dot(t.mapping[i*dim:i*dim+i+1], dst[:i+1])
		}
	}
	for j := range dst {
		dst[j] = dst[j] + means[j] + t.shift[j]
	}
}

// undo is the inverse of apply.
func (t *transform) undo(u, means, dst []float64) {
	for j, v := range u {
		dst[j] = v - (means[j] + t.shift[j])
	}
	if dim := len(u); t.mapping != nil {
		for i := range dim {
			dst[i] = (dst[i] - vec.Dot(t.mapping[i*dim:i*dim+i], dst[:i])) / t.mapping[i*dim+i]
		}
	}
	for j := range dst {
		dst[j] = dst[j]/t.scaling[j] + means[j]
	}
}

// logDet is that of the derivative.
func (t *transform) logDet() (sum float64) {
	for j, s := range t.scaling {
		sum += vec.Log(s)
		if t.mapping != nil {
			sum += vec.Log(t.mapping[j*len(t.scaling)+j])
		}
	}
	return sum
}

// then lets next follow, with scalings before all mappings.
func (t *transform) then(next *transform) {
	dim := len(t.shift)
	for j := range dim {
		t.shift[j] += next.shift[j]
		t.scaling[j] *= next.scaling[j]
	}
	switch {
	case next.mapping == nil:
	case t.mapping == nil:
		t.mapping = slices.Clone(next.mapping)
	default:
		out := make([]float64, dim*dim)
		for i := range dim {
			for j := range i + 1 {
				for k := j; k <= i; k++ {
					out[i*dim+j] = math.FMA(next.mapping[i*dim+k], t.mapping[k*dim+j], out[i*dim+j])
				}
			}
		}
		t.mapping = out
	}
}

// most is the last form that there are draws enough for.
func (p *Posterior) most() int {
	if p.Size() >= 10*p.Dim {
		return covariance
	}
	return scale
}

// fit makes p.move of a form that matches draws to their moments under weights, and reports whether there is one.
func (p *Posterior) fit(form int, draws, logs []float64) bool {
	means, weighted := p.mean(draws, nil), p.mean(draws, logs)
	t := newTransform(p.Dim)
	p.move = t
	for j, m := range weighted {
		t.shift[j] = m - means[j]
	}
	switch form {
	case scale:
		p.scalings(t.scaling, draws, logs, means, weighted)
		return !slices.ContainsFunc(t.scaling, func(s float64) bool { return !(s > 0) || math.IsInf(s, 1) })
	case covariance:
		with, without := p.factors(draws, logs, means, weighted)
		if without == nil {
			return false
		}
		t.mapping = make([]float64, p.Dim*p.Dim)
		column := make([]float64, p.Dim)
		for j := range p.Dim { // L·M⁻¹, column by column
			clear(column)
			column[j] = 1
			without.SolveLower(column)
			with.MulLower(column)
			for i := j; i < p.Dim; i++ {
				t.mapping[i*p.Dim+j] = column[i]
			}
		}
	}
	return true
}

// scalings writes the ratios of standard deviations with and without weights.
func (p *Posterior) scalings(dst, draws, logs, means, weighted []float64) {
	n := float64(p.Size())
	plain := make([]float64, p.Dim)
	clear(dst)
	for s := range p.Size() {
		weight := vec.Exp(logs[s])
		for j, v := range p.at(draws, s) {
			d, e := v-weighted[j], v-means[j]
			dst[j] = math.FMA(float64(weight*d), d, dst[j])
			plain[j] = math.FMA(e, e, plain[j])
		}
	}
	for j := range dst {
		dst[j] = math.Sqrt(dst[j] * n / (n - 1) / (plain[j] / (n - 1)))
	}
}

// sortedPlaces returns the places of x in rising order of its numbers, of equal ones the first first.
func sortedPlaces(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	return order
}
