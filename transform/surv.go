package transform

import (
	"fmt"
	"slices"

	"glmbatch/infer/family"
)

// survForm is how times with events are written.
const survForm = "write surv(time, event), or surv(time, event, breaks = c(30, 90)) with family: piecewise_exponential"

// eventOf is the name of a Limit whose expression is 1 of rows with an event, and 0 of those censored on the right.
const eventOf = "event"

// isSurv reports whether the node is surv().
func (n *node) isSurv() bool { return n.kind == nodeCall && n.text == "surv" }

// surv reads surv(time, event) and surv(time, event, breaks = c(…)).
func (s *selector) surv(n *node) error {
	if len(n.args) < 2 || len(n.args) > 3 || n.names[0] != "" || n.names[1] != "" ||
		len(n.args) == 3 && n.names[2] != "breaks" {
		return s.fail(n.pos, "surv() takes a time, an event, and breaks", survForm)
	}
	if len(s.out.limits) > 0 && slices.ContainsFunc(s.out.limits, func(l limit) bool { return l.of == "cens" }) {
		return s.fail(n.pos, "surv() and cens() both describe censored rows", "leave cens() out")
	}
	if _, err := s.breaks(n); err != nil {
		return err
	}
	event := n.args[1]
	if err := s.arithmetic(event); err != nil {
		return err
	}
	if err := s.columnsOf(event); err != nil {
		return err
	}
	v := newVariable(event, event.label(), s.formula.source)
	s.out.limits = append(s.out.limits, limit{eventOf, v})
	s.take(v)
	return s.response(n.args[0])
}

// breaks reads those of surv(): numbers above 0 in increasing order.
func (s *selector) breaks(n *node) (out []float64, err error) {
	if len(n.args) < 3 {
		return nil, nil
	}
	all, before := []*node{n.args[2]}, 0.0
	if c := n.args[2].bare(); c.kind == nodeCall && c.text == "c" {
		all = c.args
	}
	for _, arg := range all {
		at, is := arg.number()
		if !is || !(at > before) {
			return nil, s.fail(arg.pos, fmt.Sprintf("the break %s is not a number above %v", arg.label(), before),
				"breaks are times above 0 in increasing order: breaks = c(30, 90)")
		}
		out, before = append(out, at), at
	}
	if out == nil {
		return nil, s.fail(n.args[2].pos, "breaks has no number", survForm)
	}
	return out, nil
}

// Breaks are the parameters of the breaks of surv(), in their order; nil for none.
func (f *Formula) Breaks() (names []string) {
	n := f.left.bare()
	if n.kind == nodeBinary && n.text == "|" {
		n = n.args[0].bare()
	}
	if !n.isSurv() {
		return nil
	}
	breaks, err := (&selector{formula: f}).breaks(n)
	for _, at := range breaks {
		names = append(names, family.Break(at))
	}
	if err != nil {
		return nil
	}
	return names
}

// eventKinds returns the kinds of rows with events, which are 1 or 0.
func (b *builder) eventKinds(l limit, events []float64) ([]float64, error) {
	out := make([]float64, len(events))
	for i, v := range events {
		switch v {
		case 1:
			out[i] = family.Observed
		case 0:
			out[i] = family.Above
		default:
			return nil, b.cellError(l.columns[0], b.tableRow(i), fmt.Errorf("the event %s is %v, and not 0 or 1", l.key, v),
				"1 or true is a time with an event; make it of other codes: surv(time, status == 2)")
		}
	}
	return out, nil
}
