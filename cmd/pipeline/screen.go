package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"glmbatch/internal/words"
)

// screen is where text for people goes: how wide it is, and what it can show.
// Machines' formats are written to the app's stdout itself.
type screen struct {
	io.Writer
	width  int
	colour bool
	live   bool // a terminal, not a file, pipe or mail that may be searched for a line
}

// narrowest is the width below which nothing is broken any more, usual the one of
// files and pipes.
const (
	narrowest = 40
	usual     = 80
)

// screen inspects standard output: COLUMNS overrides the terminal's width, and the width is 80 columns without a
// terminal. Colours are for terminals, unless NO_COLOR is set; --color says otherwise. Where the locale is not
// UTF-8, the signs that the program itself draws become ASCII.
func (a *app) screen() *screen {
	live, width := terminal(a.stdout)
	s := &screen{Writer: a.stdout, width: usual, live: live}
	if live {
		s.width = width()
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.width = n
	}
	s.width = max(s.width, narrowest)
	s.colour = a.colour == "always" || a.colour != "never" && live && os.Getenv("NO_COLOR") == ""
	if !unicodeLocale() {
		s.Writer = asciiWriter{a.stdout}
	}
	return s
}

// colours are the values of --color.
var colours = []string{"auto", "always", "never"}

// unicodeLocale reports whether the locale is UTF-8. One that is not set is taken for
// UTF-8, which terminals of today speak; C and POSIX are not.
func unicodeLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// asciiWriter draws the program's own signs with ASCII, one for one in columns. Names keep their letters.
type asciiWriter struct{ w io.Writer }

var asciiSigns = strings.NewReplacer("×", "x", "…", "~", "—", "-", "–", "-", "−", "-", "│", "|", "─", "-", "━",
	"=", "●", "o",
	"◂", "<", "▸", ">", "→", ">", "┼", "+", "≤", "<=", "≥", ">=", "·", ".", "²", "2", "✓", "+", "✗", "x")

func (a asciiWriter) Write(p []byte) (int, error) {
	_, err := asciiSigns.WriteString(a.w, string(p))
	return len(p), err
}

// The colours of the output.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	bold   = "1"
)

// paint colours text, which has no line breaks, where the screen can show it.
func (s *screen) paint(colour, text string) string {
	if !s.colour || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// gradeColour is the colour of a verdict.
func gradeColour(verdict string) string {
	switch verdict {
	case "pass":
		return green
	case "warn":
		return yellow
	case "fail", "error":
		return bold + ";" + red
	}
	return ""
}

// sentence prints words in lines that the screen can hold, where the words let it:
// the second line and those after it begin with indent. Line breaks in text stay.
func (s *screen) sentence(indent, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			fmt.Fprint(s, indent)
		}
		for k, part := range words.Break(line, s.width, s.width-len(indent)) {
			if k > 0 {
				fmt.Fprint(s, "\n", indent)
			}
			fmt.Fprint(s, part)
		}
		fmt.Fprintln(s)
	}
}

// fold breaks a command that is wider than the screen before its ledger, as a shell reads it.
func (s *screen) fold(call string) string {
	if utf8.RuneCountInString(call) > s.width {
		call = strings.Replace(call, " --database ", " \\\n    --database ", 1)
	}
	return call
}

// reason prints why something went wrong: in lines that a terminal can hold, elsewhere in whole lines.
func (s *screen) reason(text string) {
	if s.live {
		s.sentence("  ", "  "+text)
	} else {
		fmt.Fprintf(s, "  %s\n", words.Indent(text))
	}
}

// middle shortens a name to n columns by leaving out its middle.
func middle(name string, n int) string {
	r := []rune(name)
	if len(r) <= n || n < 3 {
		return name
	}
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}

// paragraphs prints lines of text unchanged if the screen can hold them, and breaks the others: their second lines
// are indented by indent relative to the first.
func (s *screen) paragraphs(indent, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		front := line[:len(line)-len(strings.TrimLeft(line, " "))]
		s.sentence(front+indent, line)
	}
}
