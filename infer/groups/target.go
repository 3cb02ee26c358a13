package groups

import (
	"fmt"
	"math"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// TargetOptions configures NewTarget. The zero value is ready to use.
type TargetOptions struct {
	// Effects is how the effects of a grouping are coordinates: "centred", as they are with what they take over from
	// coefficients; "non_centred", in units of their standard deviations, without correlations; "auto", as a pilot
	// says for each grouping. Empty means "auto".
	Effects string
	// Ordered is whether the rows keep their order, as those of NewOrdered do.
	Ordered bool
}

// TargetVersion names the coordinates and the pilot that chooses them.
const TargetVersion = "effects/1"

// Target is the posterior of a model with group-level effects over coordinates u without bounds, with gradients, for
// samplers that move all at once. Its parameters are those of New's setup.
//
// u has the coordinates of glm.Target, then for each grouping the logs of its sds and atanh of its canonical
// partial correlations, then the effects of each: non-centred z = L⁻¹·r with L·Lᵀ = D·C·D, or centred r + Σ v·beta
// over the coefficients that the grouping carries, those with a shift (see shift). Given these sums the likelihood
// does not depend on such a coefficient, which would otherwise depend on all effects.
//
// Source: Papaspiliopoulos, Roberts and Sköld (2007), A general framework for the parametrization of hierarchical
// models, doi:10.1214/088342307000000014; Betancourt and Girolami (2013), arXiv:1312.0906, for gradients.
type Target struct {
	setup  *setup
	target *glm.Target // the vectorised one, without effects
	forms  []form
}

// form is the parametrisation of the effects of a grouping in u.
type form struct {
	*block
	centred bool
	share   float64  // the pilot's result; NaN if none was made
	carried []*shift // of a centred grouping
	// Places in u of its sds and correlations, and of its effects.
	scalesAt, effectsAt int
}

// NewTarget returns the posterior; arguments and errors are those of New.
func NewTarget(data *glm.Data, model glm.Model, by infer.Parallel, o TargetOptions) (*Target, error) {
	switch o.Effects {
	case "", "auto", "centred", "non_centred":
	default:
		return nil, fmt.Errorf("groups: effects are %q: want auto, centred or non_centred", o.Effects)
	}
	s, err := newSetup(data, model, by, Options{ordered: o.Ordered})
	if err != nil {
		return nil, err
	}
	t := &Target{setup: s, target: s.target.Vectorised()}
	at := t.target.Dim()
	for _, b := range s.blocks {
		centred := o.Effects == "centred" && !b.Linked
		t.forms = append(t.forms, form{block: b, centred: centred, share: math.NaN(), scalesAt: at})
		scales := b.newScales()
		at += len(scales.free) + len(scales.partial)
	}
	for i := range t.forms {
		t.forms[i].effectsAt = at
		at += t.forms[i].levels * t.forms[i].q
	}
	if o.Effects != "non_centred" {
		t.choose(o.Effects != "centred")
	}
	return t, nil
}

// Without returns the posterior of a model without effects, over the coordinates of its target.
func Without(target *glm.Target) *Target {
	return &Target{setup: &setup{target: target, params: target.Parameters()}, target: target.Vectorised()}
}

// Dim returns the length of u, the number of parameters.
func (t *Target) Dim() int { return len(t.setup.params) }

// Parameters are those of New's setup.
func (t *Target) Parameters() []infer.Parameter { return t.setup.params }

// Reads is the number of entries of X and Z that a gradient reads.
func (t *Target) Reads() int64 {
	reads := t.target.Reads()
	for _, f := range t.forms {
		reads += 2 * int64(f.q) * int64(len(f.of))
	}
	return reads
}

// Explain describes the parametrisation of the effects of each grouping in u, and its reason.
func (t *Target) Explain() string {
	var words []string
	for _, f := range t.forms {
		form := "non-centred"
		if f.centred {
			form = "centred"
		}
		text := fmt.Sprintf("%s: %d levels of %s, %s", f.Group, f.levels, strings.Join(f.Terms, ", "), form)
		if !math.IsNaN(f.share) {
			text += fmt.Sprintf(" (the data have %.2f of the precision of an effect)", f.share)
		}
		for i, s := range f.carried {
			text += []string{" about ", ", "}[min(i, 1)] + t.setup.names[s.column]
		}
		words = append(words, text)
	}
	return strings.Join(words, "; ")
}

// effectsAt is the index in u of the first effect.
func (t *Target) effectsAt() int {
	if len(t.forms) == 0 {
		return t.Dim()
	}
	return t.forms[0].effectsAt
}

// Place is a point in u with what follows from it, for the use of one chain.
type Place struct {
	t     *Target
	fixed *glm.Point
	rows  []float64 // scratch
	parts []*placed
}

// placed is a grouping at a place.
type placed struct {
	form
	*scales
	r      []float64 // effects by level, then by term
	slope  []float64 // of the log density in them
	matrix [3][]float64
}

// newPlaced returns a grouping without effects.
func newPlaced(f form) *placed {
	n := f.levels * f.q
	p := &placed{form: f, scales: f.newScales(), r: make([]float64, n), slope: make([]float64, n)}
	for i := range p.matrix {
		p.matrix[i] = make([]float64, f.q*f.q)
	}
	return p
}

// NewPlace returns a place that is nowhere yet.
func (t *Target) NewPlace() *Place {
	p := &Place{t: t, rows: make([]float64, t.target.Rows()), fixed: glm.NewPoint(t.target)}
	for _, f := range t.forms {
		g := newPlaced(f)
		p.parts = append(p.parts, g)
		p.fixed.Attach(glm.NewEffects(f.Effects, g.r))
	}
	return p
}

// from sets sds and correlations from u.
func (p *placed) from(u []float64) {
	at := p.scalesAt
	for _, t := range p.free {
		p.logSD[t] = u[at]
		at++
	}
	copy(p.partial, u[at:])
	p.settle()
}

// into is the inverse of from.
func (p *placed) into(u []float64) {
	at := p.scalesAt
	for _, t := range p.free {
		u[at] = p.logSD[t]
		at++
	}
	copy(u[at:], p.partial)
}

// effectsFrom makes the effects of u, whose first numbers are the coefficients.
func (p *placed) effectsFrom(u []float64) {
	copy(p.r, u[p.effectsAt:])
	if p.centred {
		p.carry(u, -1, p.r)
		return
	}
	if p.q == 1 {
		scale(p.chol[0], p.r)
		return
	}
	for at := 0; at < len(p.r); at += p.q {
		z := p.r[at : at+p.q]
		for i := p.q - 1; i >= 0; i-- {
			z[i] = dot(p.chol[i*p.q:i*p.q+i+1], z[:i+1])
		}
	}
}

// effectsInto is the inverse of effectsFrom.
func (p *placed) effectsInto(u []float64) {
	z := u[p.effectsAt : p.effectsAt+len(p.r)]
	copy(z, p.r)
	if p.centred {
		p.carry(u, 1, z)
		return
	}
	for at := 0; at < len(z); at += p.q {
		lower(p.chol, p.q, z[at:at+p.q])
	}
}

// carry adds Σ v·beta times sign.
func (p *placed) carry(beta []float64, sign float64, r []float64) {
	for _, s := range p.carried {
		vector.Axpy(sign*beta[s.column], s.v, r)
	}
}

// Constrain writes the parameters of u to theta.
func (t *Target) Constrain(u, theta []float64) {
	d := t.target.Dim()
	t.target.Constrain(u[:d], theta[:d])
	at, effects := d, t.effectsAt()
	for _, f := range t.forms {
		p := newPlaced(f)
		p.from(u)
		at += p.write(theta[at:])
		p.effectsFrom(u)
		effects += p.writeEffects(p.r, theta[effects:])
	}
}

// Unconstrain is the inverse of Constrain.
func (t *Target) Unconstrain(theta, u []float64) {
	d := t.target.Dim()
	t.target.Unconstrain(theta[:d], u[:d])
	at, effects := d, t.effectsAt()
	for _, f := range t.forms {
		p := newPlaced(f)
		at += p.read(theta[at:])
		p.into(u)
		effects += p.readEffects(theta[effects:], p.r)
		p.effectsInto(u)
	}
}

// Penalised returns the penalised point of the model without effects, effects of 0 and sds of a pilot's size.
func (t *Target) Penalised() []float64 {
	u := make([]float64, t.Dim())
	copy(u, t.target.Penalised())
	size := t.setup.pilotSize()
	for _, f := range t.forms {
		p := newPlaced(f)
		for _, term := range p.free {
			p.logSD[term] = vec.Log(size / p.meanSquare(term))
		}
		p.settle()
		p.into(u)
		p.effectsInto(u)
	}
	return u
}

// Start draws where a chain begins: coefficients and dispersions as glm.Target.Start, sds as chains of New,
// correlations of 0, effects at a tenth of a draw given the sds, halved until the likelihood is positive.
func (t *Target) Start(c infer.Chain) (u []float64, words string) {
	if len(t.forms) == 0 {
		return t.target.Start(c)
	}
	u = make([]float64, t.Dim())
	fixed, words := t.target.Start(c)
	copy(u, fixed)
	fromPrior := c.Count > 1 && c.Index == c.Count-1 && t.setup.proper
	size := t.setup.pilotSize()
	at := t.NewPlace()
	for _, p := range at.parts {
		for term, law := range p.prior.SD {
			p.startSD(term, logSD(law, size/p.meanSquare(term), fromPrior, c.Stream))
		}
		p.settle()
		for i := range p.r {
			p.r[i] = 0.1 * variate.Normal(c.Stream)
		}
		for i := 0; i < len(p.r); i += p.q {
			z := p.r[i : i+p.q]
			for j := range z { // correlations are 0
				z[j] *= p.chol[j*p.q+j]
			}
		}
		p.into(u)
	}
	words += "; sds spread around a pilot, effects near 0"
	if fromPrior {
		words = strings.Replace(words, "spread around a pilot", "from their priors, not far from a pilot", 1)
	}
	for range 60 {
		if at.move(u) > math.Inf(-1) {
			break
		}
		for _, p := range at.parts {
			scale(0.5, p.r)
		}
	}
	for _, p := range at.parts {
		p.effectsInto(u)
	}
	return u, words
}

// move goes to the coefficients and dispersions of u, with the effects that are set, and returns the log
// likelihood.
func (p *Place) move(u []float64) float64 {
	p.fixed.SetUnconstrained(u[:p.t.target.Dim()])
	return p.fixed.Value().LogLik
}
