package transform

import "slices"

// Unbounded lists the parameters, by their places in a draw, that the quantity can
// grow with: not those that it reads inside comparisons, logical operations,
// inverse links and means of binary or beta responses only, whose values lie
// between 0 and 1. Where a parameter has no mean, neither may the quantity.
func (q *Quantity) Unbounded() []int {
	var out []int
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case n.kind == nodeNot ||
			slices.Contains([]string{"<", ">", "<=", ">=", "==", "!=", "&", "|"}, n.text) && n.kind == nodeBinary:
			return
		case n.kind == nodeCall && slices.Contains([]string{"logistic", "plogis", "pnorm", "pcauchy", "inv_cloglog"}, n.text):
			return
		case n.kind == nodeCall && n.text == "mean" &&
			slices.Contains([]string{"bernoulli", "binomial", "beta"}, q.family.Name):
			return
		}
		if at, isForm := q.form[n]; isForm {
			out = append(out, q.Forms[at].Columns...)
			return
		}
		for _, arg := range n.args {
			visit(arg)
		}
	}
	visit(q.source.root)
	slices.Sort(out)
	return slices.Compact(out)
}
