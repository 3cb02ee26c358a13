package groups

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// check refuses effects that do not fit the data, and priors under which the posterior may have no finite integral.
func check(data *glm.Data, model *glm.Model) error {
	if data == nil || data.X == nil {
		return fmt.Errorf("groups: no design matrix")
	}
	if len(data.Effects) == 0 || len(model.Effects) != len(data.Effects) {
		return fmt.Errorf("groups: %d effects with %d priors", len(data.Effects), len(model.Effects))
	}
	levels := 0
	for i, e := range data.Effects {
		if err := checkEffects(data, e, &model.Effects[i]); err != nil {
			return err
		}
		levels += e.Grouping.Levels()
	}
	if err := checkCoefficients(data, model, levels); err != nil {
		return err
	}
	return checkFlat(data, model)
}

// checkEffects compares the parts of one Effects.
func checkEffects(data *glm.Data, e *design.Effects, p *glm.EffectsPrior) error {
	n, q := data.Rows(), len(e.Terms)
	switch {
	case len(e.Grouping.Of()) != n:
		return fmt.Errorf("groups: grouping %q has %d rows, the design %d", e.Group, len(e.Grouping.Of()), n)
	case len(e.Levels) != e.Grouping.Levels():
		return fmt.Errorf("groups: grouping %q has %d names for %d levels", e.Group, len(e.Levels), e.Grouping.Levels())
	case q < 1 || q > maxTerms:
		return fmt.Errorf("groups: grouping %q has %d terms; 1 to %d are possible", e.Group, q, maxTerms)
	case len(e.Columns) != q || len(p.SD) != q:
		return fmt.Errorf("groups: grouping %q has %d terms, %d columns and %d priors", e.Group, q, len(e.Columns), len(p.SD))
	case q > 1 && !(p.LKJ > 0 && p.LKJ < 1e6):
		return fmt.Errorf("groups: grouping %q: the shape of lkj is %v; a number above 0 and below 1e6 is needed", e.Group,
			p.LKJ)
	}
	for t, c := range e.Columns {
		if err := p.SD[t].ForDispersion(); err != nil {
			return fmt.Errorf("prior of sd_%s__%s: %w", e.Group, e.Terms[t], err)
		}
		if c == nil {
			continue
		}
		if len(c) != n {
			return fmt.Errorf("groups: term %s of grouping %q has %d rows, the design %d", e.Terms[t], e.Group, len(c), n)
		}
		for i, v := range c {
			if math.IsNaN(v) || math.Abs(v) > 1e100 {
				return &glm.DomainError{What: fmt.Sprintf("term %s of grouping %q", e.Terms[t], e.Group), Row: i, Value: v,
					Allowed: "a number below 1e100 in magnitude is needed"}
			}
		}
	}
	return nil
}

// flat reports whether coefficient j has a flat prior, or is of a smooth whose standard deviation has one.
func flat(data *glm.Data, model *glm.Model, j int, p prior.Prior) bool {
	for k, s := range data.Smooths {
		if j >= s.First && j < s.Last && k < len(model.Smooths) {
			return model.Smooths[k].Kind == prior.Flat
		}
	}
	return p.Kind == prior.Flat
}

// checkCoefficients refuses flat coefficients where nothing is known of the posterior's integral: the checks of
// glm.NewTarget know nothing of effects, which may explain all that a coefficient does.
func checkCoefficients(data *glm.Data, model *glm.Model, levels int) error {
	closed := model.Family.Is(family.Squares)
	enough := data.Rows() > data.Cols()+levels || model.Dispersion.Kind == prior.Constant
	for j, p := range model.Coefficients {
		if !flat(data, model, j, p) || closed && enough {
			continue
		}
		name := nameOf(data, j)
		why := "beside group-level effects of family " + model.Family.String()
		if closed {
			why = fmt.Sprintf("on %d rows for %d columns and %d levels", data.Rows(), data.Cols(), levels)
		}
		return fmt.Errorf("prior of %s: flat %s may leave a posterior without a finite integral; give it a proper prior, as "+
			"normal(0, 10)", name, why)
	}
	return nil
}

// nameOf names a column of the design, by its number from 1 if it has no name.
func nameOf(data *glm.Data, j int) string {
	if j < len(data.Names) {
		return data.Names[j]
	}
	return fmt.Sprint(j + 1)
}
