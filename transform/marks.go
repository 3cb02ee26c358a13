package transform

import "slices"

// Marks are the columns that brms's mi() and me() mark in a formula, whose cells are drawn.
type Marks struct {
	Response bool     // y | mi() ~ …: missing responses are drawn
	Columns  []string // of terms mi(x), in the order of the text, each once
	Measured []Measured
}

// Measured is a column with errors of measurement: me(x, sd) has measurements x, normal around the values that are
// terms, with the standard deviations of column SD.
type Measured struct{ Column, SD string }

// Any reports whether the formula has mi() or me() anywhere.
func (m Marks) Any() bool { return m.Response || len(m.Columns) > 0 || len(m.Measured) > 0 }

// MeasuredIn reports whether a column is in me().
func (m Marks) MeasuredIn(column string) bool {
	return slices.ContainsFunc(m.Measured, func(o Measured) bool { return o.Column == column })
}

// Marks returns the marks of mi() and me() in the formula, which otherwise reads as if mi(x) and me(x, sd) were x, and
// y | mi() were y.
func (f *Formula) Marks() Marks {
	m := f.marks
	return Marks{m.Response, slices.Clone(m.Columns), slices.Clone(m.Measured)}
}

// takeMarks takes mi() and me() out of the parsed formula.
func (f *Formula) takeMarks(p *parser) error {
	const both = "missing responses are y | mi() ~ …, missing cells of a predictor mi(x)"
	if left := f.left; left.kind == nodeBinary && left.text == "|" && left.args[1].isMark() && left.args[1].text == "mi" {
		if mark := left.args[1]; len(mark.args) > 0 {
			return p.fail(mark.pos, "mi() of a response with standard errors is not in this version",
				"y | se(s) ~ … has responses with known errors, none of them missing")
		}
		f.left, f.marks.Response = left.args[0], true
	}
	if at := f.left.mark(); at != nil {
		return p.fail(at.pos, at.text+"() cannot be used here", both)
	}
	plain := map[string]bool{}
	f.right.plainNames(plain)
	return f.right.unmark(func(n *node) error {
		if n.text == "me" {
			return f.takeMeasured(p, n, plain)
		}
		if len(n.args) == 0 || n.args[0].kind != nodeName {
			return p.fail(n.pos, "mi() holds one column", both+`; functions go around it, as log(mi(x))`)
		}
		if len(n.args) > 1 || n.names[0] != "" {
			return p.fail(n.pos, "mi() holds one column, and no further argument such as idx", both)
		}
		if column := n.args[0].text; !slices.Contains(f.marks.Columns, column) {
			f.marks.Columns = append(f.marks.Columns, column)
		}
		return nil
	})
}

// takeMeasured takes me(x, sd); plain are the columns outside me().
func (f *Formula) takeMeasured(p *parser, n *node, plain map[string]bool) error {
	const form = "write me(x, sd): a column of measurements, and one of their standard deviations"
	named := slices.ContainsFunc(n.names, func(name string) bool { return name != "" })
	if len(n.args) > 2 || named {
		return p.fail(n.pos, "me() holds two columns, and no further argument such as gr", form)
	}
	if len(n.args) != 2 || n.args[0].kind != nodeName || n.args[1].kind != nodeName {
		return p.fail(n.pos, "me() holds two columns", form+"; functions go around it, as log(me(x, sd))")
	}
	m := Measured{n.args[0].text, n.args[1].text}
	other := slices.IndexFunc(f.marks.Measured, func(o Measured) bool { return o.Column == m.Column })
	switch {
	case plain[m.Column]:
		return p.fail(n.pos, m.Column+" is in me(), and also a term without it",
			"the measurement and the measured value would have the same name: make a copy of the column in the data")
	case other >= 0 && f.marks.Measured[other] != m:
		return p.fail(n.pos, m.Column+" has two standard deviations in me()", form)
	case other < 0:
		f.marks.Measured = append(f.marks.Measured, m)
	}
	return nil
}

// plainNames adds the columns outside me() to names.
func (n *node) plainNames(names map[string]bool) {
	if n.kind == nodeName {
		names[n.text] = true
	}
	if n.isMark() && n.text == "me" {
		return
	}
	for _, arg := range n.args {
		arg.plainNames(names)
	}
}

// isMark reports whether the node is a call of mi() or me().
func (n *node) isMark() bool { return n.kind == nodeCall && (n.text == "mi" || n.text == "me") }

// mark finds a call of mi() or me() in the node; nil if there is none.
func (n *node) mark() *node {
	if n.isMark() {
		return n
	}
	for _, arg := range n.args {
		if found := arg.mark(); found != nil {
			return found
		}
	}
	return nil
}

// unmark replaces each call of mi() or me() that take accepts by its column.
func (n *node) unmark(take func(*node) error) error {
	if n.isMark() {
		if err := take(n); err != nil {
			return err
		}
		*n = *n.args[0]
		return nil
	}
	for _, arg := range n.args {
		if err := arg.unmark(take); err != nil {
			return err
		}
	}
	return nil
}
