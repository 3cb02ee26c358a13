package groups

import (
	"math"
	"slices"

	"glmbatch/infer"
)

// maxShare is the share of the precision of an effect that the data have, up to which effects are non-centred. From
// one half on centred ones move faster where the sds are typical; but where these are small, or correlations near ±1,
// the data have less, and centred effects are in a place as narrow as their sd. Up to 0.77 chains were seen to diverge.
const maxShare = 0.8

// A pilot is a short chain of New's sampler, whose stream depends on nothing: it knows the sizes of effects, which the
// penalised point of a model without effects does not. Nothing of it but the choice of coordinates is kept.
const pilotLength, pilotWarmup, pilotEvery = 500, 100, 10

// choose runs a pilot and notes the share of the precision of the effects of each grouping that the data have; with
// auto a grouping is centred where that is large, and so is one in which a centred one lies. Each coefficient is then
// carried by the centred grouping in whose prior it is least certain, if that has a shift against it.
func (t *Target) choose(auto bool) {
	precision := make([][]float64, len(t.forms))
	for i, f := range t.forms {
		precision[i] = make([]float64, len(f.shifts))
	}
	if auto || t.contested() {
		ok := t.pilot(precision)
		for i := range t.forms {
			if f := &t.forms[i]; auto {
				f.centred = ok && f.share > maxShare && !f.Linked
			}
		}
		for _, p := range t.setup.pairs {
			if auto && t.forms[p.fine].centred {
				t.forms[p.coarse].centred = true // the data determine the sums
			}
		}
	}
	for j := range t.target.Cols() {
		var of *form
		var by *shift
		least := math.Inf(1)
		for i := range t.forms {
			f := &t.forms[i]
			for k, s := range f.shifts {
				if f.centred && s.column == j && (of == nil || precision[i][k] < least) {
					of, by, least = f, s, precision[i][k]
				}
			}
		}
		if of != nil {
			of.carried = append(of.carried, by)
		}
	}
}

// contested reports whether several groupings could carry a coefficient.
func (t *Target) contested() bool {
	seen := make([]bool, t.target.Cols())
	for _, f := range t.forms {
		for _, s := range f.shifts {
			if seen[s.column] {
				return true
			}
			seen[s.column] = true
		}
	}
	return false
}

// pilot measures the shares and the precision of effects along each shift, over the draws that it looks at. It
// reports false if the chain fails.
func (t *Target) pilot(precision [][]float64) bool {
	shares := make([]float64, len(t.forms))
	made, err := t.setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(0, "groups", "centring")})
	if err != nil {
		return false
	}
	k, n := made.(*kernel), 0.0
	for i := range pilotLength {
		if _, err := k.Step(); err != nil {
			return false
		}
		if i < pilotWarmup || i%pilotEvery > 0 {
			continue
		}
		n++
		for b, g := range k.groups {
			shares[b] += k.share(g)
			for j, s := range g.shifts {
				precision[b][j] += dot(g.omega, s.cross)
			}
		}
	}
	for i := range t.forms {
		t.forms[i].share = shares[i] / n
	}
	return true
}

// share returns the share of the precision of an effect of g that the data have at the point, the mean over levels:
// 1 − (I + LᵀHL)⁻¹ for their curvature H in the effects of a level, the least on the diagonal.
func (k *kernel) share(g *group) float64 {
	q, h, precision := g.q, g.gram, 1.0
	if h == nil {
		k.sumsAt(g, &g.here, nil, false)
		h = g.here.curve
	} else {
		sigma := k.point.Dispersions()[0]
		precision = 1 / sigma / sigma
	}
	prior, a, column := make([]float64, q), make([]float64, q*q), make([]float64, q)
	for l := range g.levels {
		level := h[l*q*q : (l+1)*q*q]
		for i := range q {
			for s := range q { // column i of H·L, then of Lᵀ·H·L
				column[s] = 0
				for m := i; m < q; m++ {
					column[s] = math.FMA(float64(precision*level[s*q+m]), g.chol[m*q+i], column[s])
				}
			}
			for s := range q {
				a[s*q+i] = 0
				for m := s; m < q; m++ {
					a[s*q+i] = math.FMA(g.chol[m*q+s], column[m], a[s*q+i])
				}
			}
			a[i*q+i]++
		}
		if !factor(a, q) {
			continue // the data decide
		}
		for i := range q {
			clear(column)
			column[i] = 1
			lower(a, q, column)
			prior[i] += dot(column, column)
		}
	}
	return 1 - slices.Max(prior)/float64(g.levels)
}
