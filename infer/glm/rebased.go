package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Rebased returns the likelihood of t on another design x of the same rows,
// with eta = offset + X·u: the likelihood of t in other coordinates. It has t's
// dispersions and their priors, and flat priors on u: who asks for it keeps the
// prior of u, and of horseshoes' scales. It has no penalised point, so neither Start, Penalised nor
// ConditionalScale. Cost: O(rows·columns).
func (t *Target) Rebased(x design.Matrix, offset []float64) *Target {
	out, data := *t, *t.data
	data.X, data.Offset, data.Names, data.Intercept = x, offset, nil, -1
	out.data, out.pilot = &data, nil
	out.scaleGroups, out.scaleGroupOf, out.scaleCount = nil, nil, 0
	_, d := x.Size()
	out.model.Coefficients = make([]prior.Prior, d)
	for j := range out.model.Coefficients {
		out.model.Coefficients[j].Kind = prior.Flat
	}
	if x != t.data.X {
		out.xty = make([]float64, d)
		x.TransposedProduct(out.kernels, t.counted, out.xty)
	}
	out.priors = prior.NewJoint(out.model.Coefficients)
	return &out
}

// WithOffset returns the posterior with another offset, len n, which the caller may write to between refreshes of its
// points. All else is shared, the penalised point too.
func (t *Target) WithOffset(offset []float64) *Target {
	out, data := *t, *t.data
	data.Offset = offset
	out.data = &data
	return &out
}

// linearOf returns the linear part of a canonical log likelihood along x.
func (t *Target) linearOf(x []float64) float64 { return t.kernels.Dot(x, t.counted) }

// Direction is a direction in which all coefficients move at once.
type Direction struct {
	Beta, Eta []float64 // per coefficient; X·Beta, per row
	linear    float64
}

// Direct completes a direction whose Beta and Eta are set. Cost: O(n).
func (p *Point) Direct(d *Direction) {
	if p.t.form.Linear() {
		d.linear = p.t.linearOf(d.Eta)
	}
}

// AlongDirection returns the log likelihood at beta + delta·d.Beta. It writes
// nothing. Cost: O(n).
func (p *Point) AlongDirection(d *Direction, delta float64) Value {
	v := Value{sum: p.t.sum(p.eta, d.Eta, delta, p.disp.at)}
	if p.t.form.Linear() {
		v.linear = math.FMA(delta, d.linear, p.value.linear)
	}
	v.LogLik = p.t.logLik(v.sum, v.linear, &p.disp)
	return v
}

// MoveDirection moves where AlongDirection looked; v must be what it returned.
// Cost: O(n + d).
func (p *Point) MoveDirection(d *Direction, delta float64, v Value) {
	p.t.kernels.Axpy(delta, d.Beta, p.beta)
	p.t.kernels.Axpy(delta, d.Eta, p.eta)
	p.value = v
	p.moved()
}

// Logs writes log(x − Lower) of each dispersion x that is a parameter.
func (p *Point) Logs(dst []float64) {
	for i := range dst {
		dst[i] = p.LogDispersion(i)
	}
}

// LogDispersionPrior returns the log prior density of the dispersions that are
// parameters, on their own scale.
func (p *Point) LogDispersionPrior() float64 { return p.t.logDispersionPrior(&p.disp) }

// Dispersions returns the family's dispersions at the point, fixed ones
// included.
func (p *Point) Dispersions() []float64 { return p.disp.at[:len(p.t.dispersions)] }

// negligible is such that 1 + e^−negligible is 1.
const negligible = 40

// RowTerm returns the term of row i in the log likelihood at a linear predictor, up to a constant. A probability
// below e^−negligible is 0 in it. Cost: O(1).
func (p *Point) RowTerm(i int, eta float64) float64 {
	t, w := p.t, 1.0
	if t.weights != nil {
		w = t.weights[i]
	}
	switch t.form {
	case family.Softplus:
		soft := max(eta, 0)
		if math.Abs(eta) < negligible { // rows of separated data are far from here
			soft = vec.Log1pExp(eta)
		}
		return math.FMA(t.counted[i], eta, -float64(w*soft))
	case family.Exponential:
		return math.FMA(t.counted[i], eta, -float64(w*vec.Exp(eta)))
	case family.Squares:
		e := (t.data.Y[i] - eta) / p.disp.at[0]
		return -0.5 * float64(w*e) * e
	}
	p.near.row[0] = eta
	return t.sumTerms(t.rows.Part(i, i+1), p.near.row[:], p.near.row[:], 0, p.disp.at)
}
