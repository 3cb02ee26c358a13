package transform

import (
	"fmt"
	"slices"
	"strings"
)

// left reads the response: a column, a function of one, cbind(successes,
// failures), or one of these | trials(n), or a column | proportion(n).
func (s *selector) left(n *node) error {
	n = n.bare()
	if n.kind == nodeBinary && n.text == "|" {
		call := n.args[1]
		if call.kind != nodeCall || call.text != "trials" && call.text != "proportion" {
			return s.fail(call.pos, `only trials(n) or proportion(n) may follow "|" on the left`,
				"weights have keys of their own beside the formula: frequency_weights, precision_weights")
		}
		s.out.proportion = call.text == "proportion"
		if err := s.trials(call); err != nil {
			return err
		}
		n = n.args[0].bare()
	}
	if n.kind == nodeCall && n.text == "cbind" {
		return s.cbind(n)
	}
	return s.response(n)
}

// response reads one response: a column, or a function of columns.
func (s *selector) response(n *node) error {
	switch {
	case n.kind == nodeCall && (slices.Contains(bases, n.text) || slices.Contains(factorCalls, n.text)):
		return s.fail(n.pos, fmt.Sprintf("%s() makes no response", n.text),
			"the response is a column, or a function of it such as log(y)")
	case n.kind == nodeCall || n.kind == nodeBinary && strings.Contains("*/^**", n.text):
		if err := s.arithmetic(n); err != nil {
			return err
		}
	case n.kind != nodeName:
		return s.fail(n.pos, "the response must be one column",
			"put backquotes around a name that is not a plain word, and I() around a sum")
	}
	if err := s.columnsOf(n); err != nil {
		return err
	}
	label := n.text
	if n.kind != nodeName {
		label = n.label()
	}
	v := newVariable(n, label, s.formula.source)
	s.out.response = *v
	s.take(v)
	return nil
}

// cbind reads R's cbind(successes, failures): trials are their sum.
func (s *selector) cbind(n *node) error {
	if s.out.trials != nil {
		return s.fail(n.pos, "cbind() and trials() both give the number of trials", "write one of them")
	}
	if len(n.args) != 2 {
		return s.fail(n.pos, "cbind() takes successes and failures",
			"write cbind(successes, failures), or successes | trials(total)")
	}
	for _, arg := range n.args {
		if err := s.arithmetic(arg); err != nil {
			return err
		}
	}
	if err := s.response(n.args[0]); err != nil {
		return err
	}
	failures := &node{kind: nodeParen, pos: n.args[1].pos, args: []*node{n.args[1]}}
	sum := &node{kind: nodeSum, pos: n.pos, args: []*node{n.args[0], failures}, minus: []bool{false, false}}
	return s.takeTrials(sum)
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

// reserve finds the columns of offset() and trials() anywhere on the right, so
// that . and globs leave them out wherever they stand.
func (s *selector) reserve(n *node) error {
	switch {
	case n.kind == nodeCall && n.text == "offset":
		return s.offset(n)
	case n.kind == nodeCall && n.text == "trials":
		return s.trials(n)
	case n.kind != nodeSum && n.kind != nodeParen:
		return nil
	}
	for _, arg := range n.args {
		if err := s.reserve(arg); err != nil {
			return err
		}
	}
	return nil
}

// trials reads trials(number), trials(column) or trials(a + b), and proportion()
// of the same.
func (s *selector) trials(n *node) error {
	if s.out.trials != nil {
		return s.fail(n.pos, "trials() stands twice", "")
	}
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, n.text+"() takes one column, or one number",
			"for example trials(total), trials(12) or trials(successes + failures)")
	}
	arg := n.args[0]
	if v, ok := arg.number(); ok {
		if v < 1 || v != float64(int32(v)) {
			return s.fail(arg.pos, fmt.Sprintf("%s(%s) is not a count", n.text, arg.label()), "")
		}
	} else if err := s.arithmetic(arg); err != nil {
		return err
	}
	return s.takeTrials(arg)
}

// offset reads offset(x) or offset of a function of columns.
func (s *selector) offset(n *node) error {
	if len(n.args) != 1 || n.names[0] != "" {
		return s.fail(n.pos, "offset() takes one column", "write offset(x) or offset(log(x)) of a column x")
	}
	arg := n.args[0]
	if err := s.arithmetic(arg); err != nil {
		return err
	}
	if err := s.columnsOf(arg); err != nil {
		return err
	}
	v := newVariable(arg, arg.label(), s.formula.source)
	s.out.offsets = append(s.out.offsets, *v)
	s.take(v)
	return nil
}
