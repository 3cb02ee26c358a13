package groups

import (
	"math"

	"glmbatch/infer/design"
)

// shiftTolerance is how far a column may be from Σ z·v, relative to its largest entry.
const shiftTolerance = 1e-12

// everywhere returns v if it is the same at every level, by least squares; nil if the column is not such a sum.
func (b *block) everywhere(x []float64) []float64 {
	q := b.q
	g, v, step := make([]float64, q*q), make([]float64, q), make([]float64, q)
	for i := range x {
		for s := range q {
			for t := range s + 1 {
				g[s*q+t] = math.FMA(b.z(s, i), b.z(t, i), g[s*q+t])
			}
		}
	}
	if !factor(g, q) {
		return nil
	}
	limit, largest := shiftTolerance*design.Largest(x), 0.0
	for range 3 { // refined
		clear(step)
		largest = 0
		for i, e := range x {
			for t := range q {
				e = math.FMA(-v[t], b.z(t, i), e)
			}
			largest = max(largest, math.Abs(e))
			for t := range q {
				step[t] = math.FMA(b.z(t, i), e, step[t])
			}
		}
		if largest <= limit {
			break
		}
		lower(g, q, step)
		upper(g, q, step)
		for t, e := range step {
			v[t] += e
		}
	}
	if !(largest <= limit) {
		return nil
	}
	out := make([]float64, b.levels*q)
	for l := range b.levels {
		copy(out[l*q:], v)
	}
	return out
}

// within returns v if the column is a multiple of term t within each level; nil if it is not.
func (b *block) within(x []float64, t int) []float64 {
	q := b.q
	most, at := make([]float64, b.levels), make([]float64, b.levels)
	for i, l := range b.of {
		if z := b.z(t, i); math.Abs(z) > math.Abs(most[l]) {
			most[l], at[l] = z, x[i]
		}
	}
	out := make([]float64, b.levels*q)
	for l, z := range most {
		if z != 0 {
			out[l*q+t] = at[l] / z
		}
	}
	limit := shiftTolerance * design.Largest(x)
	for i, l := range b.of {
		if !(math.Abs(math.FMA(-out[int(l)*q+t], b.z(t, i), x[i])) <= limit) {
			return nil
		}
	}
	return out
}

// apart returns v by least squares in each level alone, as a product of x and of a column that is constant within
// levels needs once it is centred; nil if the column is not such a sum. A term that others give in a level has v =
// 0 there.
func (b *block) apart(x []float64) []float64 {
	q, limit := b.q, shiftTolerance*design.Largest(x)
	out, g, step := make([]float64, b.levels*q), make([]float64, q*q), make([]float64, q)
	for l := range b.levels {
		rows, v := b.Grouping.Rows(l), out[l*q:(l+1)*q]
		clear(g)
		for _, i := range rows {
			for s := range q {
				for t := range s + 1 {
					g[s*q+t] = math.FMA(b.z(s, int(i)), b.z(t, int(i)), g[s*q+t])
				}
			}
		}
		factorOfRank(g, q)
		largest := math.Inf(1)
		for range 4 { // refined
			clear(step)
			largest = 0
			for _, i := range rows {
				e := x[i]
				for t := range q {
					e = math.FMA(-v[t], b.z(t, int(i)), e)
				}
				largest = max(largest, math.Abs(e))
				for t := range q {
					step[t] = math.FMA(b.z(t, int(i)), e, step[t])
				}
			}
			if largest <= limit {
				break
			}
			solve(g, q, step)
			for t, e := range step {
				v[t] += e
			}
		}
		if !(largest <= limit) {
			return nil
		}
	}
	return out
}

// minLeft is the part of a term's square that the terms before it must leave for it to add something.
const minLeft = 1e-9

// factorOfRank is factor of a matrix that may have less than full rank: a term that adds nothing has a pivot of 0.
func factorOfRank(g []float64, q int) {
	for t := range q {
		own := g[t*q+t]
		for s := range t {
			d := g[t*q+s]
			for k := range s {
				d -= float64(g[t*q+k] * g[s*q+k])
			}
			if g[t*q+s] = 0; g[s*q+s] > 0 {
				g[t*q+s] = d / g[s*q+s]
			}
			g[t*q+t] -= float64(g[t*q+s] * g[t*q+s])
		}
		if left := g[t*q+t]; left > minLeft*own {
			g[t*q+t] = math.Sqrt(left)
		} else {
			g[t*q+t] = 0
		}
	}
}

// solve is lower and upper with a factor by factorOfRank: unknowns with a pivot of 0 are 0.
func solve(l []float64, q int, b []float64) {
	for i := range q {
		for k := range i {
			b[i] -= float64(l[i*q+k] * b[k])
		}
		if b[i] /= l[i*q+i]; l[i*q+i] == 0 {
			b[i] = 0
		}
	}
	for i := q - 1; i >= 0; i-- {
		for k := i + 1; k < q; k++ {
			b[i] -= float64(l[k*q+i] * b[k])
		}
		if b[i] /= l[i*q+i]; l[i*q+i] == 0 {
			b[i] = 0
		}
	}
}
