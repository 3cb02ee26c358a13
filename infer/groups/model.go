package groups

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Model is a model, with or without group-level effects, for who draws from its prior and looks at positions: chains
// have setups of their own. It is read-only once made.
type Model struct {
	plain  *glm.Target // without effects
	blocks []*block    // as far as positions need them
	params []infer.Parameter
	data   *glm.Data
	model  glm.Model
}

// NewModel returns the model of data; its errors are those of New, or of glm.NewTarget where there are no effects.
func NewModel(data *glm.Data, model glm.Model, by infer.Parallel) (*Model, error) {
	if len(data.Effects) == 0 && len(model.Effects) == 0 {
		plain, err := glm.NewTargetBy(by, data, model)
		if err != nil {
			return nil, err
		}
		return Of(plain), nil
	}
	if err := check(data, &model); err != nil {
		return nil, err
	}
	plain, err := without(data, model, by)
	if err != nil {
		return nil, err
	}
	s := &setup{target: plain}
	for i, e := range data.Effects {
		s.blocks = append(s.blocks, &block{Effects: e, prior: model.Effects[i], of: e.Grouping.Of(),
			levels: e.Grouping.Levels(), q: len(e.Terms)})
	}
	s.describe()
	return &Model{plain: plain, blocks: s.blocks, params: s.params, data: data, model: model}, nil
}

// Of returns a model without effects.
func Of(plain *glm.Target) *Model {
	return &Model{plain: plain, params: plain.Parameters(), data: plain.Data(), model: *plain.Model()}
}

// Plain returns the model without its effects.
func (t *Model) Plain() *glm.Target { return t.plain }

// Data returns the data with their effects; they must not be changed.
func (t *Model) Data() *glm.Data { return t.data }

// Model returns the likelihood with its priors, those of effects among them.
func (t *Model) Model() *glm.Model { return &t.model }

// Parameters describes a position, as those of New's sampler do.
func (t *Model) Parameters() []infer.Parameter { return t.params }

// DrawPrior writes an independent draw of a position from the prior, len Parameters, as glm.Target.DrawPrior: sds that
// no chain can be at are drawn again. Cost: O(levels·q²).
func (t *Model) DrawPrior(s prior.Source, theta []float64) {
	at := t.plain.Dim()
	t.plain.DrawPrior(s, theta[:at])
	all := t.groups()
	for _, g := range all {
		g.drawPrior(s)
		for l := range g.levels {
			g.drawEffects(s, g.r[l*g.q:(l+1)*g.q])
		}
	}
	all.position(theta[at:])
}

// At returns a function for the use of one chain: log likelihood and log prior density at a position, and whether its
// linear predictor is inside the domain of the link. Cost: that of Predictor.SetTheta.
func (t *Model) At() func(theta []float64) (logLik, logPrior float64, inside bool) {
	p := NewPredictor(t)
	return func(theta []float64) (logLik, logPrior float64, inside bool) {
		p.SetTheta(theta)
		return p.Value().LogLik, p.LogPrior(theta), t.plain.InDomain(p.Eta())
	}
}

// AddPriorEffects draws sds, correlations and the effects of the levels of some rows from the prior, and adds these
// effects to eta, a number for each of the rows.
func (t *Model) AddPriorEffects(s prior.Source, rows []int, eta []float64) {
	for _, b := range t.blocks {
		at, drawn := b.newScales(), map[int32][]float64{}
		at.drawPrior(s)
		for k, i := range rows {
			r, ok := drawn[b.of[i]]
			if !ok {
				r = make([]float64, b.q)
				at.drawEffects(s, r)
				drawn[b.of[i]] = r
			}
			for term, e := range r {
				eta[k] = math.FMA(b.z(term, i), e, eta[k])
			}
		}
	}
}

// drawEffects draws the effects of a level.
func (s *scales) drawEffects(from prior.Source, r []float64) {
	for i := range r {
		r[i] = variate.Normal(from)
	}
	for i := s.size - 1; i >= 0; i-- {
		r[i] = dot(s.chol[i*s.size:i*s.size+i+1], r)
	}
}

// drawTries bounds the draws of an sd until a chain can start there.
const drawTries = 10_000

// drawPrior draws sds and correlations.
func (s *scales) drawPrior(from prior.Source) {
	for _, t := range s.free {
		for range drawTries {
			s.logSD[t] = vec.Log(s.laws.SD[t].Draw(from))
			if s.logSD[t] >= -logRange && s.logSD[t] <= logRange {
				break
			}
		}
	}
	s.drawCorrelations(from)
	s.settle()
}

// drawCorrelations draws them alone, and settles nothing.
func (s *scales) drawCorrelations(from prior.Source) {
	at := 0
	for i := range s.paired() {
		for j := range i {
			b := s.beta(j)
			y := atanh(2*variate.Beta(from, b, b) - 1)
			s.partial[at] = max(-partialRange, min(partialRange, y))
			at++
		}
	}
}

// groups returns the state of effects with all at 0.
func (t *Model) groups() (out groupings) {
	for _, b := range t.blocks {
		r := make([]float64, b.levels*b.q)
		out = append(out, &group{block: b, scales: b.newScales(), r: r, effects: glm.NewEffects(b.Effects, r),
			scratch: scratch{squares: make([]float64, b.q*b.q)}})
	}
	return out
}

// Predictor is the linear predictor of a target at a position.
type Predictor struct {
	*glm.Point
	t      *Model
	groups groupings
}

// NewPredictor returns a predictor that is at no position yet.
func NewPredictor(t *Model) *Predictor {
	p := &Predictor{t: t, groups: t.groups(), Point: glm.NewPoint(t.plain)}
	for _, g := range p.groups {
		p.Attach(g.effects)
	}
	return p
}

// SetTheta moves to a position. Cost: O(n·(d + q)).
func (p *Predictor) SetTheta(theta []float64) {
	at := p.t.plain.Dim()
	p.groups.setPosition(theta[at:])
	p.Point.SetTheta(theta[:at])
}

// Effects writes sds, correlations and effects to theta, which has the other numbers of the position.
func (p *Predictor) Effects(theta []float64) { p.groups.position(theta[p.t.plain.Dim():]) }

// LogPrior returns the log prior density of the position that theta was, with its constants.
func (p *Predictor) LogPrior(theta []float64) float64 {
	return p.groups.addPrior(p.t.plain.LogPrior(theta[:p.t.plain.Dim()]))
}

// groupings are all groups of a chain. Behind what glm's target has a position has their sds and correlations, then
// their effects, term by term.
type groupings []*group

// position writes the parameters of effects in their order.
func (all groupings) position(dst []float64) {
	at := 0
	for _, g := range all {
		at += g.write(dst[at:])
	}
	for _, g := range all {
		at += g.writeEffects(g.r, dst[at:])
	}
}

// setPosition reads what position writes.
func (all groupings) setPosition(theta []float64) {
	at := 0
	for _, g := range all {
		at += g.read(theta[at:])
	}
	for _, g := range all {
		at += g.readEffects(theta[at:], g.r)
	}
}

// addPrior adds the log prior density of sds, correlations and effects to that of the rest.
func (all groupings) addPrior(sum float64) float64 {
	for _, g := range all {
		if g.Linked {
			continue // its sds and effects are in the distribution of Linked
		}
		g.sumSquares()
		sum += g.logPrior() + g.logEffects(float64(g.levels), g.squares)
	}
	return sum
}

// ImproperPriors names the parameters of a model whose prior cannot be drawn from: coefficients, dispersions, sds.
func ImproperPriors(data *glm.Data, model *glm.Model) (names []string) {
	for j, p := range model.Coefficients {
		if !p.Proper() {
			names = append(names, nameOf(data, j))
		}
	}
	for k, d := range model.Family.Dispersions() {
		if !model.DispersionPrior(k).Proper() {
			names = append(names, d.Name)
		}
	}
	for k, p := range model.Smooths {
		if !p.Proper() {
			names = append(names, data.Smooths[k].SDName())
		}
	}
	for i, e := range data.Effects {
		b := &block{Effects: e}
		for t, p := range model.Effects[i].SD {
			if !p.Proper() {
				names = append(names, b.sdName(t))
			}
		}
	}
	return names
}
