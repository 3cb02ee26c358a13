package model

import (
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// predictor is a linear predictor with the sampler of its parameters given the others.
type predictor struct {
	name   string
	place  int       // among the predictors of the family
	data   *glm.Data // with its own responses, and with names that begin with its own
	offset []float64 // of the user, or nil
	at     []float64 // the rest that the sampler was made at, which is part of the offset of data
	model  glm.Model

	started bool // see family.Predictor

	whole  *glm.Data   // with the columns of monotonic effects, which data and model do not have
	mono   []*monotone // these effects
	steps  int         // of all of them
	hidden int         // 1 if data have a column of zeros because the design has no other one

	*groups.Sampler
}

// newPredictor returns a predictor without a sampler.
func newPredictor(q *Predictor, place int, of family.Predictor, y []float64, beside *Problem) *predictor {
	p := &predictor{name: of.Name, place: place, started: of.Started, model: q.Model, offset: q.Data.Offset,
		at: make([]float64, len(y))}
	p.model.Family = of.Of
	for d, elsewhere := range of.Elsewhere {
		if elsewhere {
			fixed := prior.Prior{Kind: prior.Constant, Location: of.Of.Dispersions()[d].At(0)}
			*p.model.DispersionLaw(d) = fixed
		}
	}
	data := *q.Data
	data.Y, data.Frequency, data.Censoring, data.Offset = y, beside.Frequency, beside.Censoring, make([]float64, len(y))
	if of.Of.Limits == family.NoLimits {
		data.Censoring = family.Censoring{}
	}
	if data.Trials = nil; of.Of.Support().Trials {
		data.Trials = beside.Trials
	}
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
	p.takeMonotone(q)
	return p
}

// takeMonotone takes the monotonic effects off the data and the model.
func (p *predictor) takeMonotone(q *Predictor) {
	p.whole = q.Data
	first := q.Data.Cols()
	if len(q.Data.Monotone) > 0 {
		first = q.Data.Monotone[0].First
	} else if first > 0 {
		return
	}
	for i, m := range q.Data.Monotone {
		p.mono = append(p.mono, newMonotone(m, q.Model.Monotone[i], q.Data.X, p.steps))
		p.steps += m.Last - m.First
	}
	p.data.X, p.data.Monotone, p.model.Monotone = design.FirstColumns(q.Data.X, first), nil, nil
	p.data.Names, p.model.Coefficients = p.data.Names[:first], q.Model.Coefficients[:first]
	if first == 0 { // the density of its coefficient is 1 where it is, at 0
		p.hidden, p.data.Names = 1, []string{"(none)"}
		p.model.Coefficients = []prior.Prior{{Kind: prior.Normal, Scale: 1 / math.Sqrt(2*math.Pi)}}
	}
	if p.model.Groups != nil {
		p.model.Groups = nil
	}
}

// unpenalised lists the coefficients of the sampler that have a prior with a curvature of their own.
func (p *predictor) unpenalised() (out []int) {
	for j, law := range p.model.Coefficients {
		penalised := slices.ContainsFunc(p.data.Smooths, func(s design.Smooth) bool { return s.First <= j && j < s.Last })
		if !penalised && basis.Rotatable(law.Kind) && j >= p.hidden {
			out = append(out, j)
		}
	}
	return out
}

// head is the number of parameters before the effects of levels.
func (p *predictor) head() int { return p.First() - p.hidden + p.steps }

// kept is the number of coefficients that are parameters, besides steps.
func (p *predictor) kept() int { return p.data.Cols() - p.hidden }

// apart returns the head of the sampler's own position of that of the predictor, and the steps in it.
func (p *predictor) apart(head []float64) (own, steps []float64) {
	if p.steps == 0 && p.hidden == 0 {
		return head, nil
	}
	kept := p.kept()
	return slices.Concat(make([]float64, p.hidden), head[:kept], head[kept+p.steps:]), head[kept : kept+p.steps]
}

// together is the inverse of apart, of the head of the sampler's own position.
func (p *predictor) together(own, head []float64) {
	if p.steps > 0 || p.hidden > 0 {
		kept := p.kept()
		copy(head, own[p.hidden:p.hidden+kept])
		copy(head[kept+p.steps:], own[p.hidden+kept:])
	}
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
	clear(p.at)
	copy(p.at, v.Rest)
	for i, r := range p.at {
		data.Offset[i] = r
		if p.offset != nil {
			data.Offset[i] += p.offset[i]
		}
	}
	if v.Given != nil || p.started {
		data.Given = &glm.Given{Start: start}
		for _, g := range v.Given {
			data.Given.Rows = append(data.Given.Rows, slices.Clone(g))
		}
	}
	p.data = &data
	if p.mono != nil {
		if err := p.firstSteps(slices.Clone(data.Offset), data.Given, by); err != nil {
			return err
		}
		p.addSteps(p.startSteps(), p.at, data.Offset)
	}
	var err error
	if p.Sampler, err = groups.NewOrdered(p.data, p.model, by); err == nil {
		p.mark()
	}
	return err
}

// startSteps returns the steps where chains begin.
func (p *predictor) startSteps() []float64 {
	c := make([]float64, p.steps)
	for _, m := range p.mono {
		m.steps(m.start, c[m.at:m.at+m.size()])
	}
	return c
}

// addSteps adds the monotonic effects of steps c to numbers of rows.
func (p *predictor) addSteps(c []float64, to ...[]float64) {
	for _, m := range p.mono {
		for i, column := range m.columns {
			for _, eta := range to {
				vec.Axpy(c[m.at+i], column, eta)
			}
		}
	}
}

// mark gives the parameters their predictor, and terms of effects their names without it.
func (p *predictor) mark() {
	for i := range p.Params {
		q := &p.Params[i]
		q.Predictor = p.name
		q.Term, q.Term2 = strings.TrimPrefix(q.Term, p.named("")), strings.TrimPrefix(q.Term2, p.named(""))
	}
}

// give brings to a point of the predictor what the others and its steps leave, and its value. rest is scratch.
func (p *predictor) give(point *glm.Point, v *family.View, rest, steps []float64) {
	p.lend(point, v, rest, steps)
	point.Value()
}

// lend is give that leaves the value behind.
func (p *predictor) lend(point *glm.Point, v *family.View, rest, steps []float64) {
	if v.Rest != nil || p.mono != nil {
		clear(rest)
		copy(rest, v.Rest)
		for i := range rest {
			rest[i] -= p.at[i]
		}
		p.addSteps(steps, rest)
		point.AddRest(rest)
	}
	if v.Given != nil {
		point.Give(v.Given)
	}
}

// penalised writes the linear predictor at the penalised point, without effects of levels, and returns the dispersions.
// Steps are where chains begin.
func (p *predictor) penalised(eta []float64) []float64 {
	point := glm.NewPoint(p.Target)
	point.SetUnconstrained(p.Target.Penalised())
	p.own(point, p.startSteps(), eta)
	return point.Dispersions()
}

// own writes the linear predictor of a point with the steps, without what the others leave.
func (p *predictor) own(point *glm.Point, steps, eta []float64) {
	for i, e := range point.Eta() {
		eta[i] = e - p.at[i]
	}
	p.addSteps(steps, eta)
}
