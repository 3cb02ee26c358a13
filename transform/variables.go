package transform

import (
	"fmt"
	"slices"

	"glmbatch/infer/glm"
)

// variables finds the levels of factors and plans the columns of the design.
func (b *builder) variables() error {
	b.factors = make(map[string]*factor)
	names := newNames(b.spec.Family.Name)
	full := !b.chosen.intercept // the first factor is coded in full without an intercept
	if b.chosen.intercept {
		b.plan = append(b.plan, planned{name: interceptName, term: -1, level: -1})
	}
	for _, t := range b.chosen.terms {
		v := t.variables[0]
		c := b.columns[v.column]
		index := len(b.record.Terms)
		b.record.Terms = append(b.record.Terms, Term{Label: t.label(), Variables: []int{len(b.record.Variables)}})
		if c.kind == numeric {
			b.record.Variables = append(b.record.Variables, Variable{Column: c.name, Kind: string(numeric)})
			b.plan = append(b.plan, planned{name: names.take(c.name, ""), term: index, variable: c.name, level: -1})
			continue
		}
		f, err := b.factor(c, t.named)
		if err != nil {
			return err
		}
		variable := Variable{Column: c.name, Kind: string(c.kind), Levels: f.levels, Contrasts: "treatment"}
		first := 1
		if full {
			variable.Contrasts, first, full = "full", 0, false
		}
		b.record.Variables = append(b.record.Variables, variable)
		if first == len(f.levels) {
			b.warn("column %q has the one value %q and adds nothing to the model; it was left out", c.name, f.levels[0])
		}
		for level := first; level < len(f.levels); level++ {
			b.plan = append(b.plan, planned{name: names.take(c.name, f.levels[level]), term: index, variable: c.name, level: level})
		}
	}
	for _, clash := range names.clashes {
		b.warn("%s", clash)
	}
	return nil
}

// factor reads the levels and codes of a column, and judges them.
func (b *builder) factor(c *column, named bool) (*factor, error) {
	f, err := b.readFactor(c)
	if err != nil {
		return nil, err
	}
	b.factors[c.name] = f
	if _, forced := b.spec.Levels[c.name]; forced {
		return f, nil
	}
	if d := f.doubtful(named); d != nil && c.kind == text {
		return nil, b.levelError(c, d.row, d.err, fmt.Sprintf("leave it out (\"- %s\" after the terms); %s", quoteName(c.name), d.hint))
	}
	if len(f.levels) > manyLevels || len(f.levels) > 2 && 2*len(f.levels) > b.n {
		b.warn("column %q is a factor with %d levels in %d rows", c.name, len(f.levels), b.n)
	}
	return f, nil
}

// readFactor reads a column and applies the levels that the user asked for.
func (b *builder) readFactor(c *column) (*factor, error) {
	f := c.factor(b.keep, b.n)
	if f == nil {
		return nil, b.columnError(c.name, fmt.Errorf("the column is text with more than %d distinct values", maxLevels),
			fmt.Sprintf("leave it out (\"- %s\" after the terms)", quoteName(c.name)))
	}
	want, forced := b.spec.Levels[c.name]
	if !forced {
		return f, nil
	}
	present := f.levels
	if row, err := f.impose(want); err != nil {
		return nil, b.levelError(c, row, err, "its values are "+list(present))
	}
	if !slices.Contains(f.codes, 0) {
		b.warn("column %q: no row has the reference level %q, which the other coefficients are measured against", c.name, f.levels[0])
	}
	return f, nil
}

// levelError speaks of row k of the design, or of the column if k is negative.
func (b *builder) levelError(c *column, k int, err error, hint string) error {
	if k < 0 {
		return b.columnError(c.name, err, hint)
	}
	return b.cellError(c.name, b.tableRow(k), err, hint)
}

// names hands out the names of the design's columns, R's spelling unless it
// would stand for two parameters.
type names struct {
	taken   map[string]bool
	clashes []string
}

// interceptName is R's name of the intercept.
const interceptName = "(Intercept)"

// newNames keeps the names of the model's other parameters for themselves.
func newNames(family string) *names {
	n := &names{taken: map[string]bool{interceptName: true}}
	for _, d := range (glm.Family{Name: family}).Dispersions() {
		n.taken[d.Name] = true
	}
	return n
}

// take returns column name + level, with the column in backquotes where the
// plain name is taken.
func (n *names) take(name, level string) string {
	plain := name + level
	given := plain
	for quoted := name; n.taken[given]; {
		quoted = "`" + quoted + "`"
		given = quoted + level
	}
	n.taken[given] = true
	if given != plain {
		n.clashes = append(n.clashes, fmt.Sprintf("column %q: the name %q is taken by another parameter, so its coefficient is called %q", name, plain, given))
	}
	return given
}
