package spec

import (
	"fmt"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Imputation is the model of an incomplete column.
type Imputation struct {
	Name    string           `yaml:"-"`
	Formula string           `yaml:"formula" required:"true" example:"bmi ~ age + sex" doc:"R's formula of the column, or of its logarithm, log(bmi) ~ age. Other incomplete columns have no functions here."`
	Family  string           `yaml:"family" json:",omitempty" enum:"gaussian bernoulli multinomial poisson negative_binomial gamma beta" doc:"Distribution of the column, with its first link. Left out: bernoulli for two values, multinomial for text with more, else as in pipeline init."`
	Prior   ImputationPriors `yaml:"prior" json:",omitzero" doc:"Priors of the column's model. Left out: the defaults."`
}

// Impute is Model.Missing of models whose missing cells are drawn.
const Impute = "impute"

// Imputes reports whether missing cells are drawn.
func (m *Model) Imputes() bool { return m.Missing == Impute } //name:ok a value of missing

// marks has the cells drawn that a formula marks by mi(), as in brms.
func (c *checker) marks(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil || !formula.Marks().Any() || m.Imputes() {
		return
	}
	if c.given("models", m.Name, "missing") {
		c.at("mi() or me() in the formula has cells drawn, and missing is "+m.Missing, "leave missing out, or mi() and me()",
			"models", m.Name, "missing")
		return
	}
	m.Missing, m.Marked = Impute, true
}

// imputation checks the models of incomplete columns, and what a model with missing cells cannot have.
func (c *checker) imputation(m *Model) {
	path := []string{"models", m.Name, "imputation"}
	if !m.Imputes() {
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
		if formula, err := transform.ParseFormula(i.Formula); err == nil && (formula.Grouped() || formula.Smooths() ||
			formula.Monotonic()) {
			c.at("the model of column "+quote(i.Name)+" has group-level effects, smooths or mo()", "leave them out of it",
				append(path, i.Name, "formula")...)
		}
	}
}

// given lists the priors that are written, by their keys.
func (p *ImputationPriors) given() (keys []string, laws []prior.Prior) {
	add := func(key string, law prior.Prior) {
		if law.Kind != "" {
			keys, laws = append(keys, key), append(laws, law)
		}
	}
	add("coefficients", p.Coefficients.Prior)
	add("intercept", p.Intercept.Prior)
	for _, n := range p.ByName {
		add("by_name "+n.Pattern, n.Prior.Prior)
	}
	add("sigma", p.Sigma.Prior)
	add("shape", p.Shape.Prior)
	add("phi", p.Phi.Prior)
	return keys, laws
}

// Identity lists keys and distributions of the priors that are written.
func (p *ImputationPriors) Identity() (out []string) {
	keys, laws := p.given()
	for i, key := range keys {
		out = append(out, key, laws[i].String())
	}
	return out
}

// Refuse returns an error for a prior that a column of the family does not take. i may be nil.
func (i *Imputation) Refuse(f glm.Family) error {
	if i == nil {
		return nil
	}
	keys, laws := i.Prior.given()
	for k, key := range keys {
		law := laws[k]
		switch key {
		case "sigma", "shape", "phi":
			if f.First().Name != key {
				return words.Hint(fmt.Errorf("prior: %s has no %s", f.Name, key), "leave it out")
			}
			continue
		}
		taken := []prior.Kind{prior.Normal}
		if !f.Is(family.Squares) {
			taken = append(taken, prior.StudentT, prior.Cauchy, prior.Laplace)
		}
		if !slices.Contains(taken, law.Kind) {
			return words.Hint(fmt.Errorf("prior: %s: a coefficient of a %s column is not %s", key, f.Name, law.Kind),
				"write a normal prior: normal(0, 2)")
		}
	}
	return nil
}
