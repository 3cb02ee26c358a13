package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer/family"
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
	given   *spec.Imputation // or nil
	design  *transform.Design
	free    int // dispersions that are parameters
}

// words say what the column is modelled by.
func (c *columnModel) words() string {
	cells := "missing"
	if c.gap.Noise != nil {
		cells = "measured"
	}
	return fmt.Sprintf("%s, %s: %d %s cells are drawn", c.formula, c.familyWord(), len(c.gap.Rows), cells)
}

// familyWord names the family for texts.
func (c *columnModel) familyWord() string {
	if c.gap.Several() {
		return multinomial
	}
	return c.family.Name
}

// multinomial is the name of the family of a column with more than two levels, for texts. Each level against the
// first has the family bernoulli(logit).
const multinomial = "multinomial"

// levels is how many levels have coefficients of their own; 1 of a column that has none.
func (c *columnModel) levels() int { return max(1, len(c.gap.Levels)-1) }

// parameters counts those of the column's model.
func (c *columnModel) parameters() int {
	return c.levels()*c.design.Data.Cols() + c.free
}

// numbers is how many parameters the cells have.
func (c *columnModel) numbers() int { return len(c.gap.Rows) * c.gap.Numbers() }

// familyOf is the family of a column whose formula is not of its logarithm, as pipeline init chooses those of
// responses.
func familyOf(g *transform.Gap) glm.Family {
	if g.Binary || g.Several() {
		return family.Binary
	}
	likely := family.Likely(g.Seen())
	if likely.Support.Probability() { // of two numbers far from each other
		return family.Default
	}
	return likely.Family()
}

// takeFamily is that of the spec, or without one that of the column.
func (c *columnModel) takeFamily(log bool) error {
	g, name := &c.gap, ""
	if c.given != nil {
		name = c.given.Family
	}
	given := family.Family{Name: name}
	binary, classes := given.Support().Probability(), given.Support().Classes
	switch {
	case g.Noise != nil && (log || name != "" && !given.Is(family.Squares)):
		return words.Hint(errors.New("its measurements are normal around its values, whose model is gaussian"),
			"leave family and log() out of its model")
	case g.Noise != nil:
		c.family = family.Default
		return nil
	case log && name != "" && !given.Is(family.Squares):
		return words.Hint(fmt.Errorf("the logarithm of a column is gaussian, not %s", name), "model the column itself")
	case log && !g.Positive():
		return words.Hint(errors.New("it has values that are not above 0, of which there is no logarithm"),
			"model the column itself")
	case log:
		g.Binary, g.Low, g.Log, c.family = false, 0, true, family.Default
		return nil
	case name == "" || classes && g.Several():
		c.family = familyOf(g)
	case g.Levels != nil && !(binary && g.Binary):
		return words.Hint(fmt.Errorf("%s is not of text", name), "leave family out: it is bernoulli of two values, and "+
			"multinomial of more")
	case classes:
		return ofOthers(name, "text")
	case binary && !g.Binary:
		return ofOthers(name, "two values")
	default:
		law := given.Distribution() // its name was checked with the spec
		if c.family = law.Family(); !binary {
			g.Binary, g.Low = false, 0
		}
		if family.CheckResponse(c.family, g.Seen(), nil) != nil {
			return ofOthers(name, law.Support.Words)
		}
	}
	support := c.family.Support()
	g.Above = support.Positive() || support.Share()
	return nil
}

// ofOthers refuses a column of other values than the family has.
func ofOthers(family, values string) error {
	return words.Hint(fmt.Errorf("%s is of %s, and it has others", family, values),
		"leave family out: pipeline validate prints what is taken")
}

// modelsOf gives each incomplete column its model, in an order in which each reads none that comes later: from the
// fewest missing cells to the most, where the spec's own formulas allow it, those with errors of measurement first.
func modelsOf(m *spec.Model, schema *ingest.Schema, terms []string, gaps []transform.Gap) ([]*columnModel, error) {
	missing := func(g *transform.Gap) int {
		if g.Noise != nil {
			return 0
		}
		return len(g.Rows)
	}
	slices.SortStableFunc(gaps, func(a, b transform.Gap) int { return cmp.Compare(missing(&a), missing(&b)) })
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
	c = &columnModel{gap: g}
	at := slices.IndexFunc(m.Imputation, func(i *spec.Imputation) bool { return i.Name == g.Column })
	if at < 0 {
		if g.Noise != nil {
			terms = nil // as in brms
		}
		c.formula = standardFormula(g.Column, terms, later)
		return c, "", c.takeFamily(false)
	}
	fault := func(what, hint string) error {
		return words.Hint(fmt.Errorf("model %q, imputation of column %q: %s", m.Name, g.Column, what), hint)
	}
	given := m.Imputation[at]
	c.formula, c.given = given.Formula, given
	formula, err := transform.ParseFormula(given.Formula)
	if err != nil {
		return nil, "", err
	}
	plain, log := formula.ResponseIs(schema, g.Column)
	if !plain && !log {
		return nil, "", fault("its formula explains something else", fmt.Sprintf("write %s ~ …, or log(%[1]s) ~ …",
			transform.QuoteName(g.Column)))
	}
	if err := c.takeFamily(log); err != nil {
		return nil, "", fmt.Errorf("model %q, imputation of column %q: %w", m.Name, g.Column, err)
	}
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
