package glm

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// AlongLength returns, up to a constant, the log posterior density where the second parameter of group g is at x
// and each coefficient keeps its number of prior standard deviations; it writes the linear predictor there to eta.
// Cost: O(n·columns).
func (p *Point) AlongLength(g int, x float64, eta []float64) (float64, Value) {
	h := &p.t.scaleGroups[g]
	density := h.LogSlab(x) + h.SlabJacobian(x)
	if math.IsInf(density, -1) {
		return density, Value{}
	}
	copy(eta, p.eta)
	for i, j := range h.Columns {
		p.t.data.X.Column(j).AddToBy(p.t.kernels, eta, float64(p.beta[j]*(vec.Exp(p.lengthened(h, x, i))-1)))
	}
	v := p.ValueAt(eta)
	return density + v.LogLik, v
}

// lengthened returns by what the log of the spread of column i of a smooth grows if its second parameter is at x.
func (p *Point) lengthened(h *prior.Group, x float64, i int) float64 {
	tau := p.scale.log[h.Tau]
	return h.LogSpread(tau, 0, x, i) - p.scale.logSpread[h.Columns[i]]
}

// MoveLength makes the move of AlongLength; eta and v must be what that wrote and returned. Cost: O(n).
func (p *Point) MoveLength(g int, x float64, eta []float64, v Value) {
	h := &p.t.scaleGroups[g]
	for i, j := range h.Columns {
		p.beta[j] *= vec.Exp(p.lengthened(h, x, i))
	}
	p.scale.log[h.Slab] = x
	p.spreadGroup(g)
	p.MoveTo(eta, v)
}
