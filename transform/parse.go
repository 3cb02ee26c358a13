package transform

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

type nodeKind int

const (
	nodeName   nodeKind = iota // a column
	nodeDot                    // every column that is not used elsewhere
	nodeGlob                   // the columns that match text
	nodeNumber                 // text holds the digits
	nodeString                 // text in quotes
	nodeCall                   // function text with args
	nodeSum                    // args with signs
	nodeBinary                 // operator text between two args
	nodeNot                    // ! of one argument
	nodeParen                  // one argument in parentheses
)

// node is a part of a formula as written. Sums are kept flat, so that a formula
// that names thousands of columns is not deep.
type node struct {
	kind  nodeKind
	text  string
	pos   int
	args  []*node
	minus []bool   // nodeSum: whether args[i] is subtracted
	names []string // nodeCall: the name of args[i] where it has one (raw = TRUE)
}

// maxFormula and maxNesting bound the work that a hostile formula can ask for.
const (
	maxFormula = 1 << 20
	maxNesting = 100
)

// The binding powers of R's operators (?Syntax), weakest first. ParseFormula handles the tilde, which never reaches
// the operator loop.
var binding = map[string]int{
	"|": 1, "||": 1,
	"&": 2, "&&": 2,
	"<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4,
	"+": 5, "-": 5,
	"*": 6, "/": 6,
	":": 8,
	"^": 10, "**": 10,
}

const (
	bindingNot        = 3 // !, weaker than comparisons, stronger than &
	bindingComparison = 4
	bindingIn         = 7 // %in% and its kind
	bindingUnary      = 9 // unary minus: weaker than ^, stronger than :
)

// parser is a precedence-climbing parser over one token of lookahead.
type parser struct {
	lexer   lexer
	token   token
	nesting int
}

func (p *parser) advance() error {
	t, err := p.lexer.next()
	p.token = t
	return err
}

func (p *parser) fail(pos int, message, hint string) error {
	return p.lexer.fail(pos, message, hint)
}

func (p *parser) at(operator string) bool {
	return p.token.kind == tokenOperator && p.token.text == operator
}

// power is the binding power of the token as an infix operator, 0 if it is another token.
func (p *parser) power() int {
	if p.token.kind != tokenOperator {
		return 0
	}
	if p.token.text[0] == '%' {
		return bindingIn
	}
	return binding[p.token.text]
}

// expression parses operators that bind more strongly than floor.
func (p *parser) expression(floor int) (*node, error) {
	p.nesting++
	defer func() { p.nesting-- }()
	if p.nesting > maxNesting {
		return nil, p.fail(p.token.pos, "the formula is nested too deeply", "")
	}
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	for {
		power := p.power()
		if power <= floor {
			return left, nil
		}
		operator := p.token
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.token.kind == tokenEnd || p.at(")") || p.at("~") {
			return nil, p.fail(p.token.pos, fmt.Sprintf("an operand is missing after %q", operator.text),
				missingOperandHint(operator.text))
		}
		if power == bindingComparison && left.compares() {
			return nil, p.fail(operator.pos, "comparisons do not chain", "write (a < b) & (b < c)")
		}
		if power == binding["^"] {
			power-- // R's powers group from the right
		}
		right, err := p.expression(power)
		if err != nil {
			return nil, err
		}
		left = join(left, operator, right)
	}
}

func missingOperandHint(operator string) string {
	if operator == "*" {
		return "a glob's star touches its name: x*"
	}
	return ""
}

// join makes one node of two operands. Sums grow in place.
func join(left *node, operator token, right *node) *node {
	if operator.text != "+" && operator.text != "-" {
		return &node{kind: nodeBinary, text: operator.text, pos: operator.pos, args: []*node{left, right}}
	}
	if left.kind != nodeSum {
		left = &node{kind: nodeSum, pos: left.pos, args: []*node{left}, minus: []bool{false}}
	}
	left.args = append(left.args, right)
	left.minus = append(left.minus, operator.text == "-")
	return left
}

// operand parses a name, a number, a call, a parenthesis or a signed operand.
func (p *parser) operand() (*node, error) {
	t := p.token
	switch {
	case t.kind == tokenName:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !t.quoted && p.at("(") {
			return p.call(t)
		}
		if !t.quoted && t.text == "." {
			return &node{kind: nodeDot, text: ".", pos: t.pos}, nil
		}
		return &node{kind: nodeName, text: t.text, pos: t.pos}, nil
	case t.kind == tokenGlob:
		return &node{kind: nodeGlob, text: t.text, pos: t.pos}, p.advance()
	case t.kind == tokenNumber:
		return &node{kind: nodeNumber, text: t.text, pos: t.pos}, p.advance()
	case t.kind == tokenString:
		return &node{kind: nodeString, text: t.text, pos: t.pos}, p.advance()
	case p.at("("):
		return p.parenthesis()
	case p.at("-") || p.at("+"):
		return p.signed(t)
	case p.at("!"):
		return p.not(t)
	case t.kind == tokenEnd:
		return nil, p.fail(t.pos, "the formula ends where a term is expected", "")
	case p.at("*"):
		return nil, p.fail(t.pos, `an operand is missing before "*"`,
			`a pattern that does not end in its star is written glob("*_x")`)
	}
	return nil, p.fail(t.pos, fmt.Sprintf("a term is expected before %q", t.text), "")
}

func (p *parser) signed(sign token) (*node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	arg, err := p.expression(bindingUnary)
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeSum, pos: sign.pos, args: []*node{arg}, minus: []bool{sign.text == "-"}}, nil
}

func (p *parser) not(sign token) (*node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	arg, err := p.expression(bindingNot)
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeNot, text: "!", pos: sign.pos, args: []*node{arg}}, nil
}

func (p *parser) parenthesis() (*node, error) {
	open := p.token
	if err := p.advance(); err != nil {
		return nil, err
	}
	inner, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	return &node{kind: nodeParen, pos: open.pos, args: []*node{inner}}, p.closing(open)
}

func (p *parser) closing(open token) error {
	if p.at(")") {
		return p.advance()
	}
	if p.token.kind == tokenEnd {
		return p.fail(open.pos, `"(" is not closed`, "")
	}
	return p.fail(p.token.pos, fmt.Sprintf(`an operator or ")" is expected before %q`, p.token.text), "")
}

// call parses the arguments of function name, whose "(" is the current token.
func (p *parser) call(name token) (*node, error) {
	open := p.token
	p.lexer.calls++
	if err := p.advance(); err != nil {
		return nil, err
	}
	n := &node{kind: nodeCall, text: name.text, pos: name.pos}
	for !p.at(")") {
		if err := p.argument(n); err != nil {
			return nil, err
		}
		if !p.at(",") {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	p.lexer.calls--
	return n, p.closing(open)
}

// argument parses one argument of a call, with or without a name.
func (p *parser) argument(n *node) error {
	first := p.token
	arg, err := p.expression(0)
	if err != nil {
		return err
	}
	name := ""
	if p.at("=") && arg.kind == nodeName && first.text == arg.text {
		name = arg.text
		if err := p.advance(); err != nil {
			return err
		}
		if arg, err = p.expression(0); err != nil {
			return err
		}
	}
	n.args, n.names = append(n.args, arg), append(n.names, name)
	return nil
}

// compares reports whether the node is a comparison, parentheses apart.
func (n *node) compares() bool {
	return n.kind == nodeBinary && binding[n.text] == bindingComparison
}

// truth reports whether the node's value is true or false.
func (n *node) truth() bool {
	n = n.bare()
	return n.kind == nodeNot || n.kind == nodeBinary && 0 < binding[n.text] && binding[n.text] <= bindingComparison
}

// bare is the node inside any parentheses.
func (n *node) bare() *node {
	for n.kind == nodeParen {
		n = n.args[0]
	}
	return n
}

// label is R's spelling of an expression, as its deparse gives it: spaces
// around + - * and %in%, none around / ^ and :, numbers to 15 digits.
func (n *node) label() string {
	var b strings.Builder
	n.write(&b, rNumber)
	return b.String()
}

// exact is the expression written so that it reads back as the same numbers to the bit.
// Equal texts are equal expressions.
func (n *node) exact() string {
	var b strings.Builder
	n.write(&b, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	return b.String()
}

func (n *node) write(b *strings.Builder, number func(float64) string) {
	switch n.kind {
	case nodeName:
		b.WriteString(quoteName(n.text))
	case nodeNumber:
		b.WriteString(number(parse(n.text)))
	case nodeString:
		b.WriteString(strconv.Quote(n.text))
	case nodeParen:
		b.WriteByte('(')
		n.args[0].write(b, number)
		b.WriteByte(')')
	case nodeSum:
		n.writeSum(b, number)
	case nodeBinary:
		n.args[0].write(b, number)
		switch {
		case n.text == "**":
			b.WriteByte('^')
		case n.text == "*" || n.text[0] == '%' || 0 < binding[n.text] && binding[n.text] <= bindingComparison:
			b.WriteString(" " + n.text + " ")
		default:
			b.WriteString(n.text)
		}
		n.args[1].write(b, number)
	case nodeNot:
		b.WriteByte('!')
		n.args[0].write(b, number)
	case nodeCall:
		n.writeCall(b, number)
	default: // . and globs
		b.WriteString(n.text)
	}
}

func (n *node) writeSum(b *strings.Builder, number func(float64) string) {
	for i, arg := range n.args {
		sign := "+"
		if n.minus[i] {
			sign = "-"
		}
		switch {
		case i > 0:
			b.WriteString(" " + sign + " ")
		case len(n.args) == 1 || n.minus[i]:
			b.WriteString(sign)
		}
		arg.write(b, number)
	}
}

func (n *node) writeCall(b *strings.Builder, number func(float64) string) {
	b.WriteString(n.text + "(")
	for i, arg := range n.args {
		if i > 0 {
			b.WriteString(", ")
		}
		if n.names[i] != "" {
			b.WriteString(quoteName(n.names[i]) + " = ")
		}
		arg.write(b, number)
	}
	b.WriteByte(')')
}

// rNumber writes a number as R's as.character does: the fewest digits, 15 at
// most, that give the same 15-digit value, and an exponent only where that is
// shorter. It names the levels of factor(x) too.
func rNumber(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	}
	const most = 15
	want := parse(strconv.FormatFloat(v, 'e', most-1, 64))
	digits := 1
	for digits < most && parse(strconv.FormatFloat(v, 'e', digits-1, 64)) != want {
		digits++
	}
	scientific := strconv.FormatFloat(v, 'e', digits-1, 64)
	exponent, _ := strconv.Atoi(scientific[strings.IndexByte(scientific, 'e')+1:])
	fixed := strconv.FormatFloat(v, 'f', max(0, digits-1-exponent), 64)
	if len(fixed) <= len(scientific) {
		return fixed
	}
	return scientific
}
