package groups

import (
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// at returns where the effects of a response are: their group, the number of their first term in it and among all, and
// how many terms there are; nil if the response has none.
func (k *ClosedChain) at(response int) (g *group, own, first, terms int) {
	index := -1
	for i, r := range k.responses[:response+1] {
		first += terms
		if terms = 0; r.Effects != nil {
			terms, index = len(r.Effects.Terms), index+1
		}
		if i == response && terms == 0 {
			return nil, 0, 0, 0
		}
	}
	if k.linked {
		return k.groups[0], first, first, terms
	}
	return k.groups[index], 0, first, terms
}

// Coefficients writes those of a response, and SetCoefficients sets them.
func (k *ClosedChain) Coefficients(response int, dst []float64) {
	for j, start := range k.responses[response].Start {
		dst[j] = start + k.delta[k.start[response]+j]
	}
}

// SetCoefficients sets the coefficients of a response.
func (k *ClosedChain) SetCoefficients(response int, from []float64) {
	for j, start := range k.responses[response].Start {
		k.delta[k.start[response]+j] = from[j] - start
	}
}

// Scales writes the sds of effects of a response, and their correlations unless these are linked.
func (k *ClosedChain) Scales(response int, dst []float64) {
	g, own, _, terms := k.at(response)
	at := 0
	for t := own; t < own+terms; t++ {
		if g.laws.SD[t].Kind != prior.Constant {
			dst[at] = vec.Exp(g.logSD[t])
			at++
		}
	}
	if g != nil && !k.linked {
		g.writeCorrelations(dst[at:])
	}
}

// SetScales sets what Scales writes.
func (k *ClosedChain) SetScales(response int, from []float64) {
	g, own, _, terms := k.at(response)
	at := 0
	for t := own; t < own+terms; t++ {
		if g.laws.SD[t].Kind != prior.Constant {
			g.logSD[t] = vec.Log(from[at])
			at++
		}
	}
	if g != nil && !k.linked {
		g.setCorrelations(from[at : at+len(g.partial)])
		g.settle()
	}
}

// Correlations writes those of linked effects, and returns their number; SetCorrelations sets them.
func (k *ClosedChain) Correlations(dst []float64) int {
	if !k.linked {
		return 0
	}
	return k.groups[0].writeCorrelations(dst)
}

// SetCorrelations sets the correlations of linked effects.
func (k *ClosedChain) SetCorrelations(from []float64) {
	if k.linked {
		g := k.groups[0]
		g.setCorrelations(from[:len(g.partial)])
		g.settle()
	}
}

// Effects writes the effects of a response, term by term, and SetEffects sets them.
func (k *ClosedChain) Effects(response int, dst []float64) {
	k.eachEffect(response, func(at, to int) { dst[to] = k.r[at] })
}

// SetEffects sets the effects of a response.
func (k *ClosedChain) SetEffects(response int, from []float64) {
	k.eachEffect(response, func(at, to int) { k.r[at] = from[to] })
}

func (k *ClosedChain) eachEffect(response int, do func(at, to int)) {
	_, _, first, terms := k.at(response)
	for t := range terms {
		for l := range k.levels {
			do(l*len(k.term)+first+t, t*k.levels+l)
		}
	}
}
