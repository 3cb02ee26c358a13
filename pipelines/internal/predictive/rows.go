package predictive

import (
	"fmt"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Design has the rows of a predictor, with offsets and group-level effects, and the columns of X as draws have them.
type Design struct {
	*glm.Data
	Columns []transform.Column
}

// LackingError reports that effects of levels have no draws, and that rows need them.
type LackingError struct{ Have, Needed int }

func (e *LackingError) Error() string {
	return fmt.Sprintf("the draws have %d group-level effects of %d that the linear predictor needs", e.Have, e.Needed)
}

// part is a component of the response, or all of a response without components, on rows.
type part struct {
	weight     record.Scalar // its value is 1 without components
	scalars    []record.Scalar
	predictors []linear
}

// linear is a predictor on rows.
type linear struct {
	Design
	first   int // where draws have the coefficient of the first column; the others follow
	effects []effects
}

// effects are a block of group-level effects of the rows of a design.
type effects struct {
	*design.Effects
	// first is where draws have the first of them; the others follow by term, then by level. −1 if there are none.
	first  int
	fitted int        // levels of the fit: those from there on are new ones
	law    *newLevels // of new levels; nil: their effects are 0
}

// On returns an evaluator of rows of data: responses and what weighs them. Designs are those of the predictors in their
// order; the last of them serves all further ones. If the fit has Items, there are none. It is a *LackingError if rows
// need effects that have no draws.
func (f *Fit) On(data *glm.Data, designs ...Design) (*Evaluator, error) {
	r := &f.Description.Responses[0]
	e := &Evaluator{Fit: f, data: data}
	lack := &LackingError{}
	for k := range r.Components {
		c := &r.Components[k]
		p := part{weight: record.Scalar{Value: 1}, scalars: c.Scalars}
		if f.Description.Weights != nil {
			p.weight = f.Description.Weights[k]
		}
		for i := range c.Predictors {
			l, err := f.linear(&c.Predictors[i], designs[min(i, len(designs)-1)], lack)
			if err != nil {
				return nil, err
			}
			p.predictors = append(p.predictors, l)
		}
		e.parts = append(e.parts, p)
	}
	if lack.Have < lack.Needed {
		return nil, lack
	}
	e.need = e.last()
	if f.Items != nil {
		return e, nil
	}
	e.family = FamilyOf(r)
	if n := len(r.Components[0].Scalars); n != len(e.family.Dispersions()) {
		return nil, fmt.Errorf("the fit has %d scalars, and family %s has %d", n, r.Family, len(e.family.Dispersions()))
	}
	var err error
	if e.family, err = e.family.WithLimits(data.Limits()); err != nil {
		return nil, err
	}
	e.outcomes, err = newOutcomes(e.family, r.Classes, data)
	return e, err
}

// FamilyOf returns the family of a response, with the dispersion that has a predictor.
func FamilyOf(r *record.Response) glm.Family {
	predictors := r.Components[0].Predictors
	f := glm.Family{Name: r.Family, Link: predictors[0].Link, Custom: r.Custom}
	for _, p := range predictors[1:] {
		f, _ = f.WithPredictor(p.Name)
	}
	return f
}

// DesignsOf returns the designs of the predictors of a coded table.
func DesignsOf(d *transform.Design, columns *transform.Record) []Design {
	out := []Design{{d.Data, columns.Columns}}
	for k, data := range d.Data.Further {
		out = append(out, Design{data, columns.Predicted[k].Record.Columns})
	}
	return out
}

// linear puts a predictor on a design, and counts the effects of levels.
func (f *Fit) linear(p *record.Predictor, d Design, lack *LackingError) (linear, error) {
	out, found := linear{Design: d, first: -1}, make([]bool, len(d.Effects))
	out.effects = make([]effects, len(d.Effects))
	for i := range p.Terms {
		t := &p.Terms[i]
		if t.Group == 0 {
			same := slices.EqualFunc(t.Columns, d.Columns, func(name string, c transform.Column) bool { return name == c.Name })
			if !same || t.First == 0 {
				return out, fmt.Errorf("the %d columns of predictor %s are not those of the design", len(t.Columns), p.Name)
			}
			out.first = t.First - 1
			continue
		}
		g := &f.Description.Groups[t.Group-1]
		for k, e := range d.Effects {
			if e.Group != g.Grouping || !slices.Equal(e.Terms, t.Columns) {
				continue
			}
			if found[k] = true; g.Levels > e.Grouping.Levels() {
				return out, fmt.Errorf("the fit has %d levels of %s, and the design has %d", g.Levels, e.Group,
					e.Grouping.Levels())
			}
			out.effects[k] = effects{Effects: e, first: t.First - 1, fitted: g.Levels}
			if f.NewLevels != nil {
				out.effects[k].law = &newLevels{g, t.At, f.NewLevels}
			}
			n := len(t.Columns) * g.Levels
			lack.Needed += n
			if t.First > 0 || !slices.ContainsFunc(e.Grouping.Of(), func(l int32) bool { return int(l) < g.Levels }) {
				lack.Have += n
			}
		}
	}
	if k := slices.Index(found, false); k >= 0 {
		return out, fmt.Errorf("predictor %s has no effects of %s", p.Name, d.Effects[k].Group)
	}
	if out.first < 0 && len(d.Columns) > 0 {
		return out, fmt.Errorf("predictor %s has no columns, and the design has %d", p.Name, len(d.Columns))
	}
	return out, nil
}

// last is how many parameters, the first, are enough for the rows.
func (e *Evaluator) last() (n int) {
	for p := range e.singles(&Block{Rows: e.rows()}) {
		n = max(n, p+1)
	}
	for i := range e.Description.Responses { // of items all; parts have those of the first
		for _, c := range e.Description.Responses[i].Components {
			for _, s := range c.Scalars {
				n = max(n, s.Parameter)
			}
		}
	}
	for k := range e.parts {
		for _, l := range e.parts[k].predictors {
			n = max(n, l.first+len(l.Columns))
			for _, of := range l.effects {
				if of.first >= 0 {
					n = max(n, of.first+len(of.Terms)*of.fitted)
				}
			}
		}
	}
	return n
}
