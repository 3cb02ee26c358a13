package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/internal/words"
)

// Derived is an expression over the parameters of a model, such as "glu - bmi",
// "exp(10 * glu)" or "mean(age = 40, race = 'white')", in the notation of
// formulas. It is read-only.
//
// A name is a parameter's, in backquotes unless it is a plain word (a:b needs none). The operators are + - * / ^,
// comparisons and & | ! with the values 0 and 1, the functions of one number that formulas have, inverse links, min
// and max. linear_predictor() and mean() are of a point of the data, with every variable of the formula given in
// the units of the data; mean() is the inverse link of the linear predictor: the mean of a response, for binomial
// the probability of one trial. average() is the mean of mean() over the rows of the data, with the variables that
// it is given at these values in every row.
type Derived struct {
	source string
	root   *node
}

// String returns the expression as it was written.
func (d *Derived) String() string { return d.source }

// MarshalText writes the expression as it was written.
func (d *Derived) MarshalText() ([]byte, error) { return []byte(d.source), nil }

// points are the functions of a point of the data, and average that of all its rows.
var points = []string{"linear_predictor", "mean"}

const average = "average"

// extremes are functions of one number or more.
var extremes = []string{"max", "min"}

// backquotes is the hint for names that are not plain words.
const backquotes = "put backquotes around a parameter's name that is not a plain word: `(Intercept)`, `poly(age, 2)1`"

// ParseDerived reads an expression. Bind looks up its names. Errors are of type *FormulaError.
func ParseDerived(source string) (*Derived, error) {
	d, err := parseDerived(source)
	if err != nil {
		return nil, err
	}
	reads := false
	if err := d.check(d.root, &reads); err != nil {
		return nil, err
	}
	if !reads {
		return nil, d.fail(0, "the expression reads no parameter", "name one, or leave it out")
	}
	return d, nil
}

// parseDerived reads an expression, whose names and functions are not looked at.
func parseDerived(source string) (*Derived, error) {
	p := &parser{lexer: lexer{src: source, calls: 1}} // no globs
	if len(source) > maxFormula {
		return nil, &FormulaError{
			Formula: source[:40],
			Err:     fmt.Errorf("an expression of %d bytes is longer than the limit of %d", len(source), maxFormula),
		}
	}
	if strings.TrimSpace(source) == "" {
		return nil, p.fail(0, "the expression is empty", "for example glu - bmi")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenEnd {
		return nil, p.fail(p.token.pos, fmt.Sprintf("an operator is expected before %q", p.token.text), backquotes)
	}
	return &Derived{source: source, root: n.joined()}, nil
}

func (d *Derived) fail(pos int, message, hint string) error {
	return &FormulaError{Formula: d.source, Pos: pos, Err: words.Hint(errors.New(message), hint)}
}

// joined returns the node with names that colons join made one: the names of
// interactions' coefficients.
func (n *node) joined() *node {
	for i, arg := range n.args {
		n.args[i] = arg.joined()
	}
	if n.kind == nodeBinary && n.text == ":" && n.args[0].kind == nodeName && n.args[1].kind == nodeName {
		return &node{kind: nodeName, text: n.args[0].text + ":" + n.args[1].text, pos: n.args[0].pos}
	}
	return n
}

// check refuses what is not an expression of numbers, and notes whether it reads
// a parameter.
func (d *Derived) check(n *node, reads *bool) error {
	switch n.kind {
	case nodeName:
		*reads = true
	case nodeNumber:
		if v := parse(n.text); v-v != 0 {
			return d.fail(n.pos, n.text+" is not a number that float64 holds", "")
		}
	case nodeString:
		return d.fail(n.pos, fmt.Sprintf("%q is text in quotes, not a number", n.text), backquotes)
	case nodeDot:
		return d.fail(n.pos, `"." stands for no parameter`, backquotes)
	case nodeBinary:
		if operations[n.text] == nil {
			hint := "there are + - * / ^, comparisons, & | ! and parentheses"
			if n.text == "&&" || n.text == "||" {
				hint = "write " + n.text[:1]
			}
			return d.fail(n.pos, fmt.Sprintf("%s has no meaning between numbers", n.text), hint)
		}
	case nodeCall:
		if slices.Contains(points, n.text) || n.text == average {
			*reads = true
			return d.point(n)
		}
		if err := d.function(n); err != nil {
			return err
		}
	}
	for _, arg := range n.args {
		if err := d.check(arg, reads); err != nil {
			return err
		}
	}
	return nil
}

// function checks a call of a function of numbers.
func (d *Derived) function(n *node) error {
	several := slices.Contains(extremes, n.text)
	if derivedFunctions[n.text] == nil && !several {
		hint := UnknownHint(n.text, "functions", derivedNames())
		if hint == "" || elsewhere[n.text] != "" || slices.Contains(bases, n.text) || slices.Contains(factorCalls, n.text) {
			hint = backquotes
		}
		return d.fail(n.pos, fmt.Sprintf("there is no function %q of parameters", n.text), hint)
	}
	for i, name := range n.names {
		if name != "" {
			return d.fail(n.args[i].pos, fmt.Sprintf("%s() takes numbers without names", n.text), "")
		}
	}
	if len(n.args) == 0 || len(n.args) > 1 && !several {
		return d.fail(n.pos, fmt.Sprintf("%s() takes one argument", n.text), "for example "+n.text+"(glu)")
	}
	return nil
}

// point checks the arguments of a function of a point: names with constants.
func (d *Derived) point(n *node) error {
	for i, arg := range n.args {
		if n.names[i] == "" {
			return d.fail(arg.pos, n.text+"() takes variables of the formula by name",
				fmt.Sprintf("for example %s(age = 40, race = 'white')", n.text))
		}
		if slices.Index(n.names, n.names[i]) < i {
			return d.fail(arg.pos, fmt.Sprintf("%s() is given %s twice", n.text, n.names[i]), "")
		}
		if arg.constant() == nil {
			return d.fail(arg.pos, fmt.Sprintf("%s in %s() is a number, text in quotes, TRUE or FALSE", n.names[i], n.text), "")
		}
	}
	return nil
}

// constant is the value of a number (float64), of text in quotes (string) or of
// TRUE and FALSE (bool); nil for anything else.
func (n *node) constant() any {
	if v, ok := n.number(); ok {
		return v
	}
	if v, ok := n.boolean(); ok {
		return v
	}
	if n.kind == nodeString {
		return n.text
	}
	return nil
}

// derivedFunctions are functions of one number: those of formulas, with NaN
// instead of an error where they have no value, and inverse links.
var derivedFunctions = map[string]func(x float64) float64{
	"exp": defined(exponential, math.Inf(-1)), "sqrt": math.Sqrt, "abs": math.Abs,
	"log": defined(positive(naturalLog), 0), "log2": defined(positive(log2), 0), "log10": defined(positive(log10), 0),
	"log1p":    defined(log1p, -1),
	"logistic": family.Logit.Inverse, "plogis": family.Logit.Inverse, "pnorm": family.Probit.Inverse,
	"pcauchy": family.Cauchit.Inverse, "inv_cloglog": family.Cloglog.Inverse,
}

// defined is f from low on and NaN elsewhere.
func defined(f func(float64) float64, low float64) func(float64) float64 {
	return func(x float64) float64 {
		if !(x >= low) {
			return math.NaN()
		}
		return f(x)
	}
}

// derivedNames lists the functions of derived quantities.
func derivedNames() []string {
	names := append(append(slices.Clone(points), average), extremes...)
	//maporder:ok the names are sorted before they are looked at
	for name := range derivedFunctions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
