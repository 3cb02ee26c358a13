package spec

import "glmbatch/transform"

// Impute is Model.Missing of models whose missing cells are drawn.
const Impute = "impute"

// marks has the cells drawn that a formula marks by mi(), as in brms.
func (c *checker) marks(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil || !formula.Marks().Any() || m.Missing == Impute {
		return
	}
	if c.given("models", m.Name, "missing") {
		c.at("mi() in the formula has missing cells drawn, and missing is "+m.Missing, "leave missing out, or mi()",
			"models", m.Name, "missing")
		return
	}
	m.Missing, m.Marked = Impute, true
}

// imputation checks the models of incomplete columns, and what a model with missing cells cannot have.
func (c *checker) imputation(m *Model) {
	path := []string{"models", m.Name, "imputation"}
	c.marks(m)
	if m.Missing != Impute {
		if len(m.Imputation) > 0 {
			c.at("imputation is of missing: impute", "write missing: impute, or leave imputation out", path...)
		}
		return
	}
	for _, i := range m.Imputation {
		n := c.root.get("models").get(m.Name).get("imputation").get(i.Name).get("formula")
		if offset, fault, hint := checkFormula(i.Formula); fault != "" && n != nil {
			c.add(n.where(offset), fault, hint)
			continue
		}
		if formula, err := transform.ParseFormula(i.Formula); err == nil && (formula.Grouped() || formula.Smooths()) {
			c.at("the model of column "+quote(i.Name)+" has group-level effects or smooths", "leave them out of it",
				append(path, i.Name, "formula")...)
		}
	}
	refuse := func(is bool, key, what string) {
		if is {
			c.at("missing: impute does not go with "+what, "take missing: drop, or leave these out", "models", m.Name, key)
		}
	}
	refuse(m.Grouped(), "formula", "group-level effects")
	refuse(m.Smooths(), "formula", "smooths")
	refuse(m.Mixed(), "mixture", "mixtures")
	refuse(m.Selects(), "prior", "the prior spike_slab")
	refuse(m.KnownErrors(), "formula", "known standard errors of the response")
	refuse(m.FrequencyWeights != "", "frequency_weights", "rows that count several times")
	refuse(len(m.Effects) > 0, "effects", "effects")
}
