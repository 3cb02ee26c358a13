package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer/design"
	"glmbatch/internal/words"
)

// monotonic is the coding of mo(x), where x has levels 0 to D in order: column j, from 0, is 1 in the rows of the
// levels above j. Their coefficients are the steps from each level to the next one, which have one sign.
//
// Source: Bürkner and Charpentier (2020), Modelling monotonic effects of ordinal predictors in Bayesian regression
// models, doi:10.1111/bmsp.12195.
const monotonic = "monotonic"

// maxSteps bounds the steps of a monotonic effect.
const maxSteps = 100

// Monotone is a monotonic effect of the design, whose columns are the last ones.
type Monotone struct {
	Name    string `json:"name"`    // mo(x), or mo(x):z
	Simplex string `json:"simplex"` // simo_x
	First   int    `json:"first"`   // index into Record.Columns of the first step
	Last    int    `json:"last"`    // index after that of the last step
}

// Monotonic reports whether the formula has monotonic effects: mo(x).
func (f *Formula) Monotonic() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool { return g.right.count("mo") > 0 })
}

// isMonotone reports whether the node is mo(…).
func (n *node) isMonotone() bool { return n.kind == nodeCall && n.text == "mo" }

// monotone checks a call of mo.
func (s *selector) monotone(n *node) error {
	if at := slices.IndexFunc(n.names, func(name string) bool { return name != "" && name != "x" }); at >= 0 {
		return s.fail(n.args[at].pos, n.names[at]+" of mo() is not supported",
			"leave it out: each monotonic effect has a simplex of its own")
	}
	if len(n.args) != 1 || n.args[0].kind != nodeName {
		return s.fail(n.pos, "mo() takes one column", "for example mo(income), where income has whole numbers or levels")
	}
	return nil
}

// refuseMonotone refuses mo() among terms that do not have it.
func (s *selector) refuseMonotone(n *node, where string) error {
	if n.isMonotone() {
		return s.fail(n.pos, shortened(n.label())+" is not supported "+where, "add it to the terms of the population: "+
			n.label())
	}
	for _, arg := range n.args {
		if err := s.refuseMonotone(arg, where); err != nil {
			return err
		}
	}
	return nil
}

// learnMonotone gives a factor of mo() all of its levels: numbers from the least to the largest, texts in their order.
func (b *builder) learnMonotone(c *column, f *factor) error {
	if b.spec.Contrasts[c.name] != "" {
		return b.columnError(c.name, errors.New("contrasts are given for it, but mo() has a coding of its own"),
			"leave its contrasts out")
	}
	_, ordered := b.spec.Levels[c.name]
	switch {
	case c.kind == numeric && !ordered:
		levels, err := wholeLevels(c, b.keep, b.n, maxSteps)
		if err != nil {
			return b.columnError(c.name, fmt.Errorf("mo() takes whole numbers, %w", err),
				"mo() takes whole numbers such as 0 to 4, or text with levels in order")
		}
		f.reorder(levels)
	case c.kind != logical && !ordered && b.all == nil:
		b.warn("mo(%s): its levels are in byte order: %s; levels: {%s: […]} gives another order", c.name,
			words.List(f.levels), c.name)
	}
	if steps := len(f.levels) - 1; steps < 1 || steps > maxSteps {
		return b.columnError(c.name, fmt.Errorf("it has %d levels, and mo() takes 2 to %d", steps+1, maxSteps+1),
			"leave mo() out")
	}
	return nil
}

// wholeLevels spells the whole numbers from the least of a column to its largest, at most most steps apart.
func wholeLevels(c *column, keep []bool, rows int, most float64) (levels []string, err error) {
	values := make([]float64, rows)
	c.floats(values, keep)
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v != math.Floor(v) {
			return nil, fmt.Errorf("and it has %v", v)
		}
		low, high = min(low, v), max(high, v)
	}
	if !(high-low <= most) {
		return nil, fmt.Errorf("and its numbers are from %v to %v, with at most %v steps", low, high, most)
	}
	for v := low; v <= high; v++ {
		levels = append(levels, rNumber(v))
	}
	return levels, nil
}

// isMonotone reports whether a variable is mo() of a column.
func (v *Variable) isMonotone() bool { return v.Contrasts == monotonic }

// monotone returns which variable of a term is mo() of a column; −1 if none is.
func (r *Record) monotone(t *Term) int {
	return slices.IndexFunc(t.Variables, func(v int) bool { return r.Variables[v].isMonotone() })
}

// planMonotone names the columns of the terms with mo(), each effect's from the first step to the last.
func (b *builder) planMonotone(names *names) error {
	for k := range b.chosen.terms {
		t := &b.record.Terms[k]
		at := b.record.monotone(t)
		if at < 0 {
			continue
		}
		again := func(v int) bool { return b.record.Variables[v].isMonotone() }
		if slices.ContainsFunc(t.Variables[at+1:], again) {
			return b.formulaError(0, t.Label+" is not supported: monotonic effects are not crossed with each other",
				"cross mo() with other terms, or leave mo() out of one of them")
		}
		own := b.planTerm(t, k, names)
		others := func(p planned) []int { return slices.Delete(slices.Clone(p.parts), at, at+1) }
		slices.SortStableFunc(own, func(p, q planned) int {
			a, c := others(p), others(q)
			slices.Reverse(a)
			slices.Reverse(c)
			return slices.Compare(a, c)
		})
		steps := len(b.record.Variables[t.Variables[at]].Levels) - 1
		for one := range slices.Chunk(own, steps) {
			label := strings.TrimSuffix(strings.TrimPrefix(b.record.Variables[t.Variables[at]].Label, "mo("), ")")
			name := strings.Replace(one[0].name, "mo("+label+")"+stepSuffix(0), "mo("+label+")", 1)
			b.record.Monotone = append(b.record.Monotone, Monotone{Name: name,
				Simplex: "simo_" + strings.Replace(name, "mo("+label+")", label, 1),
				First:   len(b.plan), Last: len(b.plan) + steps})
			for i := range one {
				one[i].asIs = true
			}
			b.plan = append(b.plan, one...)
		}
	}
	return nil
}

// stepSuffix follows the name of an effect in that of its step p, from 0.
func stepSuffix(p int) string { return fmt.Sprintf("[%d]", p+1) }

// monotones are those of a design.
func (r *Record) monotones() (out []design.Monotone) {
	for _, m := range r.Monotone {
		out = append(out, design.Monotone{Name: m.Name, Simplex: m.Simplex, First: m.First, Last: m.Last})
	}
	return out
}

// checkMonotone finds monotonic effects that no Build writes.
func (r *Record) checkMonotone() error {
	for k := len(r.Monotone) - 1; k >= 0; k-- {
		m, last := r.Monotone[k], len(r.Columns)
		if k+1 < len(r.Monotone) {
			last = r.Monotone[k+1].First
		}
		if m.First < 0 || m.First >= m.Last || m.Last != last {
			return fmt.Errorf("design record: monotonic effect %q has not the last columns", m.Name)
		}
	}
	return nil
}
