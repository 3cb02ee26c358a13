package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// formulas puts the formulas of further parameters into that of the response.
func (c *checker) formulas(m *Model) {
	c.meanFormula(m)
	if len(m.Formulas) == 0 || m.Formula == "" {
		return
	}
	if f, err := transform.ParseFormula(m.Formula); err != nil || len(f.Predictors()) > 0 {
		c.at("formula has bf() or cannot be read, so that formulas adds nothing to it",
			"write all formulas in bf(), or that of the response alone under formula", "models", m.Name, "formulas")
		return
	}
	var b strings.Builder
	b.WriteString("bf(" + m.Formula)
	for _, name := range slices.Sorted(maps.Keys(m.Formulas)) {
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(m.Formulas[name]), "~"))
		if text == "" || strings.Contains(text, "~") {
			c.at("formulas: "+quote(m.Formulas[name])+" is not the right side of a formula", "write "+name+": ~ x",
				"models", m.Name, "formulas", name)
			return
		}
		b.WriteString(", " + name + " ~ " + text)
	}
	m.Formula, m.Formulas = b.String()+")", nil
}

// meanFormula takes the formula of the response from formulas: {mu: y ~ x}, if the key formula has none.
func (c *checker) meanFormula(m *Model) {
	text, given := m.Formulas["mu"]
	switch {
	case !given:
		return
	case m.Formula != "":
		c.at("formula and formulas: mu are both the formula of the response", "leave one out", "models", m.Name, "formulas",
			"mu")
	case strings.HasPrefix(strings.TrimSpace(text), "~"):
		c.at("formulas: mu has no response", "write mu: y "+strings.TrimSpace(text), "models", m.Name, "formulas", "mu")
	default:
		m.Formula = text
	}
	m.Formulas = maps.Clone(m.Formulas)
	if delete(m.Formulas, "mu"); len(m.Formulas) == 0 {
		m.Formulas = nil
	}
}

// formulaNode returns the node of the formula of the response.
func (c *checker) formulaNode(m *Model) *node {
	of := c.root.get("models").get(m.Name)
	if n := of.get("formula"); n != nil {
		return n
	}
	return of.get("formulas").get("mu")
}

// rowWeights takes the column of weights() in a formula for the key frequency_weights.
func (c *checker) rowWeights(m *Model, formula *transform.Formula) {
	column := formula.Weights()
	if column != "" && m.FrequencyWeights != "" && m.FrequencyWeights != column {
		c.at("formula has weights("+column+"), and frequency_weights names another column", "leave one out",
			"models", m.Name, "frequency_weights")
	}
	m.FrequencyWeights = cmp.Or(column, m.FrequencyWeights)
}

// predictors takes the parameters that have formulas of their own into the family, and refuses others.
func (c *checker) predictors(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return // reported
	}
	c.rowWeights(m, formula)
	if offset, message, hint := formulaFault(formula.CheckFamily(m.Family.Family), len(m.Formula)); message != "" {
		c.add(c.formulaNode(m).where(offset), message, hint)
	}
	if m.Family.Family, err = m.Family.WithLimits(formula.Limits()); err != nil {
		fault, hint := words.Parts(err)
		c.at("formula: "+fault, hint, "models", m.Name, "formula")
	}
	breaks := formula.Breaks()
	for _, name := range breaks {
		f, can := m.Family.WithPredictor(name)
		if !can {
			c.at("formula: "+m.Family.Name+" has no breaks", "write family: piecewise_exponential, or surv(time, event)",
				"models", m.Name, "formula")
			return
		}
		m.Family.Family = f
	}
	for _, name := range formula.Predictors() {
		if slices.Contains(m.Family.Further(), name) && slices.Contains(m.Family.Formulas(), name) {
			continue
		}
		f, can := m.Family.WithPredictor(name)
		if !can || breaks != nil {
			c.at(fmt.Sprintf("formula: %s has no parameter %s with a formula", m.Family.Name, quote(name)),
				predictedHint(m.Family.Family), "models", m.Name, "formula")
			continue
		}
		m.Family.Family = f
		if c.given("models", m.Name, "prior", name) {
			c.at("prior "+name+" is of one number, and "+name+" has a formula",
				"write by_name: {"+name+"_x: …}, {"+quote(name+"_(Intercept)")+": …}", "models", m.Name, "prior", name)
		}
	}
}

// predictedHint lists the parameters of a family that may have formulas.
func predictedHint(f glm.Family) string {
	names := f.Formulas()
	if names == nil {
		return "write the formula of the response alone"
	}
	return "it has " + words.List(names)
}

// checkFormula reads a formula; offset is the position of the fault in text.
func checkFormula(text string) (offset int, message, hint string) {
	_, err := transform.ParseFormula(text)
	return formulaFault(err, len(text))
}

// formulaFault returns the position of a fault in a formula of a length, and its message; nothing of none.
func formulaFault(err error, length int) (offset int, message, hint string) {
	var fault *transform.FormulaError
	switch {
	case err == nil:
		return 0, "", ""
	case errors.As(err, &fault):
		message, hint = words.Parts(fault.Err)
		return min(fault.Pos, length), "formula: " + message, hint
	}
	return 0, "formula: " + err.Error(), ""
}
