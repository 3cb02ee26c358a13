package transform

import (
	"fmt"
	"strconv"
	"strings"
)

// strictness says which names a selection insists on finding.
type strictness int

const (
	anyName   strictness = iota // no table yet: look at the notation only
	usedName                    // every name but those that are only subtracted
	everyName                   // all names
)

// selector evaluates a formula's terms, as R does: from left to right, with
// sets of terms that sums unite and differences take apart.
type selector struct {
	formula *Formula
	names   []string        // columns of the table
	known   map[string]bool // the same as a set
	taken   map[string]bool // columns that . and globs leave out
	strict  strictness
	out     selection
}

// selectFrom looks up the formula among the names of a table's columns. Cost:
// O(columns + terms) map operations, and one match per column for each glob.
func (f *Formula) selectFrom(names []string, strict strictness) (*selection, error) {
	s := &selector{formula: f, names: names, strict: strict,
		known: make(map[string]bool, len(names)), taken: make(map[string]bool)}
	for _, name := range names {
		s.known[name] = true
	}
	if err := s.left(f.left); err != nil {
		return nil, err
	}
	if err := s.reserve(f.right); err != nil {
		return nil, err
	}
	s.out.intercept = true
	set, err := s.terms(f.right, true)
	if err != nil {
		return nil, err
	}
	for _, t := range set.live() {
		if t.variables[0].column == s.out.response.column {
			return nil, s.fail(t.pos, fmt.Sprintf("the response %q is also a predictor", t.variables[0].column), "")
		}
		s.out.terms = append(s.out.terms, t)
	}
	return &s.out, nil
}

func (s *selector) fail(pos int, message, hint string) error {
	return &FormulaError{Formula: s.formula.source, Pos: pos, Message: message, Hint: hint}
}

// column checks that a name is there.
func (s *selector) column(n *node) error {
	if s.strict == anyName || s.known[n.text] {
		return nil
	}
	return s.fail(n.pos, fmt.Sprintf("there is no column %q", n.text), unknownHint(n.text, "columns", s.names))
}

// left reads the response: a column, or a column | trials(n).
func (s *selector) left(n *node) error {
	if n.kind == nodeBinary && n.text == "|" {
		call := n.args[1]
		if call.kind != nodeCall || call.text != "trials" {
			return s.fail(call.pos, `only trials(n) may follow "|" on the left`, "weights have a key of their own beside the formula")
		}
		if err := s.trials(call); err != nil {
			return err
		}
		n = n.args[0]
	}
	switch {
	case n.kind == nodeCall && n.text == "cbind":
		return s.fail(n.pos, "cbind() is not used here", "write successes | trials(total) ~ …, where total counts successes and failures")
	case n.kind == nodeCall:
		return s.fail(n.pos, fmt.Sprintf("this version does not have %s() of a response", n.text), "make the column in the query or the file")
	case n.kind != nodeName:
		return s.fail(n.pos, "the response must be one column", "put backquotes around a name that is not a plain word")
	}
	if err := s.column(n); err != nil {
		return err
	}
	s.out.response = operand{column: n.text, pos: n.pos}
	s.taken[n.text] = true
	return nil
}

// reserve finds the columns of offset() and trials() anywhere on the right, so
// that . and globs leave them out wherever they stand.
func (s *selector) reserve(n *node) error {
	if n.kind == nodeCall {
		switch n.text {
		case "offset":
			return s.offset(n)
		case "trials":
			return s.trials(n)
		}
		return nil
	}
	if n.kind == nodeSum {
		for _, arg := range n.args {
			if err := s.reserve(arg); err != nil {
				return err
			}
		}
	}
	return nil
}

// trials reads trials(column) or trials(number).
func (s *selector) trials(n *node) error {
	if s.out.trials != nil {
		return s.fail(n.pos, "trials() stands twice", "")
	}
	if len(n.args) != 1 || n.args[0].kind != nodeName && n.args[0].kind != nodeNumber {
		return s.fail(n.pos, "trials() takes one column, or one number", "make a column of totals in the query or the file")
	}
	arg := n.args[0]
	if arg.kind == nodeNumber {
		v, err := strconv.ParseFloat(arg.text, 64)
		if err != nil || v < 1 || v != float64(int32(v)) {
			return s.fail(arg.pos, fmt.Sprintf("trials(%s) is not a count", arg.text), "")
		}
		s.out.trials = &operand{constant: v, pos: arg.pos}
		return nil
	}
	if err := s.column(arg); err != nil {
		return err
	}
	s.out.trials = &operand{column: arg.text, pos: arg.pos}
	s.taken[arg.text] = true
	return nil
}

// offset reads offset(x) or offset(log(x)).
func (s *selector) offset(n *node) error {
	const hint = "write offset(x) or offset(log(x)) of a column x"
	if len(n.args) != 1 {
		return s.fail(n.pos, "offset() takes one column", hint)
	}
	arg := n.args[0]
	o := operand{pos: arg.pos}
	if arg.kind == nodeCall && arg.text == "log" && len(arg.args) == 1 {
		o.function, arg = "log", arg.args[0]
	}
	if arg.kind != nodeName {
		return s.fail(arg.pos, "this version takes the offset of a column, or of its logarithm, only", hint)
	}
	if err := s.column(arg); err != nil {
		return err
	}
	o.column = arg.text
	s.out.offsets = append(s.out.offsets, o)
	s.taken[arg.text] = true
	return nil
}

// termSet is a set of terms that remembers their order.
type termSet struct {
	terms []term
	at    map[string]int // label → index into terms; absent once removed
}

func (s *termSet) add(t term) {
	if s.at == nil {
		s.at = make(map[string]int)
	}
	if i, there := s.at[t.label()]; there {
		s.terms[i].named = s.terms[i].named || t.named
		return
	}
	s.at[t.label()] = len(s.terms)
	s.terms = append(s.terms, t)
}

func (s *termSet) remove(t term) { delete(s.at, t.label()) }

// live returns the terms that were not removed, in order.
func (s *termSet) live() []term {
	var out []term
	for i, t := range s.terms {
		if j, there := s.at[t.label()]; there && i == j {
			out = append(out, t)
		}
	}
	return out
}

// terms evaluates a node. Added says whether its value will be added to the
// model or taken from it, which is what 1 and 0 speak of (the intercept).
func (s *selector) terms(n *node, added bool) (*termSet, error) {
	set := new(termSet)
	switch n.kind {
	case nodeName:
		if err := s.column(n); err != nil && (added || s.strict == everyName) {
			return nil, err
		}
		set.add(term{variables: []operand{{column: n.text, pos: n.pos}}, named: true, pos: n.pos})
	case nodeDot:
		s.matching(set, "*", n.pos)
	case nodeGlob:
		return set, s.glob(set, n, n.text, added)
	case nodeNumber:
		return set, s.number(n, added)
	case nodeSum:
		return set, s.sum(set, n, added)
	case nodeCall:
		return set, s.call(set, n, added)
	case nodeString:
		return nil, s.fail(n.pos, fmt.Sprintf("%q is text in quotes, not a term", n.text), "put backquotes around column names")
	case nodeBinary:
		return nil, s.binary(n)
	}
	return set, nil
}

func (s *selector) sum(set *termSet, n *node, added bool) error {
	for i, arg := range n.args {
		part, err := s.terms(arg, added != n.minus[i])
		if err != nil {
			return err
		}
		for _, t := range part.live() {
			if n.minus[i] {
				set.remove(t)
			} else {
				set.add(t)
			}
		}
	}
	return nil
}

func (s *selector) number(n *node, added bool) error {
	switch n.text {
	case "1":
		s.out.intercept = added
	case "0":
		s.out.intercept = !added
	default:
		return s.fail(n.pos, fmt.Sprintf("%s is not a term", n.text), "1 is the intercept, 0 none; put backquotes around a column name that begins with a digit")
	}
	return nil
}

// matching adds every column that matches pattern and is not taken elsewhere.
func (s *selector) matching(set *termSet, pattern string, pos int) {
	for _, name := range s.names {
		if !s.taken[name] && globMatch(pattern, name) {
			set.add(term{variables: []operand{{column: name, pos: pos}}, pos: pos})
		}
	}
}

func (s *selector) glob(set *termSet, n *node, pattern string, added bool) error {
	s.matching(set, pattern, n.pos)
	if len(set.terms) == 0 && (s.strict == everyName || s.strict == usedName && added) {
		return s.fail(n.pos, fmt.Sprintf("no column matches %q", pattern), "the columns are "+list(s.names))
	}
	return nil
}

// later are R's functions and operators that formulas of a later version have.
const later = " I log log2 log10 log1p exp sqrt abs poly ns bs factor ordered as.factor C scale cut interaction relevel "

func (s *selector) call(set *termSet, n *node, added bool) error {
	switch {
	case n.text == "offset" || n.text == "trials":
		if !added {
			return s.fail(n.pos, n.text+"() cannot be subtracted", "leave it out")
		}
		return nil // read by reserve
	case n.text == "glob":
		if len(n.args) != 1 || n.args[0].kind != nodeString {
			return s.fail(n.pos, "glob() takes one pattern in quotes", `for example glob("*_rate")`)
		}
		return s.glob(set, n, n.args[0].text, added)
	case strings.Contains(later, " "+n.text+" "):
		return s.fail(n.pos, fmt.Sprintf("this version does not have %s() of a predictor", n.text), "make the column in the query or the file")
	}
	functions := []string{"offset", "trials", "glob"}
	return s.fail(n.pos, fmt.Sprintf("there is no function %q", n.text), unknownHint(n.text, "functions", functions))
}

// binary refuses what is no sum, each operator for its own reason.
func (s *selector) binary(n *node) error {
	switch n.text {
	case "|", "||":
		return s.fail(n.pos, fmt.Sprintf("(… %s group) is a group-level effect, which these models do not have: their coefficients are independent a priori", n.text),
			"add the group as a factor, or fit multilevel models with brms or lme4")
	case "^", "**":
		return s.fail(n.pos, fmt.Sprintf("this version does not have crossings (%s)", n.text), "make products of columns in the query or the file")
	case "/", "%in%":
		return s.fail(n.pos, fmt.Sprintf("this version does not have nesting (%s)", n.text), "make the column in the query or the file")
	case ":", "*":
		return s.fail(n.pos, fmt.Sprintf("this version does not have interactions (%s)", n.text),
			`make products of columns in the query or the file; a glob's star touches its name and ends the term ("x* + z")`)
	}
	return s.fail(n.pos, fmt.Sprintf("there is no operator %s", n.text), "")
}
