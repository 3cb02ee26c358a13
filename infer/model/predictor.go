package model

import (
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
)

// predictor is a linear predictor with the sampler of its parameters given the others.
type predictor struct {
	name   string
	data   *glm.Data // with its own responses, and with names that begin with its own
	offset []float64 // of the user, or nil
	at     []float64 // the rest that the sampler was made at, which is part of the offset of data
	model  glm.Model

	*groups.Sampler
}

// newPredictor returns a predictor without a sampler.
func newPredictor(q *Predictor, of family.Predictor, y, frequency []float64) *predictor {
	p := &predictor{name: of.Name, model: q.Model, offset: q.Data.Offset, at: make([]float64, len(y))}
	p.model.Family = of.Of
	data := *q.Data
	data.Y, data.Frequency, data.Offset = y, frequency, make([]float64, len(y))
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

// sampleAt makes the sampler, tuned to what the others leave.
func (p *predictor) sampleAt(rest []float64, by infer.Parallel) error {
	data := *p.data
	data.Offset = make([]float64, len(rest))
	copy(p.at, rest)
	for i, r := range rest {
		data.Offset[i] = r
		if p.offset != nil {
			data.Offset[i] += p.offset[i]
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

// penalised writes the linear predictor at the penalised point, without effects of levels.
func (p *predictor) penalised(eta []float64) {
	point := glm.NewPoint(p.Target)
	point.SetUnconstrained(p.Target.Penalised())
	p.own(point, eta)
}

// own writes the linear predictor of a point without what the others leave.
func (p *predictor) own(point *glm.Point, eta []float64) {
	for i, e := range point.Eta() {
		eta[i] = e - p.at[i]
	}
}
