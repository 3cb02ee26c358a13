package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// Problem is one thing that is wrong with a spec. Line and Column are 1-based
// and count characters; both are 0 if the whole file is at fault. Its message is
// one line.
type Problem struct {
	File         string
	Line, Column int
	Message      string
	Hint         string // what to do; may be empty
}

// String is "file:line:column: message", and the hint on a second line.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	s := at + ": " + p.Message
	return s + words.Indent(words.HintLine(p.Hint))
}

// Problems is the error of Load and Parse: everything that is wrong with one
// spec, by position.
type Problems struct {
	List []Problem // never empty, sorted by line and column
}

// Error prints one problem after the other, one to a line, hints indented.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// newProblems sorts list by position and drops repetitions.
func newProblems(list []Problem) *Problems {
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return &Problems{List: slices.Compact(list)}
}
