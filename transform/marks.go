package transform

import "slices"

// Marks are the columns that brms's mi() marks in a formula, whose missing cells are drawn.
type Marks struct {
	Response bool     // y | mi() ~ …: missing responses are drawn
	Columns  []string // of terms mi(x), in the order of the text, each once
}

// Any reports whether the formula has mi() anywhere.
func (m Marks) Any() bool { return m.Response || len(m.Columns) > 0 }

// Marks returns the marks of mi() in the formula, which otherwise reads as if mi(x) were x, and y | mi() were y.
func (f *Formula) Marks() Marks {
	return Marks{Response: f.marks.Response, Columns: slices.Clone(f.marks.Columns)}
}

// takeMarks takes mi() out of the parsed formula.
func (f *Formula) takeMarks(p *parser) error {
	const both = "missing responses are y | mi() ~ …, missing cells of a predictor mi(x)"
	if left := f.left; left.kind == nodeBinary && left.text == "|" && left.args[1].isMark() {
		if mark := left.args[1]; len(mark.args) > 0 {
			return p.fail(mark.pos, "mi() of a response with standard errors is not in this version",
				"y | se(s) ~ … has responses with known errors, none of them missing")
		}
		f.left, f.marks.Response = left.args[0], true
	}
	if at := f.left.mark(); at != nil {
		return p.fail(at.pos, "mi() cannot be used here", both)
	}
	return f.right.unmark(func(n *node) error {
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

// isMark reports whether the node is a call of mi().
func (n *node) isMark() bool { return n.kind == nodeCall && n.text == "mi" }

// mark finds a call of mi() in the node; nil if there is none.
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

// unmark replaces each call of mi() that take accepts by its column.
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
