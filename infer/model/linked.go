package model

import (
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
)

// findLinks links the effects with the same ID that several predictors have for the levels of one grouping.
func (s *setup) findLinks() error {
	type id struct{ id, group string }
	found := map[id][]groups.LinkPart{}
	var order []id
	for k, p := range s.predictors {
		for i, e := range p.data.Effects {
			if of := (id{e.ID, e.Group}); e.ID != "" {
				if found[of] == nil {
					order = append(order, of)
				}
				found[of] = append(found[of], groups.LinkPart{Predictor: k, Effects: i})
			}
		}
	}
	for _, of := range order {
		parts := found[of]
		if len(parts) < 2 {
			continue
		}
		var effects []*design.Effects
		var priors []glm.EffectsPrior
		for _, at := range parts {
			p := s.predictors[at.Predictor]
			p.data.Effects[at.Effects].Linked = true
			effects = append(effects, p.data.Effects[at.Effects])
			priors = append(priors, p.model.Effects[at.Effects])
		}
		l, err := groups.NewLink(parts, effects, priors)
		if err != nil {
			return err
		}
		s.links = append(s.links, l)
	}
	return nil
}

// correlations are the parameters of a link. One of two terms of a predictor belongs to it.
func (s *setup) correlations(l *groups.Link) []infer.Parameter {
	out := l.Parameters()
	for i := range out {
		q := &out[i]
		for _, p := range s.predictors {
			own := p.named("")
			if own != "" && strings.HasPrefix(q.Term, own) && strings.HasPrefix(q.Term2, own) {
				q.Predictor, q.Term, q.Term2 = p.name, q.Term[len(own):], q.Term2[len(own):]
				break
			}
		}
	}
	return out
}

// linkedMove is that of one chain.
type linkedMove struct {
	*groups.LinkedMove
	parts []groups.LinkPart
	eta   [][]float64 // of all predictors at a place
	rows  groups.Rows
}

func (k *kernel) newLinkedMove(l *groups.Link) *linkedMove {
	m := &linkedMove{LinkedMove: l.Mover(k.chains, k.Stream, &k.Looks), parts: l.Parts()}
	m.eta = slices.Clone(k.eta)
	for _, at := range m.parts {
		m.eta[k.predictors[at.Predictor].place] = make([]float64, len(k.rest))
	}
	m.rows = groups.Rows{
		Each: func(steps [][]float64) []float64 {
			k.stepLinked(m, steps)
			k.several.LogLik(&k.rows, 0, m.eta, k.rest)
			k.rows.CountRows(k.rest)
			return k.rest
		},
		Take: func() {
			for _, at := range m.parts {
				k.take(at.Predictor)
			}
		},
		Lay: func(steps [][]float64, do func(part int)) {
			k.stepLinked(m, steps)
			for i, p := range k.predictors {
				k.several.Given(p.place, &k.rows, m.eta, k.views[p.place])
				if part := m.part(i); part >= 0 {
					p.lend(k.chains[i].Point(), k.views[p.place], k.rest, k.stepsOf(i))
					do(part)
					k.chains[i].Point().TakeRest()
				}
			}
		},
	}
	return m
}

// part is the number of the part that a predictor has, −1 for none.
func (m *linkedMove) part(predictor int) int {
	return slices.IndexFunc(m.parts, func(p groups.LinkPart) bool { return p.Predictor == predictor })
}

// lean gives the part of a predictor what the effects of the others leave.
func (m *linkedMove) lean(predictor int) {
	if part := m.part(predictor); part >= 0 {
		m.Lean(part)
	}
}

// stepLinked writes the predictors with steps added to linked effects.
func (k *kernel) stepLinked(m *linkedMove, steps [][]float64) {
	for part, at := range m.parts {
		p := k.predictors[at.Predictor]
		p.data.Effects[at.Effects].AddTo(m.eta[p.place], 0, steps[part], k.eta[p.place])
	}
	k.Touched += int64(len(m.parts) * len(k.rest))
}

// moveLinked moves linked effects of all predictors at once, coefficients against them, and sds and correlations.
func (k *kernel) moveLinked(m *linkedMove) bool {
	accept, failing, ok := m.Move(m.rows, k.Iteration)
	k.Proposals++
	k.Accepted += accept
	k.arrive()
	for _, own := range k.chains {
		k.Touched += own.Point().RowsRead() // are not of the next iteration
	}
	return ok || k.FailAlong(failing)
}

// densityOfLinks returns the log density of linked effects and correlations over u, with its gradient added to grad,
// and on their own scale.
func (t *Target) densityOfLinks() func(u, grad []float64) (inU, logPrior float64) {
	var each []func(y, gradY []float64, u, grad [][]float64) (inU, own float64)
	for _, l := range t.links {
		each = append(each, l.Density())
	}
	of := func(u []float64) (out [][]float64) {
		for k := range t.of {
			out = append(out, u[t.at[k]:t.at[k+1]])
		}
		return out
	}
	return func(u, grad []float64) (inU, logPrior float64) {
		for i, density := range each {
			to := t.from[i] + t.links[i].Dim()
			x, own := density(u[t.from[i]:to], grad[t.from[i]:to], of(u), of(grad))
			inU += x
			logPrior += own
		}
		return inU, logPrior
	}
}

// linkedAt returns the distributions of linked effects at positions of predictors.
func (s *setup) linkedAt(predictors []*groups.Predictor) (out []*groups.Linked) {
	for _, l := range s.links {
		out = append(out, l.At(predictors))
	}
	return out
}

// drawLinks draws correlations, which it returns, and linked effects at the sds of positions of the predictors.
func (p *Posterior) drawLinks(s prior.Source, each [][]float64) (correlations []float64) {
	if p.setup.links == nil {
		return nil
	}
	var predictors []*groups.Predictor
	for k, of := range p.of {
		predictors = append(predictors, groups.NewPredictor(of))
		predictors[k].SetTheta(each[k])
	}
	for _, l := range p.setup.linkedAt(predictors) {
		l.DrawPrior(s)
		numbers := make([]float64, len(l.Parameters()))
		l.Correlations(numbers)
		correlations = append(correlations, numbers...)
	}
	for k, at := range predictors {
		at.Effects(each[k])
	}
	return correlations
}
