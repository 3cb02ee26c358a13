package groups

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// leastLevels is the number of levels from which on a flat sd leaves a posterior with a finite integral.
//
// Source: Gelman (2006), Prior distributions for variance parameters in hierarchical models, doi:10.1214/06-BA117A.
const leastLevels = 3

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
		for t, p := range model.Effects[i].SD {
			if p.Kind == prior.Flat {
				if err := checkFlat(data, model, e, t); err != nil {
					return err
				}
			}
		}
		levels += e.Grouping.Levels()
	}
	return checkCoefficients(data, model, levels)
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

// checkFlat refuses a flat sd where the posterior has no finite integral, or nothing is known of it.
func checkFlat(data *glm.Data, model *glm.Model, e *design.Effects, t int) error {
	count, what := e.Grouping.Levels(), "levels"
	switch model.Family.Name {
	case "gaussian":
	case "bernoulli", "binomial", "poisson", "negative_binomial":
		what = "levels whose responses bound their effect from both sides"
		count = informative(data, model.Family.Name, e.Grouping)
	default:
		return fmt.Errorf("prior of sd_%s__%s: flat beside family %s may leave a posterior without a finite integral; "+
			"give it a proper prior, as half_student_t(3, 2.5)", e.Group, e.Terms[t], model.Family)
	}
	if count < leastLevels {
		return fmt.Errorf("prior of sd_%s__%s: grouping %q has %d %s, and a flat sd needs at least %d (Gelman 2006, "+
			"doi:10.1214/06-BA117A), or the posterior has no finite integral; give it a proper prior, as half_student_t(3, 2.5)",
			e.Group, e.Terms[t], e.Group, count, what, leastLevels)
	}
	return nil
}

// informative counts the levels whose likelihood vanishes as their effect grows on either side: with a success and a
// failure, or with a count above 0.
func informative(data *glm.Data, family string, g *design.Grouping) int {
	count := 0
	for l := range g.Levels() {
		some, failed := false, family != "bernoulli" && family != "binomial"
		for _, i := range g.Rows(l) {
			trials := 1.0
			if data.Trials != nil {
				trials = data.Trials[i]
			}
			some = some || data.Y[i] > 0
			failed = failed || data.Y[i] < trials
		}
		if some && failed {
			count++
		}
	}
	return count
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
	closed := model.Family == glm.Family{Name: "gaussian", Link: "identity"}
	enough := data.Rows() > data.Cols()+levels || model.Dispersion.Kind == prior.Constant
	for j, p := range model.Coefficients {
		if !flat(data, model, j, p) || closed && enough {
			continue
		}
		name := fmt.Sprint(j + 1)
		if j < len(data.Names) {
			name = data.Names[j]
		}
		why := "beside group-level effects of family " + model.Family.String()
		if closed {
			why = fmt.Sprintf("on %d rows for %d columns and %d levels", data.Rows(), data.Cols(), levels)
		}
		return fmt.Errorf("prior of %s: flat %s may leave a posterior without a finite integral; give it a proper prior, as "+
			"normal(0, 10)", name, why)
	}
	return nil
}
