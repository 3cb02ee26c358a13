package spec

import (
	"regexp"
	"strings"
)

// A template is text with expressions in double braces:
//
//	{{ env.NAME }}    an environment variable
//	{{ vars.NAME }}   a variable of the spec
//	{{ today }}       the date of the run, 2006-01-02
//	{{ 'text' }}      literal text, or a number
//
// each optionally followed by | default(X), where X is again one of these and
// is used if the left side is not set or empty.

// part is a piece of a template: literal text, or an expression.
type part struct {
	literal string
	expr    *expr
	at      int // byte offset in the text
}

// expr is one expression of a template.
type expr struct {
	source   string // env, vars, today or text
	name     string // the variable's name, or the text
	fallback *expr
}

// templateError is a fault of a template at a byte offset of its text.
type templateError struct {
	at            int
	message, hint string
}

const templateHint = "write {{ env.NAME }}, {{ vars.NAME }}, {{ today }} or {{ 'text' }}, optionally followed by | " +
	"default('text')"

var (
	varName    = regexp.MustCompile(`^(env|vars)\.([A-Za-z_][A-Za-z0-9_]*)`)
	numberText = regexp.MustCompile(`^[-+]?[0-9][0-9.eE+-]*`)
)

// parseTemplate splits text at its expressions. Text without {{ is one literal.
func parseTemplate(text string) ([]part, *templateError) {
	var parts []part
	at := 0
	for {
		open := strings.Index(text[at:], "{{")
		if open < 0 {
			if at < len(text) || len(parts) == 0 {
				parts = append(parts, part{literal: text[at:], at: at})
			}
			return parts, nil
		}
		if open > 0 {
			parts = append(parts, part{literal: text[at : at+open], at: at})
		}
		s := &exprScanner{text: text, at: at + open + 2}
		e := s.expression()
		s.expect("}}")
		if s.fault != nil {
			if s.fault.message == "" {
				s.fault.message = "this template cannot be read"
			}
			return nil, s.fault
		}
		parts = append(parts, part{expr: e, at: at + open})
		at = s.at
	}
}

// exprScanner reads one expression; the first fault stays.
type exprScanner struct {
	text  string
	at    int
	fault *templateError
}

func (s *exprScanner) fail(at int, message string) {
	if s.fault == nil {
		s.fault = &templateError{at: at, message: message, hint: templateHint}
	}
}

func (s *exprScanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// take skips space and then word, if that comes next.
func (s *exprScanner) take(word string) bool {
	s.space()
	if !strings.HasPrefix(s.text[s.at:], word) {
		return false
	}
	s.at += len(word)
	return true
}

func (s *exprScanner) expect(word string) {
	if s.fault == nil && !s.take(word) {
		s.fail(s.at, "template: "+word+" is missing here")
	}
}

// expression reads primary ["|" "default" "(" primary ")"].
func (s *exprScanner) expression() *expr {
	e := s.primary()
	if s.fault == nil && s.take("|") {
		if !s.take("default") {
			s.fail(s.at, "template: default(…) is the only filter")
			return e
		}
		s.expect("(")
		e.fallback = s.primary()
		s.expect(")")
	}
	return e
}

func (s *exprScanner) primary() *expr {
	s.space()
	rest := s.text[s.at:]
	if m := varName.FindStringSubmatch(rest); m != nil {
		s.at += len(m[0])
		return &expr{source: m[1], name: m[2]}
	}
	if m := numberText.FindString(rest); m != "" {
		s.at += len(m)
		return &expr{source: "text", name: m}
	}
	if rest != "" && (rest[0] == '\'' || rest[0] == '"') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			s.at += end + 2
			return &expr{source: "text", name: rest[1 : end+1]}
		}
		s.fail(s.at, "template: the quote is not closed")
		return &expr{}
	}
	word := regexp.MustCompile(`^[A-Za-z_.-]*`).FindString(rest)
	if word == "today" {
		s.at += len(word)
		return &expr{source: "today"}
	}
	if word == "" {
		s.fail(s.at, "template: a value is missing here")
	} else {
		s.fail(s.at, "template: "+quote(word)+" is unknown here")
	}
	return &expr{}
}
