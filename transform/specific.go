package transform

import "strings"

// Category-specific effects of ordered classes, cs(x), are columns of the formula of thresholds. There they have the
// other sign: a threshold less x·b lets the coefficients have that of the linear predictor.

// thresholds is the predictor of the thresholds between ordered classes.
const thresholds = "thresholds"

// specificTerms lists the calls of cs() of a formula.
func (n *node) specificTerms() (out []*node) {
	if n.kind == nodeCall && n.text == "cs" {
		return []*node{n}
	}
	for _, arg := range n.args {
		out = append(out, arg.specificTerms()...)
	}
	return out
}

// CategorySpecific reports whether the formula has category-specific effects: cs(x).
func (f *Formula) CategorySpecific() bool { return len(f.right.specificTerms()) > 0 }

// specific is the right side of the formula of a predictor that has none of its own.
func (f *Formula) specific(predictor string) string {
	parts := []string{"~ 1"}
	if predictor == thresholds {
		for _, n := range f.right.specificTerms() {
			parts = append(parts, "("+n.args[0].exact()+")")
		}
	}
	return strings.Join(parts, " + ")
}

// categorySpecific checks a call of cs, whose terms are those of the thresholds.
func (s *selector) categorySpecific(n *node, added bool) error {
	text := shortened(n.label())
	switch {
	case !added:
		return s.fail(n.pos, text+" cannot be subtracted", "leave it out")
	case s.crossing > 0:
		return s.fail(n.pos, text+" cannot be crossed with other terms, or vary by the levels of a grouping",
			"write cs(a * b)")
	case len(n.args) != 1 || n.names[0] != "":
		return s.fail(n.pos, "cs() takes terms", "for example cs(age + sex)")
	}
	for _, inner := range []string{"s", "mo", "cs", "offset"} {
		if n.args[0].count(inner) > 0 {
			return s.fail(n.pos, inner+"() is not supported inside cs()", "cs() takes columns, factors and functions of columns")
		}
	}
	if n.args[0].barred() {
		return s.fail(n.pos, "group-level effects are not supported inside cs()", "add them to the other terms")
	}
	intercept := s.out.intercept
	_, err := s.inner(n.args[0], added)
	if err == nil && s.out.intercept != intercept {
		return s.fail(n.pos, "cs() takes no 0 and no - 1", "leave it out: each class has a threshold")
	}
	return err
}
