package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"glmbatch/internal/words"
)

type tokenKind int

const (
	tokenEnd      tokenKind = iota
	tokenName               // a plain word, r_g[level,term], or any text in backquotes
	tokenGlob               // a word with a star that belongs to it
	tokenNumber             // 0, 1, 2.5, 1e-3
	tokenString             // text in quotes
	tokenOperator           // ~ + - * / : ^ | & ! < > ( ) , = and R's %in%
)

// token is one word of a formula. Text is its meaning (unquoted), from pos to
// end its bytes in the source.
type token struct {
	kind     tokenKind
	text     string
	pos, end int
	quoted   bool // a name in backquotes: never a function, never "."
}

// lexer cuts a formula into tokens.
type lexer struct {
	src   string
	pos   int
	calls int // functions whose arguments are being read: no globs there
}

// pairs are the operators of two characters.
var pairs = []string{"**", "||", "&&", "<=", ">=", "==", "!="}

func (l *lexer) fail(pos int, message, hint string) *FormulaError {
	return &FormulaError{Formula: l.src, Pos: pos, Err: words.Hint(errors.New(message), hint)}
}

// next returns the token at the current position and moves past it.
func (l *lexer) next() (token, error) {
	l.space()
	start := l.pos
	if start == len(l.src) {
		return token{kind: tokenEnd, pos: start, end: start}, nil
	}
	r, size := utf8.DecodeRuneInString(l.src[start:])
	switch {
	case r == utf8.RuneError && size == 1:
		return token{}, l.fail(start, "the text is not UTF-8", "")
	case r == '`' || r == '"' || r == '\'':
		return l.quoted(r)
	case startsName(l.src[start:]):
		return l.name(), nil
	case r >= '0' && r <= '9' || r == '.':
		return l.number(), nil
	case r == '%':
		end := strings.IndexByte(l.src[start+1:], '%')
		if end < 0 {
			return token{}, l.fail(start, `"%" opens an operator that nothing closes`, "")
		}
		return l.operator(end + 2), nil
	case slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(l.src[start:], pair) }):
		return l.operator(2), nil
	case strings.ContainsRune("~+-*/:^|&!<>(),=", r):
		return l.operator(1), nil
	}
	return token{}, l.fail(start, fmt.Sprintf("unexpected character %q", r),
		"put backquotes around a column name that is not a plain word: `body mass`")
}

func (l *lexer) space() {
	for l.pos < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		l.pos += size
	}
}

func (l *lexer) operator(size int) token {
	t := token{kind: tokenOperator, text: l.src[l.pos : l.pos+size], pos: l.pos, end: l.pos + size}
	l.pos = t.end
	return t
}

// startsName reports whether s begins with one of R's names: a letter, or a dot
// that no digit follows.
func startsName(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	if r == '.' {
		return size == len(s) || s[size] < '0' || s[size] > '9'
	}
	return unicode.IsLetter(r)
}

// inName reports whether r may appear in a name after its first character.
func inName(r rune) bool {
	return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r)
}

// name reads a word, with the star of a glob if it has one.
func (l *lexer) name() token {
	t := token{kind: tokenName, pos: l.pos}
	for l.pos < len(l.src) {
		r, size := utf8.DecodeRuneInString(l.src[l.pos:])
		if !inName(r) {
			break
		}
		l.pos += size
	}
	if level := l.src[l.pos:]; strings.HasPrefix(level, "[") && strings.HasPrefix(l.src[t.pos:], "r_") {
		l.pos += strings.IndexByte(level, ']') + 1 // r_g[level,term], an effect; as before where nothing closes it
	}
	if l.calls == 0 && l.starIsGlob() {
		l.pos++
		t.kind = tokenGlob
	}
	t.end = l.pos
	t.text = l.src[t.pos:t.end]
	return t
}

// starIsGlob reports whether the next byte is a star that no operand follows: one
// that belongs to the word before it.
func (l *lexer) starIsGlob() bool {
	rest := l.src[l.pos:]
	if rest == "" || rest[0] != '*' {
		return false
	}
	rest = strings.TrimLeftFunc(rest[1:], unicode.IsSpace)
	return rest == "" || strings.ContainsRune("+-:/~|),", rune(rest[0]))
}

func (l *lexer) number() token {
	t := token{kind: tokenNumber, pos: l.pos}
	for l.pos < len(l.src) && (l.src[l.pos] >= '0' && l.src[l.pos] <= '9' || l.src[l.pos] == '.') {
		l.pos++
	}
	l.exponent()
	t.end = l.pos
	t.text = l.src[t.pos:t.end]
	return t
}

// exponent moves past the e-3 of a number, if it has one.
func (l *lexer) exponent() {
	rest := l.src[l.pos:]
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return
	}
	i := 1
	if i < len(rest) && (rest[i] == '-' || rest[i] == '+') {
		i++
	}
	if digits := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "0123456789")); digits > 0 {
		l.pos += i + digits
	}
}

// quoted reads a name in backquotes or a string in quotes. A backslash takes
// the next character literally, as in R.
func (l *lexer) quoted(quote rune) (token, error) {
	start := l.pos
	var text strings.Builder
	for i := start + 1; i < len(l.src); {
		r, size := utf8.DecodeRuneInString(l.src[i:])
		if r == utf8.RuneError && size == 1 {
			return token{}, l.fail(i, "the text is not UTF-8", "")
		}
		i += size
		switch {
		case r == quote:
			l.pos = i
			t := token{kind: tokenString, text: text.String(), pos: start, end: i}
			if quote == '`' {
				t.kind, t.quoted = tokenName, true
			}
			return t, nil
		case r == '\\' && i < len(l.src):
			r, size = utf8.DecodeRuneInString(l.src[i:])
			i += size
		}
		text.WriteRune(r)
	}
	return token{}, l.fail(start, fmt.Sprintf("%q opens a quotation that nothing closes", quote), "")
}
