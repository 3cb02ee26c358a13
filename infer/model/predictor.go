package model

import (
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
)

// predictor is a linear predictor with the sampler of its parameters given the others.
type predictor struct {
	name   string
	place  int       // among the predictors of the family
	data   *glm.Data // with its own responses, and with names that begin with its own
	offset []float64 // of the user, or nil
	at     []float64 // the rest that the sampler was made at, which is part of the offset of data
	model  glm.Model

	*groups.Sampler
}

// newPredictor returns a predictor without a sampler.
func newPredictor(q *Predictor, place int, of family.Predictor, y []float64, beside *Problem) *predictor {
	p := &predictor{name: of.Name, place: place, model: q.Model, offset: q.Data.Offset, at: make([]float64, len(y))}
	p.model.Family = of.Of
	for d, elsewhere := range of.Elsewhere {
		if elsewhere {
			fixed := prior.Prior{Kind: prior.Constant, Location: of.Of.Dispersions()[d].At(0)}
			*p.model.DispersionLaw(d) = fixed
		}
	}
	data := *q.Data
	data.Y, data.Frequency, data.Censoring, data.Offset = y, beside.Frequency, beside.Censoring, make([]float64, len(y))
	data.Names, data.Smooths, data.Effects = nil, nil, nil
	for _, name := range q.Data.Names {
		data.Names = append(data.Names, p.named(name))
	}
	for _, s := range q.Data.Smooths {
		s.Name = p.named(s.Name)
		data.Smooths = append(data.Smooths, s)
	}
	for _, e := range q.Data.Effects {
		own := *e
		own.Terms = nil
		for _, t := range e.Terms {
			own.Terms = append(own.Terms, p.named(t))
		}
		data.Effects = append(data.Effects, &own)
	}
	p.data = &data
	return p
}

// named leads a name by that of the predictor.
func (p *predictor) named(name string) string {
	if p.name == "" {
		return name
	}
	return p.name + "_" + name
}

// sampleAt makes the sampler, tuned to what the others leave, and to begin at a constant.
func (p *predictor) sampleAt(v *family.View, start float64, by infer.Parallel) error {
	data := *p.data
	data.Offset = make([]float64, len(p.at))
	copy(p.at, v.Rest)
	for i, r := range p.at {
		data.Offset[i] = r
		if p.offset != nil {
			data.Offset[i] += p.offset[i]
		}
	}
	if v.Given != nil {
		data.Given = &glm.Given{Start: start}
		for _, g := range v.Given {
			data.Given.Rows = append(data.Given.Rows, slices.Clone(g))
		}
	}
	p.data = &data
	var err error
	if p.Sampler, err = groups.NewOrdered(p.data, p.model, by); err == nil {
		p.mark()
	}
	return err
}

// mark gives the parameters their predictor, and terms of effects their names without it.
func (p *predictor) mark() {
	for i := range p.Params {
		q := &p.Params[i]
		q.Predictor = p.name
		q.Term, q.Beside = strings.TrimPrefix(q.Term, p.named("")), strings.TrimPrefix(q.Beside, p.named(""))
	}
}

// give brings to a point of the predictor what the others leave. rest is scratch.
func (p *predictor) give(point *glm.Point, v *family.View, rest []float64) {
	if v.Rest != nil {
		for i, r := range v.Rest {
			rest[i] = r - p.at[i]
		}
		point.AddRest(rest)
	}
	if v.Given != nil {
		point.Give(v.Given)
	}
}

// penalised writes the linear predictor at the penalised point, without effects of levels, and returns the dispersions.
func (p *predictor) penalised(eta []float64) []float64 {
	point := glm.NewPoint(p.Target)
	point.SetUnconstrained(p.Target.Penalised())
	p.own(point, eta)
	return point.Dispersions()
}

// own writes the linear predictor of a point without what the others leave.
func (p *predictor) own(point *glm.Point, eta []float64) {
	for i, e := range point.Eta() {
		eta[i] = e - p.at[i]
	}
}
