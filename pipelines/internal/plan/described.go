package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// describing makes the description of a fit from its design record and the facts of its parameters.
type describing struct {
	design *transform.Record
	family glm.Family // of rows of a design
	params []infer.Parameter
	// fixed returns the value of a dispersion or a group_sd that is not a parameter.
	fixed func(infer.Parameter) (float64, error)
	out   *record.Description
	links map[linkID]*linkTerms // of a component
	// response is one of several, whose parameters have its name; empty of one.
	response string
}

// linkID names effects that several predictors may have under one distribution.
type linkID struct{ id, grouping string }

// linkTerms are the terms of a group, as the parameters of linked effects name them.
type linkTerms struct {
	group int      // of Description.Groups, from 1
	names []string // of the terms
}

// describe describes a fit of rows with this link.
func describe(design *transform.Record, link string, params []infer.Parameter,
	fixed func(infer.Parameter) (float64, error)) (*record.Description, error) {
	d := &describing{params: params, fixed: fixed,
		out: &record.Description{Version: record.DescriptionVersion, Kind: record.KindRows}}
	d.take(design, link)
	components := []string{""}
	for i, p := range params {
		if p.Kind == infer.MixtureWeight {
			d.out.Weights = append(d.out.Weights, record.Scalar{Name: p.Name, Parameter: i + 1})
			components = append(components[:len(d.out.Weights)-1], p.Level)
		}
	}
	if design.Items != nil {
		d.out.Kind = record.KindClasses
		d.items(components)
		return d.out, nil
	}
	if err := d.addResponse(components); err != nil {
		return nil, err
	}
	return d.out, d.cells()
}

// take begins with the response of a design.
func (d *describing) take(design *transform.Record, link string) {
	d.design, d.family = design, glm.Family{Name: design.Family, Link: link, Custom: design.Custom}
	for _, p := range design.Predicted {
		d.family, _ = d.family.WithPredictor(p.Name)
	}
}

// addResponse describes the response of the design.
func (d *describing) addResponse(components []string) error {
	design := d.design
	r := record.Response{Name: d.response, Column: design.Response.Column, Family: design.Family, Custom: design.Custom,
		Frequency: design.FrequencyWeights, Precision: design.PrecisionWeights, Trials: design.Response.Trials}
	if d.family.Support().Classes {
		r.Classes = design.Response.Levels
	}
	if d.family.Support().CountsClasses() {
		r.Column = record.ClassColumn
	}
	for _, of := range components {
		if d.response == "" {
			d.links = map[linkID]*linkTerms{}
		}
		c, err := d.component(of)
		if err != nil {
			return err
		}
		r.Components = append(r.Components, c)
	}
	d.out.Responses = append(d.out.Responses, r)
	return nil
}

// find returns the number of the first parameter that is sought, from 1; 0 if there is none.
func (d *describing) find(is func(p *infer.Parameter) bool) int {
	for i := range d.params {
		if is(&d.params[i]) {
			return i + 1
		}
	}
	return 0
}

// component describes the component of a mixture with this number; an empty one stands for all of another fit.
func (d *describing) component(number string) (out record.Component, err error) {
	coefficient := func(p *infer.Parameter) bool {
		switch p.Kind {
		case infer.Intercept, infer.Coefficient, infer.SmoothEffect:
			return number == "" || p.Level == number
		}
		return false
	}
	of := []family.Predictor{{Of: d.family}}
	if several := d.family.Several(); several != nil {
		of = several.Predictors(d.design.Response.Levels)
	}
	for k, predictor := range of {
		plain := predictor.Name
		if d.response != "" {
			predictor = predictor.OfResponse(d.response)
		}
		name, design, link := predictor.Name, d.design, d.family.Link
		if all := d.design.Predicted; k > 0 && all != nil {
			design, link = all[min(k, len(all))-1].Record, predictor.Of.Link
		}
		p := record.Predictor{Name: cmp.Or(plain, "mu"), Link: link}
		for _, o := range design.Offsets {
			p.Offsets = append(p.Offsets, o.Expression)
		}
		if columns := columnNames(design.Columns); columns != nil {
			first := d.find(func(p *infer.Parameter) bool { return coefficient(p) && p.Predictor == name })
			p.Terms = append(p.Terms, record.Term{Columns: columns, First: first})
		}
		for i := range design.Effects {
			t, err := d.effects(design, &design.Effects[i], predictor)
			if err != nil {
				return out, err
			}
			p.Terms = append(p.Terms, t)
		}
		out.Predictors = append(out.Predictors, p)
	}
	for _, disp := range d.family.Dispersions() {
		is := infer.Parameter{Name: disp.Name + number, Kind: infer.Dispersion}
		if d.response != "" {
			is.Name, is.Predictor = disp.Name+"_"+d.response, d.response
		}
		s, err := d.scalar(is, disp.Name)
		if err != nil {
			return out, err
		}
		out.Scalars = append(out.Scalars, s)
	}
	return out, nil
}

func columnNames(columns []transform.Column) (out []string) {
	for i := range columns {
		out = append(out, columns[i].Name)
	}
	return out
}

// scalar finds a parameter by its facts, and by its name if that is not empty, or else its fixed value.
func (d *describing) scalar(of infer.Parameter, name string) (out record.Scalar, err error) {
	out = record.Scalar{Name: name, Parameter: d.find(func(p *infer.Parameter) bool {
		return p.Kind == of.Kind && p.Predictor == of.Predictor && p.Grouping == of.Grouping && p.Term == of.Term &&
			(of.Name == "" || p.Name == of.Name)
	})}
	if out.Parameter == 0 {
		out.Value, err = d.fixed(infer.Parameter{Name: name, Kind: of.Kind, Grouping: of.Grouping, Term: of.Term})
	}
	return out, err
}

// groupOf returns the group of effects with the terms that it has so far. The first effects of an ID make it.
func (d *describing) groupOf(design *transform.Record, e *transform.Effect) (*record.Group, *linkTerms) {
	by := &design.Groupings[e.Grouping]
	if l := d.links[linkID{e.ID, by.Name}]; l != nil {
		return &d.out.Groups[l.group-1], l
	}
	group := record.Group{Grouping: by.Name, Levels: len(by.Cells)}
	if by.Cells == nil {
		group.Levels = len(design.GroupedBy[by.Of[0]].Levels)
	}
	d.out.Groups = append(d.out.Groups, group)
	l := &linkTerms{group: len(d.out.Groups)}
	if e.ID != "" {
		d.links[linkID{e.ID, by.Name}] = l
	}
	return &d.out.Groups[l.group-1], l
}

// effects describes a block of group-level effects in a predictor. Effects without draws have no first parameter.
func (d *describing) effects(design *transform.Record, e *transform.Effect, of family.Predictor) (record.Term, error) {
	by, predictor := &design.Groupings[e.Grouping], of.Name
	group, link := d.groupOf(design, e)
	t := record.Term{Columns: columnNames(e.Columns), Group: link.group, At: len(group.SD)}
	for _, term := range t.Columns {
		sd, err := d.scalar(infer.Parameter{Kind: infer.GroupSD, Predictor: predictor, Grouping: by.Name, Term: term}, term)
		if err != nil {
			return t, err
		}
		group.SD = append(group.SD, sd)
		for _, before := range link.names {
			name := "cor_" + by.Name + "__" + before + "__" + of.Named(term)
			cor := d.find(func(p *infer.Parameter) bool { return p.Kind == infer.GroupCorrelation && p.Name == name })
			if cor == 0 {
				return t, fmt.Errorf("the draws have no correlation of %s and %s of %s", before, of.Named(term), by.Name)
			}
			group.Cor = append(group.Cor, cor)
		}
		link.names = append(link.names, of.Named(term))
	}
	is := func(p *infer.Parameter) bool {
		return p.Kind == infer.GroupEffect && p.Predictor == predictor && p.Grouping == by.Name &&
			slices.Contains(t.Columns, p.Term)
	}
	if t.First = d.find(is); t.First > 0 {
		last := t.First - 2 + len(t.Columns)*group.Levels
		if last >= len(d.params) || !is(&d.params[last]) {
			t.First = 0
		}
	}
	return t, nil
}

// items describes the items of latent classes.
func (d *describing) items(components []string) {
	for i := range d.design.Items {
		item := &d.design.Items[i]
		r := record.Response{Column: item.Column, Family: item.Family, Frequency: d.design.FrequencyWeights,
			Trials: item.Trials}
		for _, number := range components {
			var c record.Component
			dispersions := spec.ItemFamily(item.Family).Dispersions()
			for k, p := range d.params {
				if p.Term != item.Column || p.Level != number || p.Kind == infer.Unsorted {
					continue
				}
				name := cmp.Or(p.Term2, "mu")
				switch {
				case p.Kind == infer.Dispersion && p.Term2 != "":
					name = "cor_" + p.Term2
				case p.Kind == infer.Dispersion:
					name, dispersions = dispersions[0].Name, dispersions[1:]
				}
				c.Scalars = append(c.Scalars, record.Scalar{Name: name, Parameter: k + 1})
			}
			r.Components = append(r.Components, c)
		}
		d.out.Responses = append(d.out.Responses, r)
	}
}

// cells finds the missing cells among the parameters.
func (d *describing) cells() error {
	for i, p := range d.params {
		if p.Kind != infer.Imputed {
			continue
		}
		row, err := strconv.Atoi(p.Level)
		if err != nil {
			return fmt.Errorf("parameter %q is a missing cell of no row", p.Name)
		}
		last := len(d.out.Cells) - 1
		if last < 0 || d.out.Cells[last].Column != p.Grouping {
			d.out.Cells = append(d.out.Cells, record.Cells{Column: p.Grouping, First: i + 1})
			last++
		}
		c := &d.out.Cells[last]
		if len(c.Rows) == 0 || c.Rows[len(c.Rows)-1] != row {
			c.Rows = append(c.Rows, row)
		}
		c.Each = (i + 2 - c.First) / len(c.Rows)
	}
	return nil
}

// fitted returns the model that derived quantities of a fit of rows are bound to.
func fitted(f *Fit, rows *record.Description, design *transform.Record, params []infer.Parameter,
	average func(*transform.Average) (*transform.Averaged, error)) *transform.Fitted {
	r := &rows.Responses[0]
	mu := &r.Components[0].Predictors[0]
	out := &transform.Fitted{Dataset: f.Unit.Name(), Names: Names(params), Record: design,
		Several: rows.Weights != nil || len(r.Components[0].Predictors) > 1,
		Family:  predictive.FamilyOf(r), Average: average}
	for _, t := range mu.Terms {
		if t.Group > 0 {
			out.Effects = append(out.Effects, t.First-1)
		}
	}
	for _, s := range r.Components[0].Scalars {
		form := transform.Form{Constant: s.Value}
		if s.Parameter > 0 {
			form = transform.Form{Columns: []int{s.Parameter - 1}, Weights: []float64{1}}
		}
		out.Scalars = append(out.Scalars, form)
	}
	return out
}

// Names returns the names of parameters.
func Names(params []infer.Parameter) (out []string) {
	for i := range params {
		out = append(out, params[i].Name)
	}
	return out
}

// fixedBy returns the values that priors fix.
func fixedBy(priors *spec.Priors) func(infer.Parameter) (float64, error) {
	return func(p infer.Parameter) (float64, error) {
		name, law := p.Name, priors.Dispersion(p.Name).Prior
		if p.Kind == infer.GroupSD {
			name = spec.SDName(p.Grouping, p.Term)
			law = priors.ForSD(name)
		}
		if law.Kind != prior.Constant {
			return 0, words.Hint(fmt.Errorf("the ledger does not have the value of %s", name), "run the pipeline again")
		}
		return law.Location, nil
	}
}

// StoredDescription returns the description of a stored fit. If an earlier program stored the fit, description is nil,
// and follows from the design record, the parameters, and the priors in the identity of the fit.
func StoredDescription(f *record.Stored, description []byte, design *transform.Record,
	params []infer.Parameter) (out *record.Description, err error) {
	if description != nil {
		out, err = record.ParseDescription(description, len(params))
	} else {
		out, err = convert(f, design, params)
	}
	if err != nil {
		return nil, fmt.Errorf("fit %s: %w", f.Key, err)
	}
	return out, nil
}

// convert describes a fit that an earlier program stored.
func convert(f *record.Stored, design *transform.Record, params []infer.Parameter) (*record.Description, error) {
	var id modelIdentity
	if text := f.Identity["model"]; text != nil {
		if err := json.Unmarshal(text, &id); err != nil {
			return nil, err
		}
	}
	out, err := describe(design, f.Link, params, fixedBy(id.priors()))
	if err != nil {
		return nil, err
	}
	out.Imputed = spec.MethodNamed(f.Method) == spec.Imputing
	return out, out.Check(len(params))
}

// priors are those of dispersions and of standard deviations of group-level effects.
func (id *modelIdentity) priors() *spec.Priors {
	of := func(text string) (out spec.DispersionPrior) {
		out.Prior, _ = prior.Parse(text) // else one that fixes nothing
		return out
	}
	p := &spec.Priors{Sigma: of(id.Sigma), Shape: of(id.Shape), Phi: of(id.Phi), Nu: of(id.Nu), SD: of(id.SD),
		Others: map[string]spec.DispersionPrior{}}
	for name, text := range id.Dispersions {
		p.Others[name] = of(text)
	}
	for i := 0; i+1 < len(id.ByName); i += 2 {
		named := &spec.NamedPrior{Pattern: id.ByName[i]}
		if named.Prior.Prior = of(id.ByName[i+1]).Prior; named.Prior.Kind != "" {
			p.ByName = append(p.ByName, named)
		}
	}
	return p
}
