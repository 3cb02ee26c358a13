package transform

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// bound begins the formula of several responses with the same terms.
var bound = regexp.MustCompile(`^\s*mvbind\s*\(`)

// boundInside begins the same within bf().
var boundInside = regexp.MustCompile(`^\s*(?:bf|brmsformula)\s*\(\s*mvbind\s*\(`)

// residuals matches set_rescor(), which may follow the formulas of several responses.
var residuals = regexp.MustCompile(`\s*\+\s*set_rescor\s*\(\s*(?:rescor\s*=\s*)?(TRUE|T|FALSE|F|)\s*\)\s*$`)

// CorrelatedResiduals reports whether set_rescor(TRUE) follows the formulas of several responses.
func CorrelatedResiduals(s string) bool {
	m := residuals.FindStringSubmatch(s)
	return m != nil && !strings.HasPrefix(m[1], "F") && SeveralResponses(s)
}

// withoutResiduals returns the formulas of several responses without set_rescor().
func withoutResiduals(s string) string {
	if at := residuals.FindStringIndex(s); at != nil && SeveralResponses(s[:at[0]]) {
		return s[:at[0]]
	}
	return s
}

// OfResponse is the formula of one of several responses.
type OfResponse struct {
	Name string // of the response: its column, or letters and digits of an expression
	Text string // that ParseFormula reads
	*Formula
}

// nameless matches what a name of a response does not have.
var nameless = regexp.MustCompile(`[^\p{L}\p{N}_.]+`)

// ParseResponses parses the formulas of several responses: mvbind(a, b) ~ x, or bf(a ~ x, sigma ~ z) + bf(b ~ z), which
// set_rescor() may follow, see CorrelatedResiduals. The formula of one response is one of them. Errors are of type
// *FormulaError.
func ParseResponses(s string) (out []OfResponse, err error) {
	var parts []argument
	text := withoutResiduals(s)
	switch {
	case bound.MatchString(text):
		parts, err = boundResponses(text)
	case boundInside.MatchString(text):
		parts, err = boundResponses(inside(text))
	case several.MatchString(text):
		parts, err = addedResponses(text)
	default:
		parts = []argument{{0, s}}
	}
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		f, err := ParseFormula(part.text)
		if fault, is := errors.AsType[*FormulaError](err); is {
			at := *fault
			inside := max(0, strings.Index(part.text, fault.Formula)) // of bf()
			at.Formula, at.Pos = s, min(part.pos+inside+fault.Pos, len(s))
			return nil, &at
		}
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(f.source, "~")
		name, _, _ = strings.Cut(name, "|")
		name = nameless.ReplaceAllString(name, "")
		if slices.ContainsFunc(out, func(r OfResponse) bool { return r.Name == name }) {
			return nil, &FormulaError{Formula: s, Pos: part.pos, Err: fmt.Errorf("the response %s has two formulas", name)}
		}
		out = append(out, OfResponse{name, strings.TrimSpace(part.text), f})
	}
	return out, nil
}

// inside returns what bf() of a text has in it, in its place.
func inside(s string) string {
	open := strings.IndexByte(s, '(') + 1
	_, end := arguments(s, open)
	if end < 0 {
		end = len(s)
	}
	return strings.Repeat(" ", open) + s[open:end]
}

// boundResponses makes a formula of each response of mvbind(a, b) ~ x.
func boundResponses(s string) ([]argument, error) {
	responses, end := arguments(s, strings.IndexByte(s, '(')+1)
	if end < 0 || len(responses) < 2 || !strings.HasPrefix(strings.TrimLeft(s[end+1:], " \t\n"), "~") {
		return nil, &FormulaError{Formula: s, Pos: max(0, end), Err: words.Hint(errors.New("mvbind() has two responses or "+
			"more, and ~ follows it"), "write mvbind(a, b) ~ x")}
	}
	for i := range responses {
		responses[i].text = "bf(" + strings.TrimSpace(responses[i].text) + s[end+1:] + ")"
	}
	return responses, nil
}

// addedResponses cuts bf(…) + bf(…) into its parts.
func addedResponses(s string) (out []argument, err error) {
	for from := 0; ; {
		_, end := arguments(s, from+strings.IndexByte(s[from:], '(')+1)
		if end < 0 {
			return append(out, argument{from, s[from:]}), nil // ParseFormula reports it
		}
		rest := s[end+1:]
		next, added := strings.CutPrefix(strings.TrimLeft(rest, " \t\n"), "+")
		next = strings.TrimLeft(next, " \t\n")
		if !added || !several.MatchString(next) {
			return append(out, argument{from, s[from:]}), nil
		}
		out = append(out, argument{from, s[from : end+1]})
		from = len(s) - len(next)
	}
}

// SeveralResponses reports whether a formula has several responses, or is meant to.
func SeveralResponses(s string) bool {
	if bound.MatchString(s) || boundInside.MatchString(s) {
		return true
	}
	_, end := arguments(s, strings.IndexByte(s, '(')+1)
	return several.MatchString(s) && end >= 0 && strings.HasPrefix(strings.TrimLeft(s[end+1:], " \t\n"), "+")
}
