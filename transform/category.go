package transform

import (
	"fmt"
	"slices"
)

// A variable is a factor as a column (text, or true and false), as factor() or
// relevel() of one, as cut() of numbers, as weekday() or month() of dates, or as a comparison in I().

// truths are the levels of what is true or false.
var truths = []string{"FALSE", "TRUE"}

// ofColumn reports whether the node is a factor whose levels are a column's values.
func (n *node) ofColumn() bool {
	return n.kind == nodeCall && slices.Contains(factorCalls, n.text) && !n.listed()
}

// listed reports whether the node is a factor whose possible levels are known before the data are.
func (n *node) listed() bool { return n.kind == nodeCall && (n.text == "cut" || n.calendar()) }

// computed reports whether the node is a factor whose levels are computed.
func (n *node) computed() bool {
	return n.kind == nodeCall && (n.listed() || n.text == "I" && len(n.args) == 1 && n.args[0].truth())
}

// factorCall checks a call that makes a factor and is a term by itself.
func (s *selector) factorCall(n *node) error {
	switch n.text {
	case "cut":
		_, err := s.cut(n)
		return err
	case "relevel":
		_, err := s.relevel(n)
		return err
	case "mo":
		return s.monotone(n)
	case carCall, rwCall, covCall:
		_, err := s.structure(n)
		return err
	}
	if one := len(n.args) == 1 && n.args[0].kind == nodeName && n.names[0] == ""; !one && n.calendar() {
		return s.fail(n.pos, n.text+"() takes one column of dates", "for example "+n.text+"(day)")
	} else if !one {
		return s.fail(n.pos, n.text+"() takes one column",
			"the model's key levels gives the order of its levels, contrasts the coding")
	}
	return nil
}

// relevel reads relevel(f, ref = "b"), where f is a column or factor(column).
func (s *selector) relevel(n *node) (ref string, err error) {
	args, err := s.match(n, []string{"x", "ref"})
	if err != nil {
		return "", err
	}
	const example = `for example relevel(race, ref = "white")`
	if args[0] == nil || args[1] == nil {
		return "", s.fail(n.pos, "relevel() takes a factor and its reference level", example)
	}
	if x := args[0]; x.kind != nodeName {
		if !x.ofColumn() || x.text == "relevel" || x.isMonotone() {
			return "", s.fail(x.pos, "relevel() takes a column, or factor() of one", example)
		}
		if err := s.factorCall(x); err != nil {
			return "", err
		}
	}
	switch v := args[1].constant().(type) {
	case string:
		return v, nil
	case float64:
		if args[0].kind != nodeName { // a level of factor(x), as it is spelled
			return rNumber(v), nil
		}
	}
	return "", s.fail(args[1].pos, "the reference level of relevel() is text in quotes", example)
}

// releveled moves the reference level of relevel() to the front.
func (b *builder) releveled(v *variable, c *column, f *factor) error {
	if v.node.kind != nodeCall || v.node.text != "relevel" {
		return nil
	}
	if c.kind == numeric && v.node.args[max(0, slices.Index(v.node.names, "x"))].kind == nodeName {
		return b.columnError(c.name, fmt.Errorf("it holds numbers, and %s takes a factor", v.label),
			"write relevel(factor("+quoteName(c.name)+"), …)")
	}
	ref, err := (&selector{formula: &Formula{source: v.source}}).relevel(v.node)
	if err != nil {
		return err
	}
	i := slices.Index(f.levels, ref)
	if i < 0 {
		return b.columnError(c.name, fmt.Errorf("the reference level %q of %s does not occur", ref, v.label),
			UnknownHint(ref, "levels", f.levels))
	}
	f.reorder(slices.Concat([]string{ref}, f.levels[:i], f.levels[i+1:]))
	return nil
}

// computedFactor codes the design's rows of a factor whose levels are computed:
// all that there can be.
func (b *builder) computedFactor(v *variable, scales []Scaling) (*factor, error) {
	if v.node.calendar() {
		return b.calendarFactor(v)
	}
	n, _, err := v.argument()
	if err != nil {
		return nil, err
	}
	e := &evaluator{b: b, source: v.source, keep: b.keep, n: b.n, scales: scales}
	x, err := e.values(n)
	if err != nil {
		return nil, err
	}
	f := &factor{levels: truths, codes: make([]int32, len(x))}
	if v.node.text != "cut" {
		for i, truth := range x {
			f.codes[i] = int32(truth)
		}
		return f, nil
	}
	c, err := (&selector{formula: &Formula{source: v.source}}).cut(v.node)
	if err != nil {
		return nil, err
	}
	f.levels = slices.Clone(c.labels)
	for i, value := range x {
		k := c.interval(value)
		if k < 0 {
			return nil, b.cellError(v.columns[0], b.tableRow(i),
				fmt.Errorf("%v lies in no interval of %s (character %d of the formula)", value, v.label, v.character()),
				"add breaks, such as -Inf and Inf, or include.lowest = TRUE for a value on the outermost break")
		}
		f.codes[i] = int32(k)
	}
	return f, nil
}

// learnComputed reads a factor whose levels are computed. Those of cut(), weekday() and month()
// that no row has are left out, as R's model functions do.
func (b *builder) learnComputed(v *variable, record *Variable) (*factor, error) {
	if _, _, _, err := b.learnExpression(v, record); err != nil { // its scale()
		return nil, err
	}
	f, err := b.computedFactor(v, record.Scales)
	if err != nil || !v.node.listed() {
		return f, err
	}
	var known []bool
	if b.all != nil {
		known = b.all.present[v.key]
	}
	f.occurring(known)
	return f, nil
}

// occurring leaves out the levels that no row has; known marks those with rows if the rows are incomplete.
func (f *factor) occurring(known []bool) {
	present := make([]bool, len(f.levels))
	for _, code := range f.codes {
		present[code] = true
	}
	if known != nil {
		present = known
	}
	var levels []string
	number := make([]int32, len(present))
	for k, there := range present {
		if there {
			number[k] = int32(len(levels))
			levels = append(levels, f.levels[k])
		}
	}
	for i, code := range f.codes {
		f.codes[i] = number[code]
	}
	f.levels = levels
}
