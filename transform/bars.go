package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// bar is a group-level part of a formula, (terms | grouping): each term has an effect of its own for each level of
// the grouping. (1 | g/h) makes two of them.
type bar struct {
	pos       int
	text      string
	grouping  []int // indices into selection.groupers, in the order of the text: g, or g and h of g:h
	intercept bool
	terms     []term
	apart     bool   // written with ||: effects without correlations
	id        string // p of (1 | p | g); empty for none
}

// Bar is a group-level part of a formula, as the columns of a table that it reads.
type Bar struct {
	Text     string // (1 + x | g)
	Grouping string
	By, Over []string // columns that the grouping is made of, and those of the terms
}

// Bars returns the group-level parts of the formula.
func (f *Formula) Bars(schema *arrow.Schema) (out []Bar, err error) {
	s, err := f.selectFrom(schema, usedName)
	if err != nil {
		return nil, err
	}
	for i := range s.bars {
		b := &s.bars[i]
		bar := Bar{Text: b.text, Grouping: s.groupName(b.grouping)}
		for _, v := range b.grouping {
			bar.By = append(bar.By, s.groupers[v].columns...)
		}
		for _, t := range b.terms {
			for _, v := range t {
				bar.Over = append(bar.Over, s.variables[v].columns...)
			}
		}
		bar.By, bar.Over = unique(bar.By), unique(bar.Over)
		out = append(out, bar)
	}
	return out, nil
}

// isBar reports whether the node is the content of the parentheses of a group-level part.
func (n *node) isBar() bool { return n.kind == nodeBinary && (n.text == "|" || n.text == "||") }

// barred reports whether the node contains a group-level part, other than (1 | gr(g, cov = A)).
func (n *node) barred() bool {
	return n.isBar() && !n.args[1].bare().isCovariance() || slices.ContainsFunc(n.args, (*node).barred)
}

// bareBar refuses a bar without parentheses, or together with another one.
func (s *selector) bareBar(n *node) error {
	if n.args[0].isBar() {
		return s.fail(n.pos, "one pair of parentheses holds one grouping",
			"effects of one pair are correlated: (x | g); several groupings are (x | g) + (x | h); (x | p | g) correlates "+
				"effects of several predictors")
	}
	return s.fail(n.pos, "a group-level part needs parentheses",
		fmt.Sprintf("write y ~ … + (%s)", shortened(n.label())))
}

// bar reads a group-level part of the formula.
func (s *selector) bar(n *node, added bool) error {
	text := "(" + shortened(n.label()) + ")"
	switch {
	case n.args[0].isBar() && !n.identified():
		return s.bareBar(n)
	case !added:
		return s.fail(n.pos, text+" cannot be subtracted", "leave it out")
	case s.crossing > 0:
		return s.fail(n.pos, text+" cannot be crossed with other terms", "add it to the terms: x + (1 | g)")
	case n.args[1].bare().isCovariance():
		return s.covarianceBar(n)
	}
	groupings, err := s.groupings(n.args[1])
	if err != nil {
		return err
	}
	if err := s.refuseMonotone(n.args[0], "in group-level terms"); err != nil {
		return err
	}
	outside := s.out.intercept
	s.out.intercept = true
	inner, id := n.args[0], ""
	if inner.isBar() {
		inner, id = inner.args[0], inner.args[1].label()
	}
	terms, err := s.inner(inner, true)
	if err != nil {
		return err
	}
	b := bar{pos: n.pos, text: text, intercept: s.out.intercept, terms: byDegree(terms), apart: n.text == "||", id: id}
	s.out.intercept = outside
	if !b.intercept && len(b.terms) == 0 && !n.open() {
		return s.fail(n.pos, text+" has no terms", "leave it out, or write (1 | g)")
	}
	for _, g := range groupings {
		b.grouping = g
		if err := s.standsOnce(&b); err != nil {
			return err
		}
		if one := s.sameID(&b); one != nil {
			one.intercept = one.intercept || b.intercept
			one.terms = byDegree(append(one.terms, b.terms...))
			continue
		}
		s.out.bars = append(s.out.bars, b)
	}
	return nil
}

// sameID returns a bar before b with its ID and grouping, whose terms are correlated with those of b; nil for none.
func (s *selector) sameID(b *bar) *bar {
	for i := range s.out.bars {
		if o := &s.out.bars[i]; b.id != "" && o.id == b.id && slices.Equal(o.grouping, b.grouping) {
			return o
		}
	}
	return nil
}

// identified reports whether a group-level part is (terms | p | g), with an ID p.
func (n *node) identified() bool {
	inner := n.args[0]
	return n.text == "|" && inner.text == "|" && !inner.args[0].isBar() &&
		(inner.args[1].kind == nodeName || inner.args[1].kind == nodeNumber)
}

// standsOnce refuses a term that has effects for the levels of the same grouping already.
func (s *selector) standsOnce(b *bar) error {
	same := func(o *bar) bool {
		return len(o.grouping) == len(b.grouping) &&
			!slices.ContainsFunc(o.grouping, func(v int) bool { return !slices.Contains(b.grouping, v) })
	}
	for i := range s.out.bars {
		o := &s.out.bars[i]
		if !same(o) {
			continue
		}
		again := ""
		if o.intercept && b.intercept {
			again = "the intercept"
		}
		for _, t := range b.terms {
			if slices.ContainsFunc(o.terms, func(u term) bool { return slices.Equal(t, u) }) {
				again = s.out.termLabel(t)
			}
		}
		if again != "" {
			return s.fail(b.pos, fmt.Sprintf("%s has effects for the levels of %s already, in %s", again,
				s.out.groupName(b.grouping), o.text), "leave one out; (0 + x | g) is x without an intercept")
		}
	}
	return nil
}

// groupName is the name of a grouping: g, or g:h.
func (s *selection) groupName(grouping []int) string {
	parts := make([]string, len(grouping))
	for i, v := range grouping {
		parts[i] = s.groupers[v].label
	}
	return strings.Join(parts, ":")
}

// reserveGroupings keeps the columns of groupings away from . and globs.
func (s *selector) reserveGroupings(n *node) error {
	if of := n.args[1].bare(); of.isCovariance() {
		return s.reserveSmooth(of)
	}
	_, err := s.groupings(n.args[1])
	return err
}

// groupings reads the part after the bar: g, g:h, or g/h for g and g:h.
func (s *selector) groupings(n *node) ([][]int, error) {
	n = n.bare()
	switch {
	case n.kind == nodeBinary && (n.text == ":" || n.text == "/"):
		return s.nested(n)
	case n.kind == nodeSum:
		return nil, s.fail(n.pos, "one pair of parentheses holds one grouping", "write (x | g) + (x | h)")
	case n.kind == nodeCall && n.text == "gr":
		plain, err := s.plainGrouping(n)
		if err != nil {
			return nil, err
		}
		return s.groupings(plain)
	case n.kind == nodeCall && absentTerms[n.text] != "":
		return nil, s.absent(n, absentTerms[n.text])
	case n.kind == nodeCall && (n.text == "factor" || n.text == "as.factor" || n.listed()):
		if err := s.factorCall(n); err != nil {
			return nil, err
		}
	case n.kind != nodeName:
		return nil, s.fail(n.pos, fmt.Sprintf("%s is not a grouping", shortened(n.label())),
			"a grouping is a column g, a crossing g:h, a nesting g/h, factor(x), cut(x, breaks = c(…)), weekday(d) or month(d)")
	}
	if err := s.columnsOf(n); err != nil {
		return nil, err
	}
	i := s.entered(n, s.grouped, &s.out.groupers)
	s.take(&s.out.groupers[i])
	return [][]int{{i}}, nil
}

// nested reads g:h and g/h.
func (s *selector) nested(n *node) ([][]int, error) {
	left, err := s.groupings(n.args[0])
	if err != nil {
		return nil, err
	}
	right, err := s.groupings(n.args[1])
	if err != nil {
		return nil, err
	}
	out := left
	if n.text == ":" {
		if len(left) > 1 || len(right) > 1 {
			return nil, s.fail(n.pos, "a nesting is inside a crossing of groupings", "write (1 | g) + (1 | g:h)")
		}
		out = nil
	}
	for _, inner := range right {
		crossed := slices.Clone(left[len(left)-1])
		for _, v := range inner {
			if !slices.Contains(crossed, v) {
				crossed = append(crossed, v)
			}
		}
		out = append(out, crossed)
	}
	return out, nil
}

// standardErrors reads se(s).
func (s *selector) standardErrors(n *node) error {
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, "se() takes one column of standard errors", "for example y | se(s)")
	}
	arg := n.args[0]
	if err := s.arithmetic(arg); err != nil {
		return err
	}
	if arg.count("scale") > 0 {
		return s.fail(arg.pos, "standard errors are in the unit of the response, and scale() changes it", "write y | se(s)")
	}
	if err := s.columnsOf(arg); err != nil {
		return err
	}
	s.out.errors = newVariable(arg, arg.label(), s.formula.source)
	s.take(s.out.errors)
	return nil
}
