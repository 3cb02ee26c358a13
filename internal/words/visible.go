package words

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible is a name of the data or of a spec as people see it, on one line: what does not print is
// written as Go writes it, \n, \x1b, \u202e. That is control characters, those without a width or that
// turn the direction of text, blanks other than the ordinary one, and bytes that are not UTF-8. A blank
// at an end of the name, or of a level in brackets, is written ␣. Names must not steer a terminal, nor
// look like others.
func Visible(s string) string { return visible(blanksAtEnds(s), func(r rune) bool { return false }) }

// blanksAtEnds writes blanks at the ends of a name, and of a level in brackets, as ␣.
func blanksAtEnds(s string) string {
	if !strings.Contains(s, " ") || s[0] != ' ' && s[len(s)-1] != ' ' && !strings.Contains(s, "[ ") &&
		!strings.Contains(s, " ,") && !strings.Contains(s, " ]") {
		return s
	}
	b := []rune(s)
	ends := func(r rune) bool { return r == ',' || r == ']' || r == '␣' }
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == ' ' && (i == len(b)-1 || ends(b[i+1])) {
			b[i] = '␣'
		}
	}
	for i := range b {
		if b[i] == ' ' && (i == 0 || b[i-1] == '[' || b[i-1] == '␣') {
			b[i] = '␣'
		}
	}
	return string(b)
}

// VisibleLines is Visible of text that has lines of its own.
func VisibleLines(s string) string { return visible(s, func(r rune) bool { return r == '\n' }) }

func visible(s string, keep func(rune) bool) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !keep(r) && !prints(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if prints(r) || keep(r) {
			b.WriteString(s[:size])
		} else {
			quoted := strconv.QuoteToASCII(s[:size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		s = s[size:]
	}
	return b.String()
}

// prints reports whether a character is seen as itself. U+FFFD stands for bytes that are not
// UTF-8.
func prints(r rune) bool {
	return r < 0x7f && r >= ' ' || r > 0x7f && r != utf8.RuneError && unicode.IsGraphic(r) && !unicode.Is(unicode.Zs, r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// VisibleJSON is JSON with what Visible escapes as escapes of JSON: the same values, for a
// reader who sees them on a terminal.
func VisibleJSON(text []byte) []byte {
	s := string(text)
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7e && !prints(r) }) {
		return text
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		whole := s[:size]
		s = s[size:]
		if r < 0x7f || prints(r) || r == utf8.RuneError { // which may be a part of one
			b.WriteString(whole)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u` + strconv.FormatUint(0x10000|uint64(unit), 16)[1:])
		}
	}
	return []byte(b.String())
}
