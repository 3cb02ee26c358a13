package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// columnModel is the model of an incomplete column.
type columnModel struct {
	gap     transform.Gap
	formula string
	family  glm.Family
	design  *transform.Design
}

// words say what the column is modelled by.
func (c *columnModel) words() string {
	return fmt.Sprintf("%s, %s: %d missing cells are drawn", c.formula, c.family.Name, len(c.gap.Rows))
}

// modelsOf gives each incomplete column its model, in an order in which each reads none that comes later: from the
// fewest missing cells to the most, where the spec's own formulas allow it.
func modelsOf(m *spec.Model, schema *ingest.Schema, terms []string, gaps []transform.Gap) ([]*columnModel, error) {
	slices.SortStableFunc(gaps, func(a, b transform.Gap) int { return cmp.Compare(len(a.Rows), len(b.Rows)) })
	incomplete := func(name string) bool {
		return slices.ContainsFunc(gaps, func(g transform.Gap) bool { return g.Column == name })
	}
	for _, i := range m.Imputation {
		if !incomplete(i.Name) && !slices.Contains(schemaNames(schema), i.Name) {
			return nil, words.Hint(fmt.Errorf("model %q: imputation names column %q, which the data do not have", m.Name,
				i.Name), words.DidYouMean(i.Name, "incomplete columns", gapNames(gaps)))
		}
	}
	var out []*columnModel
	placed := map[string]bool{}
	for len(out) < len(gaps) {
		before := len(out)
		for _, g := range gaps {
			if placed[g.Column] {
				continue
			}
			c, waits, err := modelOf(m, schema, terms, g, func(name string) bool { return incomplete(name) && !placed[name] },
				out)
			if err != nil {
				return nil, err
			}
			if waits == "" {
				out, placed[g.Column] = append(out, c), true
				break
			}
		}
		if len(out) == before {
			var left []string
			for _, g := range gaps {
				if !placed[g.Column] {
					left = append(left, g.Column)
				}
			}
			return nil, words.Hint(fmt.Errorf("model %q: the models of incomplete columns %s read each other", m.Name,
				words.List(left)), "leave one of these out of the formula of another under imputation")
		}
	}
	return out, nil
}

func gapNames(gaps []transform.Gap) (names []string) {
	for _, g := range gaps {
		names = append(names, g.Column)
	}
	return names
}

func schemaNames(schema *ingest.Schema) (names []string) {
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// modelOf is the model of one column; waits names a column whose model must come first.
func modelOf(m *spec.Model, schema *ingest.Schema, terms []string, g transform.Gap, later func(string) bool,
	before []*columnModel,
) (c *columnModel, waits string, err error) {
	c = &columnModel{gap: g, family: glm.Family{Name: "gaussian", Link: "identity"}}
	if g.Binary {
		c.family = glm.Family{Name: "bernoulli", Link: "logit"}
	}
	at := slices.IndexFunc(m.Imputation, func(i *spec.Imputation) bool { return i.Name == g.Column })
	if at < 0 {
		c.formula = standardFormula(g.Column, terms, later)
		return c, "", nil
	}
	fault := func(what, hint string) error {
		return words.Hint(fmt.Errorf("model %q, imputation of column %q: %s", m.Name, g.Column, what), hint)
	}
	given := m.Imputation[at]
	c.formula = given.Formula
	if given.Family == "bernoulli" && !g.Binary {
		return nil, "", fault("bernoulli is of two values, and it has others", "take gaussian")
	}
	if given.Family == "gaussian" && g.Binary && g.Levels == nil {
		c.gap.Binary, c.family = false, glm.Family{Name: "gaussian", Link: "identity"}
	}
	formula, err := transform.ParseFormula(given.Formula)
	if err != nil {
		return nil, "", err
	}
	plain, log := formula.ResponseIs(schema, g.Column)
	switch {
	case !plain && !log:
		return nil, "", fault("its formula explains something else", fmt.Sprintf("write %s ~ …, or log(%[1]s) ~ …",
			transform.QuoteName(g.Column)))
	case log && (!g.Positive() || c.family.Name != "gaussian"):
		return nil, "", fault("it has values that are not above 0, of which there is no logarithm", "model the column itself")
	}
	c.gap.Log = log
	reads, _, others, err := formula.Reads(schema)
	if err != nil {
		return nil, "", err
	}
	if len(others) > 0 {
		return nil, "", fault("offsets, trials and weights have no place in it", "leave "+words.List(others)+" out")
	}
	for _, name := range reads {
		if later(name) {
			return nil, name, nil
		}
	}
	return c, "", nil
}

// standardFormula explains a column by all columns of the terms that are complete or have a model already.
func standardFormula(column string, terms []string, later func(string) bool) string {
	var right []string
	for _, name := range terms {
		if name != column && !later(name) {
			right = append(right, transform.QuoteName(name))
		}
	}
	if len(right) == 0 {
		right = []string{"1"}
	}
	return transform.QuoteName(column) + " ~ " + strings.Join(right, " + ")
}
