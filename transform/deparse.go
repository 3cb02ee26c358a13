package transform

import (
	"math"
	"strconv"
	"strings"
)

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
