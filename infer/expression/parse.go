package expression

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Error is a fault of an expression.
type Error struct {
	Source string
	Pos    int // byte, from 0
	Reason string
	Hint   string
}

// Error names the character, counted from 1, and the text from there on.
func (e *Error) Error() string {
	text := fmt.Sprintf("character %d: %s", Character(e.Source, e.Pos), e.Reason)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// Character returns the place of a byte of a text in characters, from 1.
func Character(source string, pos int) int { return len([]rune(source[:min(pos, len(source))])) + 1 }

// Limits of an expression.
const (
	maxBytes   = 16 << 10
	maxNesting = 200
	maxNodes   = 4096
)

// Tree is an expression that has been read.
type Tree struct {
	source string
	root   *term
}

// term is a number, a name, or a function of terms; operators are functions too.
type term struct {
	pos    int
	text   string // of a name or a function
	number float64
	call   bool
	named  bool
	args   []*term
}

// binding is how strongly operators hold, as in R.
var binding = map[string]int{"|": 1, "&": 2, "<": 4, ">": 4, "<=": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5,
	"*": 6, "/": 6, "^": 8}

const (
	bindingNot     = 3
	bindingCompare = 4
	bindingMinus   = 7
)

// parser has one token of lookahead, from pos to end; an empty one is the end of the text.
type parser struct {
	source   string
	pos, end int
	quoted   bool
	depth    int
}

// Parse reads an expression. Errors are of type *Error.
func Parse(source string) (*Tree, error) {
	p := &parser{source: source}
	if len(source) > maxBytes {
		return nil, p.fail(0, fmt.Sprintf("an expression has at most %d bytes", maxBytes), "")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	root, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.token() != "" {
		return nil, p.fail(p.pos, fmt.Sprintf("an operator is expected before %q", p.token()), "")
	}
	return &Tree{source, root}, nil
}

func (p *parser) fail(pos int, reason, hint string) error {
	return &Error{Source: p.source, Pos: pos, Reason: reason, Hint: hint}
}

func (p *parser) token() string { return p.source[p.pos:p.end] }

// Letters beyond ASCII are letters here.
func startsName(c rune) bool { return c == '_' || c|' ' >= 'a' && c|' ' <= 'z' || c > 0x7f }
func inName(c rune) bool     { return startsName(c) || inNumber(c) }
func inNumber(c rune) bool   { return c == '.' || c >= '0' && c <= '9' }

// first returns the first character of a text; 0 of none.
func first(text string) rune {
	for _, c := range text {
		return c
	}
	return 0
}

// advance moves to the next token.
func (p *parser) advance() error {
	rest := strings.TrimLeft(p.source[p.end:], " \t\r\n")
	p.pos = len(p.source) - len(rest)
	p.quoted = false
	begin, size := first(rest), 1
	while := func(in func(rune) bool) int {
		return len(rest) - len(strings.TrimLeftFunc(rest, in))
	}
	switch {
	case rest == "":
		size = 0
	case begin == '`':
		closing := strings.IndexByte(rest[1:], '`')
		if closing < 1 {
			return p.fail(p.pos, "a backquote is not closed", "")
		}
		size, p.quoted = closing+2, true
	case startsName(begin):
		size = while(inName)
	case inNumber(begin):
		size = while(inNumber)
		if exponent := rest[size:]; exponent != "" && (exponent[0] == 'e' || exponent[0] == 'E') {
			signed := strings.TrimLeft(exponent[1:], "+-")
			if digits := len(signed) - len(strings.TrimLeft(signed, "0123456789")); digits > 0 && len(exponent)-len(signed) < 3 {
				size += len(exponent) - len(signed) + digits
			}
		}
	case len(rest) > 1 && slices.Contains([]string{"<=", ">=", "==", "!=", "**", "&&", "||"}, rest[:2]):
		size = 2
	case !strings.ContainsRune("+-*/^<>!&|(),", begin):
		return p.fail(p.pos, fmt.Sprintf("%q is not part of an expression", begin),
			"there are + - * / ^, comparisons, & | ! and functions")
	}
	p.end = p.pos + size
	return nil
}

// operator returns the operator at the token, and how strongly it holds; 0 of others.
func (p *parser) operator() (string, int) {
	text := p.token()
	switch text {
	case "**":
		text = "^"
	case "&&", "||":
		text = text[:1]
	}
	return text, binding[text]
}

// expression reads operators that hold more strongly than floor.
func (p *parser) expression(floor int) (*term, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, p.fail(p.pos, "the expression is nested too deeply", "")
	}
	defer func() { p.depth-- }()
	left, err := p.operand()
	for err == nil {
		pos := p.pos
		text, power := p.operator()
		if power <= floor {
			return left, nil
		}
		if power == bindingCompare && left.call && binding[left.text] == bindingCompare && len(left.args) == 2 {
			return nil, p.fail(pos, "comparisons do not chain", "write (a < b) & (b < c)")
		}
		if err = p.advance(); err != nil {
			break
		}
		if text == "^" {
			power = bindingMinus - 1 // powers group from the right, and take a sign
		}
		var right *term
		if right, err = p.expression(power); err == nil {
			left = &term{pos: pos, text: text, call: true, args: []*term{left, right}}
		}
	}
	return nil, err
}

// operand reads a number, a name, a call, a parenthesis or a signed operand.
func (p *parser) operand() (*term, error) {
	pos, text := p.pos, p.token()
	begin := first(text)
	switch {
	case text == "":
		return nil, p.fail(pos, "the expression ends where a number is expected", "")
	case text == "-" || text == "+" || text == "!":
		power := bindingMinus
		if text == "!" {
			power = bindingNot
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		arg, err := p.expression(power)
		if err != nil || text == "+" {
			return arg, err
		}
		return &term{pos: pos, text: text, call: true, args: []*term{arg}}, nil
	case text == "(":
		list, err := p.list(pos)
		if err == nil && len(list) != 1 {
			err = p.fail(pos, "a parenthesis holds one expression", "")
		}
		if err != nil {
			return nil, err
		}
		return list[0], nil
	case inNumber(begin):
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, p.fail(pos, text+" is not a number", "")
		}
		return &term{pos: pos, number: v}, p.advance()
	case !p.quoted && !startsName(begin):
		return nil, p.fail(pos, fmt.Sprintf("a number is expected before %q", text), "")
	}
	out := &term{pos: pos, text: strings.Trim(text, "`"), named: true}
	quoted := p.quoted
	if err := p.advance(); err != nil || quoted || p.token() != "(" {
		return out, err
	}
	out.named, out.call = false, true
	var err error
	if out.args, err = p.list(p.pos); err == nil && out.text == "pi" && len(out.args) == 0 {
		out = &term{pos: pos, number: math.Pi}
	}
	return out, err
}

// list reads expressions up to the parenthesis that closes the one at the token.
func (p *parser) list(open int) (out []*term, err error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	for p.token() != ")" {
		one, err := p.expression(0)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
		switch p.token() {
		case ")":
			continue
		case "":
			return nil, p.fail(open, `"(" is not closed`, "")
		case ",":
			if err := p.advance(); err != nil {
				return nil, err
			}
		default:
			return nil, p.fail(p.pos, fmt.Sprintf("an operator or ) is expected before %q", p.token()), "")
		}
	}
	return out, p.advance()
}

// Name is a name with its place in the text.
type Name struct {
	Text string
	Pos  int
}

// Names returns the names that the expression reads, in the order of the text.
func (t *Tree) Names() (names []Name) {
	var visit func(*term)
	visit = func(n *term) {
		if n.named {
			names = append(names, Name{n.text, n.pos})
		}
		for _, arg := range n.args {
			visit(arg)
		}
	}
	visit(t.root)
	slices.SortFunc(names, func(a, b Name) int { return a.Pos - b.Pos })
	return names
}
