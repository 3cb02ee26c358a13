package spec

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The plain scalars of YAML 1.2's core schema. goccy/go-yaml resolves those of
// YAML 1.1 in part (010 is octal, 1e3 is text), so the text is read again here.
var (
	intText   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	otherBase = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+|b[01]+)$`)
	floatText = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	nonFinite = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// plain makes the node of unquoted text.
func plain(text string) *node {
	n := &node{text: text, kind: stringKind}
	switch {
	case text == "" || text == "~" || text == "null" || text == "Null" || text == "NULL":
		n.kind = nullKind
	case isBool(text):
		n.kind = boolKind
	case intText.MatchString(text) || otherBase.MatchString(text):
		n.kind = intKind
	case floatText.MatchString(text) || nonFinite.MatchString(text):
		n.kind = floatKind
	}
	return n
}

func isBool(text string) bool {
	switch text {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return true
	}
	return false
}

// Errors of numbers that are not taken; each is also the message's end.
var (
	errWrongKind = errors.New("wrong kind")
	errFraction  = errors.New("is not an integer")
	errLeading   = errors.New("has a leading zero, which some programs read as octal")
	errBase      = errors.New("is not a decimal number")
	errRange     = errors.New("is out of range")
	errFinite    = errors.New("is not a finite number")
)

// number reads n as a finite float64.
func (n *node) number() (float64, error) {
	k := n.kind
	if n.soft {
		k = plain(n.text).kind
	}
	switch {
	case k != intKind && k != floatKind:
		return 0, errWrongKind
	case nonFinite.MatchString(n.text):
		return 0, errFinite
	case otherBase.MatchString(n.text):
		return 0, errBase
	case k == intKind && leadingZero(n.text):
		return 0, errLeading
	}
	x, err := strconv.ParseFloat(n.text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, errRange
	}
	return x, nil
}

// integer reads n as an integer. 2e4 and 4.0 are integers, 4.5 is not.
func (n *node) integer() (int64, error) {
	x, err := n.number()
	if err != nil {
		return 0, err
	}
	if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
		return i, nil
	}
	switch {
	case x != math.Trunc(x):
		return 0, errFraction
	case math.Abs(x) > 1<<53:
		return 0, errRange
	}
	return int64(x), nil
}

// unsigned reads n as an integer of 64 bits without sign.
func (n *node) unsigned() (uint64, error) {
	if i, err := n.integer(); err == nil && i >= 0 {
		return uint64(i), nil
	} else if err != nil && err != errRange {
		return 0, err
	}
	u, err := strconv.ParseUint(n.text, 10, 64)
	if err != nil {
		return 0, errRange
	}
	return u, nil
}

// boolean reads n as true or false.
func (n *node) boolean() (bool, error) {
	if n.kind == boolKind || n.soft && isBool(n.text) {
		return strings.EqualFold(n.text, "true"), nil
	}
	return false, errWrongKind
}

func leadingZero(text string) bool {
	digits := strings.TrimLeft(text, "+-")
	return len(digits) > 1 && digits[0] == '0'
}

// quote puts text in quotes for a message, shortened if it is long.
func quote(text string) string {
	if r := []rune(text); len(r) > 80 {
		text = string(r[:80]) + "…"
	}
	return strconv.Quote(text)
}
