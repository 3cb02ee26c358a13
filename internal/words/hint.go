package words

import (
	"errors"
	"strings"
)

// Hinted is an error with what to do about it. Whoever adds words to it, adds them
// in front, so that the hint remains its last line.
type Hinted struct {
	Err  error
	Hint string // never empty

	clause bool // the hint is on the same line
}

// Error ends with the hint, on a line of its own or as a clause.
func (e *Hinted) Error() string { return e.Err.Error() + e.end() }

func (e *Hinted) end() string {
	if e.clause {
		return "; " + e.Hint
	}
	return HintLine(e.Hint)
}

// Unwrap returns what went wrong.
func (e *Hinted) Unwrap() error { return e.Err }

// Hint adds to err what to do about it. It returns err as it is where err is nil or
// the hint empty.
func Hint(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &Hinted{Err: err, Hint: hint}
}

// Clause is Hint for errors of one line: the hint follows a semicolon.
func Clause(err error, hint string) error {
	if err == nil || hint == "" {
		return err
	}
	return &Hinted{Err: err, Hint: hint, clause: true}
}

// HintLine is the line that a hint makes below a message, its line break in front;
// "" if there is no hint.
func HintLine(hint string) string {
	if hint == "" {
		return ""
	}
	return "\nhint: " + hint
}

// Indent moves all lines of a text but its first two places to the right.
func Indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// Line returns the first line of what went wrong, for a place that has one line.
func Line(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Parts returns what went wrong, and what to do about it; hint is empty if err
// has none.
func Parts(err error) (message, hint string) {
	message = err.Error()
	var hinted *Hinted
	if !errors.As(err, &hinted) {
		return message, ""
	}
	return strings.TrimSuffix(message, hinted.end()), hinted.Hint
}
