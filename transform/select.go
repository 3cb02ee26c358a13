package transform

import (
	"errors"
	"fmt"
	"slices"

	"glmbatch/internal/words"
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
	formula  *Formula
	names    []string        // columns of the table
	known    map[string]bool // the same as a set
	taken    map[string]bool // columns that . and globs leave out
	index    map[string]int  // a variable's key → its index
	strict   strictness
	crossing int // operators other than + and - around what is read
	work     int // products of terms so far
	out      selection
}

// selectFrom looks up the formula among the names of a table's columns. Cost:
// O(columns + terms) map operations, and one match per column for each glob.
func (f *Formula) selectFrom(names []string, strict strictness) (*selection, error) {
	s := &selector{formula: f, names: names, strict: strict, index: make(map[string]int),
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
	if err := s.weights(); err != nil {
		return nil, err
	}
	s.out.intercept = true
	set, err := s.terms(f.right, true)
	if err != nil {
		return nil, err
	}
	s.out.terms = byDegree(set.live())
	return &s.out, s.responseStaysLeft()
}

// responseStaysLeft refuses a response that explains itself.
func (s *selector) responseStaysLeft() error {
	response := s.out.response.columns[0]
	for _, t := range s.out.terms {
		for _, i := range t {
			if v := &s.out.variables[i]; slices.Contains(v.columns, response) {
				where := ""
				if !v.plain() {
					where = ", in " + v.label
				}
				return s.fail(v.pos, fmt.Sprintf("the response %q is also a predictor%s", response, where), "")
			}
		}
	}
	return nil
}

func (s *selector) fail(pos int, message, hint string) error {
	return &FormulaError{Formula: s.formula.source, Pos: pos, Err: words.Hint(errors.New(message), hint)}
}

// column checks that a name is there.
func (s *selector) column(n *node) error {
	if s.strict == anyName || s.known[n.text] {
		s.out.named = append(s.out.named, n.text)
		return nil
	}
	return s.fail(n.pos, fmt.Sprintf("there is no column %q", n.text), UnknownHint(n.text, "columns", s.names))
}

// columnsOf checks that every column of an expression is there.
func (s *selector) columnsOf(n *node) error {
	var first error
	n.reads(func(part *node) {
		if first == nil {
			first = s.column(part)
		}
	})
	return first
}

// take keeps the columns of an expression away from . and globs.
func (s *selector) take(v *variable) {
	for _, name := range v.columns {
		s.taken[name] = true
	}
}

// variable returns the index of a variable. Variables are counted as they first
// stand in the text, subtracted or not, which is their order in interactions.
func (s *selector) variable(n *node) int {
	label := n.text
	if n.kind != nodeName {
		label = n.label()
	}
	v := newVariable(n, label, s.formula.source)
	i, known := s.index[v.key]
	if !known {
		i = len(s.out.variables)
		s.index[v.key] = i
		s.out.variables = append(s.out.variables, *v)
	}
	return i
}

// one is the set of the term of one variable that is written out.
func (s *selector) one(n *node, added bool) *termSet {
	i := s.variable(n)
	if v := &s.out.variables[i]; added && !v.named {
		v.named, v.pos = true, n.pos
	}
	set := new(termSet)
	set.add(term{i})
	return set
}

// terms evaluates a node. Added reports whether its value will be added to the
// model or taken from it, which is what 1 and 0 speak of (the intercept).
func (s *selector) terms(n *node, added bool) (*termSet, error) {
	set := new(termSet)
	switch n.kind {
	case nodeName:
		if err := s.column(n); err != nil && (added || s.strict == everyName) {
			return nil, err
		}
		return s.one(n, added), nil
	case nodeParen:
		return s.terms(n.args[0], added)
	case nodeDot:
		for _, i := range s.matching("*", n.pos) {
			set.add(term{i})
		}
	case nodeGlob:
		return set, s.glob(set, n, n.text, added)
	case nodeNumber:
		return set, s.number(n, added)
	case nodeSum:
		return set, s.sum(set, n, added)
	case nodeCall:
		return s.call(n, added)
	case nodeString:
		return nil, s.fail(n.pos, fmt.Sprintf("%q is text in quotes, not a term", n.text), "put backquotes around column names")
	case nodeBinary, nodeNot:
		return s.binary(n, added)
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
		return s.fail(n.pos, fmt.Sprintf("%s is not a term", n.text), "1 is the intercept, 0 none; arithmetic is written I(2 * x); put backquotes around a column name that begins with a digit")
	}
	return nil
}

// matching returns the variables of the columns that match a pattern and are
// not taken elsewhere.
func (s *selector) matching(pattern string, pos int) []int {
	var out []int
	for _, name := range s.names {
		if !s.taken[name] && words.Match(pattern, name) {
			out = append(out, s.variable(&node{kind: nodeName, text: name, pos: pos}))
		}
	}
	return out
}

func (s *selector) glob(set *termSet, n *node, pattern string, added bool) error {
	matching := s.matching(pattern, n.pos)
	for _, i := range matching {
		set.add(term{i})
	}
	if len(matching) > 0 { // one is enough for the pattern to match again
		s.out.named = append(s.out.named, s.out.variables[matching[0]].columns...)
	}
	if len(set.terms) == 0 && (s.strict == everyName || s.strict == usedName && added) {
		return s.fail(n.pos, fmt.Sprintf("no column matches %q", pattern), "the columns are "+words.List(s.names))
	}
	return nil
}

func (s *selector) call(n *node, added bool) (*termSet, error) {
	switch {
	case n.text == "offset" || n.text == "trials":
		if !added {
			return nil, s.fail(n.pos, n.text+"() cannot be subtracted", "leave it out")
		}
		if s.crossing > 0 {
			return nil, s.fail(n.pos, n.text+"() is no term that could be crossed with others", "add it to the terms: x + "+n.text+"(n)")
		}
		return new(termSet), nil // read by reserve
	case n.text == "glob":
		if len(n.args) != 1 || n.args[0].kind != nodeString {
			return nil, s.fail(n.pos, "glob() takes one pattern in quotes", `for example glob("*_rate")`)
		}
		set := new(termSet)
		return set, s.glob(set, n, n.args[0].text, added)
	}
	var err error
	switch {
	case slices.Contains(factorCalls, n.text):
		err = s.factorCall(n)
	case slices.Contains(bases, n.text):
		_, err = s.basis(n)
	default:
		err = s.arithmetic(n)
	}
	if err == nil && (added || s.strict == everyName) {
		err = s.columnsOf(n)
	}
	if err != nil {
		return nil, err
	}
	return s.one(n, added), nil
}

// elsewhere are functions of R's that stand in another place here.
var elsewhere = map[string]string{
	"C":           "the coding of a factor stands under the model's key contrasts: {x: sum}",
	"ordered":     "levels gives the order, contrasts the coding",
	"interaction": "cross factors by : or *",
	"s":           "smooth terms with a fitted penalty are not here: take ns(x, 4) or bs(x, 6)", "te": "cross ns(x, 3) with ns(z, 3) by *",
	"offset": "an offset is added to the terms: x + offset(e)", "trials": "trials(n) is added to the terms, or stands on the left: y | trials(n)",
	"c": "several numbers are an argument of knots only", "proportion": "proportion(n) stands on the left: p | proportion(n) ~ …",
}

func (s *selector) unknownFunction(n *node) error {
	if hint := elsewhere[n.text]; hint != "" {
		return s.fail(n.pos, fmt.Sprintf("%s() has no place here", n.text), hint)
	}
	all := append(append(append([]string{"offset", "trials", "glob"}, functions...), bases...), "factor", "relevel", "cut")
	return s.fail(n.pos, fmt.Sprintf("there is no function %q", n.text), UnknownHint(n.text, "functions", all))
}

// binary evaluates an operator of formulas, or refuses one that is none.
func (s *selector) binary(n *node, added bool) (*termSet, error) {
	switch n.text {
	case "|", "||":
		return nil, s.fail(n.pos, fmt.Sprintf("(… %s group) is a group-level effect, which these models do not have: their coefficients are independent a priori", n.text),
			"add the group as a factor, or fit multilevel models with brms or lme4")
	case "^", "**":
		return s.crossed(n, added)
	case ":", "*", "/", "%in%":
		return s.cross(n, added)
	}
	hint := "R's operators are + - : * / ^ and %in%"
	if n.truth() {
		hint = "comparisons stand inside I(): I(x > 3)"
	}
	return nil, s.fail(n.pos, fmt.Sprintf("there is no operator %s between terms", n.text), hint)
}
