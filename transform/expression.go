package transform

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Arithmetic functions of numbers, each of one argument; scale() has two more.
var functions = []string{"I", "log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "scale"}

// bases and factorCalls are functions that make several columns of one variable. They are terms by themselves: not
// inside another function.
var (
	bases       = []string{"poly", "ns", "bs", "s", processBasis}
	factorCalls = []string{"factor", "as.factor", "relevel", "cut", "weekday", "month", "mo", carCall, rwCall,
		covCall}
)

// variable is a variable of the model frame, in R's sense: a column, or a function of columns.
type variable struct {
	node    *node
	source  string   // the text that positions count in
	key     string   // its text to the bit: equal keys are one variable
	label   string   // R's spelling, which names its columns
	columns []string // what it reads, in order
	pos     int
	named   bool // written out, not found by . or a glob
}

func newVariable(n *node, label, source string) *variable {
	v := &variable{node: n, source: source, key: n.exact(), label: label, pos: n.pos}
	n.reads(func(column *node) { v.columns = append(v.columns, column.text) })
	return v
}

// plain reports whether the variable is a column as it is.
func (v *variable) plain() bool { return v.node.kind == nodeName }

// character counts the variable's place in characters from 1.
func (v *variable) character() int { return len([]rune(v.source[:min(v.pos, len(v.source))])) + 1 }

// argument returns the number that a function of several columns takes, and the
// call; a nil call for what makes one column.
func (v *variable) argument() (*node, *basisCall, error) {
	if v.node.kind == nodeCall && v.node.text == "cut" {
		call, err := (&selector{formula: &Formula{source: v.source}}).cut(v.node)
		if err != nil {
			return nil, nil, err
		}
		return call.x, nil, nil
	}
	if v.node.calendar() {
		return v.node.args[0], nil, nil
	}
	if v.node.kind != nodeCall || !slices.Contains(bases, v.node.text) {
		return v.node, nil, nil
	}
	call, err := (&selector{formula: &Formula{source: v.source}}).basis(v.node)
	if err != nil {
		return nil, nil, err
	}
	return call.x, call, nil
}

// reads visits the names of columns under a node, in the order of the text. The arguments after the x of scale() or
// a basis are settings, not columns.
func (n *node) reads(visit func(*node)) {
	if n.kind == nodeName {
		visit(n)
		return
	}
	settings := n.kind == nodeCall &&
		(n.isStructured() || n.text == "scale" || n.text == "relevel" || n.text == "cut" || slices.Contains(bases, n.text))
	x := 0
	if n.isStructured() {
		x = n.structuredLevels()
	} else if settings {
		x = slices.Index(n.names, "x")
		if x < 0 {
			x = slices.Index(n.names, "")
		}
	}
	for i, arg := range n.args {
		if !settings || i == x {
			arg.reads(visit)
		}
	}
}

// truth are R's words for true and false, as settings of a function.
var truth = map[string]bool{"TRUE": true, "FALSE": false, "T": true, "F": false}

// arithmetic checks an expression of numbers: what it is made of, and that it reads a column. Whether the columns
// exist is checked once they are known.
func (s *selector) arithmetic(n *node) error {
	if err := s.numbers(n); err != nil {
		return err
	}
	reads := false
	n.reads(func(*node) { reads = true })
	if !reads {
		return s.fail(n.pos, fmt.Sprintf("%s reads no column", n.label()), "name one, or leave it out")
	}
	return nil
}

// numbers checks one part of an expression of numbers.
func (s *selector) numbers(n *node) error {
	switch n.kind {
	case nodeName:
		return nil
	case nodeNumber:
		if v := parse(n.text); v-v != 0 {
			return s.fail(n.pos, n.text+" is not a number that float64 holds", "")
		}
		return nil
	case nodeDot, nodeGlob:
		return s.fail(n.pos, fmt.Sprintf("%q stands for many columns, and a function takes one", n.text),
			"name the columns: log(a) + log(b)")
	case nodeString:
		return s.fail(n.pos, fmt.Sprintf("%q is text in quotes, not a number", n.text), "put backquotes around column names")
	case nodeCall:
		return s.function(n)
	case nodeBinary:
		if n.comparesText() {
			return nil
		}
		if operations[n.text] == nil {
			hint := "arithmetic has + - * / ^, comparisons, & | ! and parentheses"
			if n.text == "&&" || n.text == "||" {
				hint = "write " + n.text[:1]
			}
			return s.fail(n.pos, fmt.Sprintf("%s has no meaning between numbers", n.text), hint)
		}
	}
	for _, arg := range n.args {
		if err := s.numbers(arg); err != nil {
			return err
		}
	}
	return nil
}

// function checks a call inside an expression of numbers.
func (s *selector) function(n *node) error {
	if slices.Contains(bases, n.text) || slices.Contains(factorCalls, n.text) {
		return s.fail(n.pos, n.text+"() is a term by itself, not part of a function or a product of numbers",
			"cross it with other terms by : or *")
	}
	if !slices.Contains(functions, n.text) {
		return s.unknownFunction(n)
	}
	formal := formalsOf(n.text)
	args, err := s.match(n, formal)
	if err != nil {
		return err
	}
	if args[0] == nil {
		return s.fail(n.pos, n.text+"() takes an argument", "for example "+n.text+"(x)")
	}
	for i, name := range formal[1:] {
		if args[i+1] == nil {
			continue
		}
		if _, isBool := args[i+1].boolean(); isBool && n.text == "scale" {
			continue
		}
		if v, ok := args[i+1].number(); n.text == "log" {
			if !ok || !(v > 0) || v == 1 {
				return s.fail(args[i+1].pos, "the base of log() is a number above 0 that is not 1", "for example log(x, base = 2)")
			}
		} else if !ok || name == "scale" && !(v > 0) {
			return s.fail(args[i+1].pos, fmt.Sprintf("%s of scale() is TRUE, FALSE or a number", name),
				"scale(x) takes off the mean and divides by the standard deviation")
		}
	}
	return s.numbers(args[0])
}

// formalsOf are the arguments of a function of numbers.
func formalsOf(function string) []string {
	switch function {
	case "scale":
		return []string{"x", "center", "scale"}
	case "log":
		return []string{"x", "base"}
	}
	return []string{"x"}
}

// comparesText reports whether the node asks if a column of text has a value.
func (n *node) comparesText() bool {
	if n.kind != nodeBinary || n.text != "==" && n.text != "!=" {
		return false
	}
	a, b := n.args[0].kind, n.args[1].kind
	return a == nodeName && b == nodeString || a == nodeString && b == nodeName
}

// match puts the arguments of a call under their formal names; nil stands for
// one that is not given.
func (s *selector) match(n *node, formal []string) ([]*node, error) {
	out := make([]*node, len(formal))
	for i, arg := range n.args {
		at := -1
		for j, name := range formal {
			if n.names[i] == name || n.names[i] == "" && out[j] == nil && at < 0 {
				at = j
			}
		}
		switch {
		case at < 0 && n.names[i] == "":
			hint := fmt.Sprintf("its arguments are %s", strings.Join(formal, ", "))
			return nil, s.fail(arg.pos, fmt.Sprintf("%s() takes %s", n.text, atMost(len(formal))), hint)
		case at < 0:
			return nil, s.fail(arg.pos, fmt.Sprintf("%s() has no argument %q", n.text, n.names[i]),
				UnknownHint(n.names[i], "arguments", formal))
		case out[at] != nil:
			return nil, s.fail(arg.pos, fmt.Sprintf("%s() is given %s twice", n.text, formal[at]), "")
		}
		out[at] = arg
	}
	return out, nil
}

func atMost(n int) string {
	if n == 1 {
		return "one argument"
	}
	return fmt.Sprintf("%d arguments at most", n)
}

// number returns the value of a number with or without a sign.
func (n *node) number() (float64, bool) {
	n = n.bare()
	switch {
	case n.kind == nodeNumber:
		v := parse(n.text)
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case n.kind == nodeSum && len(n.args) == 1:
		v, ok := n.args[0].number()
		if n.minus[0] {
			v = -v
		}
		return v, ok
	}
	return 0, false
}

// boolean returns the value of R's TRUE, FALSE, T or F.
func (n *node) boolean() (value, ok bool) {
	value, ok = truth[n.text]
	return value, ok && n.kind == nodeName
}

// vector returns the numbers of c(1, 2), or of one number.
func (n *node) vector() ([]float64, bool) {
	n = n.bare()
	if n.kind != nodeCall || n.text != "c" {
		v, ok := n.number()
		return []float64{v}, ok
	}
	var out []float64
	for i, arg := range n.args {
		v, ok := arg.number()
		if !ok || n.names[i] != "" {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}
