package groups

import (
	"slices"

	"glmbatch/infer/prior"
)

// LinkedTarget is the density of a Link's correlations and effects over coordinates without bounds: y, atanh of the
// canonical partial correlations, and z, the effects of each part's Target in units of their standard deviations.
type LinkedTarget struct {
	*Link
	form  form // of all terms, with standard deviations of 1
	parts []form
	at    []int // where the effects of each part begin
}

// Target returns the density for targets, one of each predictor, of which some first coordinates are skipped.
func (l *Link) Target(of []*Target, skipped []int) *LinkedTarget {
	unit := *l.block
	unit.prior.SD = slices.Repeat([]prior.Prior{{Kind: prior.Constant, Location: 1}}, unit.q)
	out := &LinkedTarget{Link: l, form: form{block: &unit, centred: true, effectsAt: unit.q * (unit.q - 1) / 2}}
	for _, p := range l.parts {
		f := of[p.Predictor].forms[p.Effects]
		out.parts, out.at = append(out.parts, f), append(out.at, f.effectsAt-skipped[p.Predictor])
	}
	return out
}

// Dim returns the length of y.
func (l *LinkedTarget) Dim() int { return l.form.effectsAt }

// Density returns a function for the use of one chain: the log density of y and z, then that of the correlations and of
// z on their own scale. It writes the gradient in y, and adds that in z. u and grad have the coordinates of each
// predictor. Cost: O(levels·q²).
func (l *LinkedTarget) Density() func(y, gradY []float64, u, grad [][]float64) (inU, own float64) {
	law := newPlaced(l.form)
	all, slope := make([]float64, l.Dim()+len(law.r)), make([]float64, l.Dim()+len(law.r))
	each := func(do func(at int, part []float64), of [][]float64) {
		for k, f := range l.parts {
			z := of[l.Link.parts[k].Predictor][l.at[k]:]
			for level := range f.levels {
				do(l.Dim()+level*l.form.q+l.first[k], z[level*f.q:(level+1)*f.q])
			}
		}
	}
	return func(y, gradY []float64, u, grad [][]float64) (inU, own float64) {
		copy(all, y)
		each(func(at int, z []float64) { copy(all[at:], z) }, u)
		law.from(all)
		law.effectsFrom(all)
		inU, own = law.density(all, slope)
		copy(gradY, slope[:l.Dim()])
		each(func(at int, g []float64) {
			for i := range g {
				g[i] += slope[at+i]
			}
		}, grad)
		return inU, own
	}
}

// Constrain writes the correlations of y.
func (l *LinkedTarget) Constrain(y, correlations []float64) {
	law := l.form.newScales()
	copy(law.partial, y)
	law.settle()
	law.writeCorrelations(correlations)
}

// Unconstrain is the inverse of Constrain.
func (l *LinkedTarget) Unconstrain(correlations, y []float64) {
	law := l.form.newScales()
	law.setCorrelations(correlations)
	copy(y, law.partial)
}
