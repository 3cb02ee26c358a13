package transform

import "slices"

// left reads the response: a column, a function of one, cbind(successes,
// failures), surv(time, event), or one of these | trials(n), or a column | proportion(n), or with other calls after
// the bar.
func (s *selector) left(n *node) error {
	n = n.bare()
	if n.kind == nodeBinary && n.text == "|" {
		if err := s.leftCalls(n.args[1].bare()); err != nil {
			return err
		}
		n = n.args[0].bare()
	}
	if n.kind == nodeCall && slices.Contains(binders, n.text) {
		return s.cbind(n)
	}
	if n.isSurv() {
		return s.surv(n)
	}
	return s.response(n)
}

// leftCalls reads the calls after "|" on the left, joined by +.
func (s *selector) leftCalls(n *node) error {
	if n.kind == nodeSum && !slices.Contains(n.minus, true) {
		for _, arg := range n.args {
			if err := s.leftCalls(arg); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case n.kind == nodeCall && limitArguments[n.text] != nil:
		return s.limited(n)
	case n.kind == nodeCall && n.text == "se":
		return s.standardErrors(n)
	case n.kind == nodeCall && n.text == "weights":
		return s.rowWeights(n)
	case n.kind == nodeCall && n.text == "rate":
		return s.rate(n)
	case n.kind == nodeCall && (n.text == "trials" || n.text == "proportion"):
		s.out.proportion = n.text == "proportion"
		return s.trials(n)
	}
	return s.afterBar(n)
}

// rowWeights reads weights(w): how many equal observations a row stands for.
func (s *selector) rowWeights(n *node) error {
	if len(n.args) != 1 || n.names[0] != "" || n.args[0].kind != nodeName {
		return s.fail(n.pos, "weights() takes one column", "whole numbers: how many equal observations a row stands for")
	}
	if s.out.frequency != "" {
		return s.fail(n.pos, "weights() is given twice", "")
	}
	s.out.frequency = n.args[0].text
	return nil
}

// rate reads rate(t), an offset of log(t) in brms's spelling.
func (s *selector) rate(n *node) error {
	if s.out.rate != nil {
		return s.fail(n.pos, "rate() is given twice", "")
	}
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, "rate() takes one column", "for example y | rate(time)")
	}
	logs := *n
	logs.text = "log"
	err := s.offset(&node{kind: nodeCall, text: "offset", pos: n.pos, args: []*node{&logs}, names: []string{""}})
	if err != nil {
		return err
	}
	exposure := s.out.offsets[len(s.out.offsets)-1]
	s.out.rate = &exposure
	s.take(s.out.rate)
	return nil
}

// takeTrials takes a node's columns for the trials.
func (s *selector) takeTrials(n *node) error {
	if err := s.columnsOf(n); err != nil {
		return err
	}
	s.out.trials = newVariable(n, n.label(), s.formula.source)
	s.take(s.out.trials)
	return nil
}
