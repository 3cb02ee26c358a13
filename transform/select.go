package transform

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/words"
)

// strictness says which names a selection insists on finding.
type strictness int

const (
	anyName   strictness = iota // no table yet: look at the notation only
	usedName                    // every name but those that are only subtracted
	everyName                   // all names
)

// selector evaluates a formula's terms, as R does: from left to right, with sets of terms that sums unite and
// differences reduce.
type selector struct {
	formula  *Formula
	names    []string        // columns of the table that . and globs may name
	known    map[string]bool // all columns of the table
	taken    map[string]bool // columns that . and globs leave out: those of offsets are not among them, as in R
	index    map[string]int  // a variable's key → its index
	grouped  map[string]int  // the same of what groupings are made of
	strict   strictness
	crossing int // operators other than + and - around what is read
	work     int // products of terms so far
	out      selection
}

// selectFrom looks up the formula among the columns of a table; a nil schema has none. Cost:
// O(columns + terms) map operations, and one match per column for each glob.
func (f *Formula) selectFrom(schema *arrow.Schema, strict strictness) (*selection, error) {
	s := &selector{formula: f, strict: strict, index: make(map[string]int), grouped: make(map[string]int),
		taken: make(map[string]bool)}
	s.names, s.known = readable(schema)
	if err := s.left(f.left); err != nil {
		return nil, err
	}
	if err := s.reserve(f.right); err != nil {
		return nil, err
	}
	if err := s.weights(); err != nil {
		return nil, err
	}
	if err := s.noise(); err != nil {
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

// noise takes the columns of standard deviations of me() away from . and globs.
func (s *selector) noise() error {
	for _, m := range s.formula.marks.Measured {
		n := &node{kind: nodeName, text: m.SD, pos: max(0, strings.Index(s.formula.source, "me("))}
		if err := s.column(n); err != nil {
			return err
		}
		s.taken[m.SD], s.out.noise = true, append(s.out.noise, m.SD)
	}
	return nil
}

// responseStaysLeft refuses a response that explains itself.
func (s *selector) responseStaysLeft() error {
	for k, response := range s.out.explained() {
		if k > 0 && len(s.out.counts) <= 2 { // a total may be a predictor
			break
		}
		for i, used := range s.out.used() {
			if v := &s.out.variables[i]; used && slices.Contains(v.columns, response) {
				where := ""
				if !v.plain() {
					where = ", in " + v.label
				}
				return s.fail(v.pos, fmt.Sprintf("the response %q is also a predictor%s", response, where), "")
			}
		}
		for i := range s.out.groupers {
			if v := &s.out.groupers[i]; slices.Contains(v.columns, response) {
				return s.fail(v.pos, fmt.Sprintf("the response %q is also a grouping", response), "")
			}
		}
	}
	return nil
}

func (s *selector) fail(pos int, message, hint string) error {
	return &FormulaError{Formula: s.formula.source, Pos: pos, Err: words.Hint(errors.New(message), hint)}
}

// column checks that a name exists.
func (s *selector) column(n *node) error {
	if s.strict == anyName || s.known[n.text] {
		s.out.named = append(s.out.named, n.text)
		return nil
	}
	if n.text == "Intercept" {
		return s.fail(n.pos, "0 + Intercept of brms is not supported", absentArguments["center"])
	}
	return s.fail(n.pos, fmt.Sprintf("there is no column %q", n.text), UnknownHint(n.text, "columns", s.names))
}

// columnsOf checks that every column of an expression exists.
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

// variable returns the index of a variable. Variables are counted as they first appear in the text, subtracted or
// not, which is their order in interactions.
func (s *selector) variable(n *node) int { return s.entered(n, s.index, &s.out.variables) }

// entered returns the index of an expression in a list, which it enters unless index has it.
func (s *selector) entered(n *node, index map[string]int, list *[]variable) int {
	label := n.text
	if n.kind != nodeName {
		label = n.label()
	}
	v := newVariable(n, label, s.formula.source)
	i, known := index[v.key]
	if !known {
		i = len(*list)
		index[v.key] = i
		*list = append(*list, *v)
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

// terms evaluates a node. Added reports whether its value will be added to the model or subtracted from it, which
// matters for 1 and 0 (the intercept).
func (s *selector) terms(n *node, added bool) (*termSet, error) {
	set := new(termSet)
	switch n.kind {
	case nodeName:
		if err := s.column(n); err != nil && (added || s.strict == everyName) {
			return nil, err
		}
		return s.one(n, added), nil
	case nodeParen:
		if n.args[0].isBar() {
			return set, s.bar(n.args[0], added)
		}
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
		return nil, s.fail(n.pos, fmt.Sprintf("%q is text in quotes, not a term", n.text),
			"put backquotes around column names")
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
		return s.fail(n.pos, fmt.Sprintf("%s is not a term", n.text), "1 is the intercept, 0 none; arithmetic is written "+
			"I(2 * x); put backquotes around a column name that begins with a digit")
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
			return nil, s.fail(n.pos, n.text+"() cannot be crossed with other terms",
				"add it to the terms: x + "+n.text+"(n)")
		}
		return new(termSet), nil // read by reserve
	case n.isSmooth():
		return new(termSet), s.smooth(n, added)
	case n.text == "cs":
		return new(termSet), s.categorySpecific(n, added)
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

// binary evaluates an operator of formulas, or refuses another one.
func (s *selector) binary(n *node, added bool) (*termSet, error) {
	switch n.text {
	case "|", "||":
		return nil, s.bareBar(n)
	case "^", "**":
		return s.crossed(n, added)
	case ":", "*", "/", "%in%":
		return s.cross(n, added)
	}
	hint := "R's operators are + - : * / ^ and %in%"
	if n.truth() {
		hint = "comparisons need I(): I(x > 3)"
	}
	return nil, s.fail(n.pos, fmt.Sprintf("there is no operator %s between terms", n.text), hint)
}

// term is one term of the linear predictor: the variables that it multiplies,
// as indices in increasing order. Several are an interaction.
type term []int

// key identifies a term.
func (t term) key() string {
	b := make([]byte, 0, 2*len(t))
	for _, v := range t {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return string(b)
}

// union is the term of all variables of two terms: a:a is a.
func (t term) union(u term) term {
	out := slices.Concat(t, u)
	slices.Sort(out)
	return slices.Compact(out)
}

// contains reports whether the term has all variables of another.
func (t term) contains(u term) bool {
	for _, v := range u {
		if _, found := slices.BinarySearch(t, v); !found {
			return false
		}
	}
	return true
}

// termSet is a set of terms that remembers their order.
type termSet struct {
	terms []term
	at    map[string]int // key → index into terms; absent once removed
}

func (s *termSet) add(t term) {
	if s.at == nil {
		s.at = make(map[string]int)
	}
	key := t.key()
	if _, there := s.at[key]; there {
		return
	}
	s.at[key] = len(s.terms)
	s.terms = append(s.terms, t)
}

func (s *termSet) remove(t term) { delete(s.at, t.key()) }

// live returns the terms that were not removed, in order.
func (s *termSet) live() []term {
	var out []term
	for i, t := range s.terms {
		if j, there := s.at[t.key()]; there && i == j {
			out = append(out, t)
		}
	}
	return out
}

// byDegree sorts terms as R does: main effects, then pairs, and so on, each in
// the order in which they came.
func byDegree(terms []term) []term {
	slices.SortStableFunc(terms, func(a, b term) int { return len(a) - len(b) })
	return terms
}

// maxTerms bounds the work that crossings ask for.
const maxTerms = 1 << 20

// cross evaluates an operator between two sets of terms by R's rules:
//
//	a:b     every term of a with every term of b
//	a*b     a + b + a:b
//	a/b     a + each term of b with all variables of a
//	a%in%b  each term of a with all variables of b
func (s *selector) cross(n *node, added bool) (*termSet, error) {
	left, err := s.inner(n.args[0], added)
	if err != nil {
		return nil, err
	}
	right, err := s.inner(n.args[1], added)
	if err != nil {
		return nil, err
	}
	set := new(termSet)
	if n.text == "*" || n.text == "/" {
		for _, t := range left {
			set.add(t)
		}
	}
	switch n.text {
	case "*":
		for _, t := range right {
			set.add(t)
		}
	case "/":
		left = together(left)
	case "%in%":
		right = together(right)
	}
	return set, s.product(set, n.pos, left, right)
}

// together makes one term of all variables of some terms.
func together(terms []term) []term {
	if len(terms) == 0 {
		return nil
	}
	var all term
	for _, t := range terms {
		all = all.union(t)
	}
	return []term{all}
}

// product adds every term of left with every term of right.
func (s *selector) product(set *termSet, pos int, left, right []term) error {
	if s.work += len(left) * len(right); s.work > maxTerms {
		return s.fail(pos, fmt.Sprintf("the formula makes more than %d terms", maxTerms), "cross fewer columns")
	}
	for _, t := range left {
		for _, u := range right {
			set.add(t.union(u))
		}
	}
	return nil
}

// inner evaluates an operand of a crossing, where offsets have no place.
func (s *selector) inner(n *node, added bool) ([]term, error) {
	s.crossing++
	set, err := s.terms(n, added)
	s.crossing--
	if err != nil {
		return nil, err
	}
	return set.live(), nil
}

// maxPower is the largest exponent of a crossing.
const maxPower = 20

// crossed evaluates (a + b)^k: all crossings of k terms at most.
func (s *selector) crossed(n *node, added bool) (*termSet, error) {
	k, ok := n.args[1].number()
	if !ok || k < 1 || k > maxPower || k != float64(int(k)) {
		return nil, s.fail(n.args[1].pos, fmt.Sprintf("the power of terms is a whole number from 1 to %d", maxPower),
			"a square of numbers is written I(x^2)")
	}
	base, err := s.inner(n.args[0], added)
	if err != nil {
		return nil, err
	}
	set := new(termSet)
	for _, t := range base {
		set.add(t)
	}
	for range int(k) - 1 {
		next := new(termSet)
		if err := s.product(next, n.pos, base, set.live()); err != nil {
			return nil, err
		}
		if len(next.terms) == len(set.terms) {
			break
		}
		set = next
	}
	return set, nil
}
