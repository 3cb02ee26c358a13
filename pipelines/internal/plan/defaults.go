package plan

import (
	"fmt"
	"slices"
	"strings"

	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// defaultsWords is the paragraph of one unit and model.
func defaultsWords(u *Unit, m *spec.Model) string {
	head := fmt.Sprintf("%s × %s", u.Name(), m.Title())
	if u.Dataset.Divided() {
		head += " (others have their own)"
	}
	var d *design
	err := u.Err
	var imputed *Imputed
	if err == nil && m.Imputes() {
		imputed, err = imputedOf(u, m)
	}
	if err == nil && imputed == nil {
		d, err = u.design(m)
	}
	if err != nil {
		return head + ": " + strings.Join(defaultRules(m), "; ") + "\n  no numbers: " + words.Line(err)
	}
	var b strings.Builder
	b.WriteString(head + ":")
	if imputed != nil {
		d = &design{coded: imputed.coded}
	}
	for _, line := range defaultNumbers(m, d.Data) {
		b.WriteString("\n  " + line)
	}
	if imputed != nil {
		for _, line := range imputed.models() {
			b.WriteString("\n  " + line)
		}
	}
	return b.String()
}

// defaultRules words the defaults that a model uses, without data.
func defaultRules(m *spec.Model) (out []string) {
	coefficients, intercept, dispersions := glm.DefaultRules(m.Family.Family)
	add := func(left prior.Prior, name, rule string) {
		if left.Kind == "" {
			out = append(out, name+" "+rule)
		}
	}
	add(m.Prior.Coefficients.Prior, "coefficients", coefficients)
	add(m.Prior.Intercept.Prior.Prior, "intercept", intercept)
	for k, d := range m.Family.Dispersions() {
		if k == 0 && m.Mixed() && scaled(m) {
			dispersions[k] = vanishingRule(d)
		}
		if !m.Family.Predicts(d.Name) {
			add(m.Prior.Dispersion(d.Name).Prior, d.Name, dispersions[k])
		}
	}
	if m.Grouped() {
		add(m.Prior.SD.Prior, "sds of group-level effects", glm.GroupSDRule(m.Family.Family))
	}
	if m.Smooths() {
		add(m.Prior.SDS.Prior, "sds of smooths", glm.GroupSDRule(m.Family.Family))
	}
	return out
}

// maxDefaults is the number of columns that are listed one by one.
const maxDefaults = 20

// defaultNumbers lists the defaults of a model on its data.
func defaultNumbers(m *spec.Model, data *glm.Data) (out []string) {
	out = numbersOf(m, posterior(m, data), data)
	if data.Further == nil {
		return out
	}
	for k, of := range m.Family.Several().Predictors(nil)[1:] {
		given, all := furtherPriors(m, of, data.Further[k])
		for _, line := range numbersOf(given, all, data.Further[k]) {
			out = append(out, of.Name+"_"+line)
		}
	}
	return out
}

// numbersOf lists the defaults of one predictor among all of its priors.
func numbersOf(m *spec.Model, all glm.Model, data *glm.Data) (out []string) {
	var scales []float64
	for j, name := range data.Names {
		given := m.Prior.For(name)
		if j == data.Intercept {
			given = m.Prior.Intercept.Prior.Prior
			name += " at the " + strings.Replace(m.Prior.Intercept.At, "zero", "zeros", 1) + " of the columns"
		}
		if given.Kind != "" {
			continue
		}
		if slices.ContainsFunc(data.Smooths, func(s matrix.Smooth) bool { return s.First <= j && j < s.Last }) {
			continue // normal with the sd of their smooth
		}
		if IsStep(data, j) {
			continue // by the mean and the shares of the steps
		}
		if len(out) < maxDefaults {
			out = append(out, name+": "+all.Coefficients[j].String())
			continue
		}
		scales = append(scales, all.Coefficients[j].Scale)
	}
	out = append(out, monotoneNumbers(m, all, data)...)
	if len(scales) > 0 {
		out = append(out, fmt.Sprintf("… and %d more, with scales from %g to %g", len(scales), slices.Min(scales),
			slices.Max(scales)))
	}
	for k, d := range m.Family.Dispersions() {
		if !m.Family.Predicts(d.Name) && m.Prior.Dispersion(d.Name).Prior.Kind == "" {
			out = append(out, d.Name+": "+all.DispersionPrior(k).String())
		}
	}
	for k, e := range data.Effects {
		for t, term := range e.Terms {
			if name := spec.SDName(e.Group, term); m.Prior.ForSD(name).Kind == "" {
				out = append(out, name+": "+all.Effects[k].SD[t].String())
			}
		}
	}
	for k, s := range data.Smooths {
		if name := s.SDName(); m.Prior.ForSD(name).Kind == "" {
			out = append(out, name+": "+all.Smooths[k].String())
		}
		if name := s.SecondName(); name != "" && secondPrior(m, &s).Kind == "" {
			out = append(out, name+": "+all.Lengths[k].String())
		}
	}
	return out
}
