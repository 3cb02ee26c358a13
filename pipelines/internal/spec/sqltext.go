package spec

import "strings"

// sqlLexer follows the text of a query just far enough to know whether a place
// stands inside a string, a quoted name or a comment. Text comes in pieces,
// between which parameters stand.
type sqlLexer struct {
	// inside is 0 in plain text, otherwise what it waits for: ' or " (end of
	// the quote), \n (line comment), * (block comment) or $ (dollar quote).
	inside byte
	tag    string // of a dollar quote: $tag$
	last   byte   // last byte of plain text
	dollar bool   // a $parameter was seen in plain text
}

// skip advances over a piece of the query.
func (l *sqlLexer) skip(text string) {
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case l.inside == '\'' || l.inside == '"' || l.inside == '\n':
			if rest[0] == l.inside {
				l.inside = 0
			}
			i++
		case l.inside == '*' && strings.HasPrefix(rest, "*/"):
			l.inside, i = 0, i+2
		case l.inside == '$' && strings.HasPrefix(rest, l.tag):
			l.inside, i = 0, i+len(l.tag)
		case l.inside != 0:
			i++
		default:
			i += l.open(rest)
		}
	}
}

// open reads one thing of plain text and returns its length.
func (l *sqlLexer) open(rest string) int {
	last := l.last
	l.last = rest[0]
	switch {
	case rest[0] == '\'' || rest[0] == '"':
		l.inside = rest[0]
	case strings.HasPrefix(rest, "--"):
		l.inside = '\n'
		return 2
	case strings.HasPrefix(rest, "/*"):
		l.inside = '*'
		return 2
	case rest[0] == '$' && !isWord(last):
		n := 1
		for n < len(rest) && isWord(rest[n]) {
			n++
		}
		if n < len(rest) && rest[n] == '$' && (n == 1 || rest[1] > '9') {
			l.inside, l.tag = '$', rest[:n+1]
			return n + 1
		}
		l.dollar = l.dollar || n > 1
		return n
	}
	return 1
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
