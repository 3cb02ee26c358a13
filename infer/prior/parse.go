package prior

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// ParseError gives the reason why a text is not a prior or family.
type ParseError struct {
	Text   string // what was given
	Reason string
}

// Error returns the sentence.
func (e *ParseError) Error() string { return fmt.Sprintf("%q: %s", e.Text, e.Reason) }

// Parse reads a prior such as "normal(0, 2.5)", "half_cauchy(5)" or
// "flat". Spaces do not matter, names are in lower case. The error is a
// *ParseError, in a *words.Hinted where it is known what to write instead.
func Parse(text string) (Prior, error) {
	fail := func(hint, format string, a ...any) (Prior, error) {
		return Prior{}, words.Clause(&ParseError{Text: text, Reason: fmt.Sprintf(format, a...)}, hint)
	}
	name, rest, hasArgs := strings.Cut(strings.TrimSpace(text), "(")
	name = strings.TrimSpace(name)
	var numbers []string
	if hasArgs {
		inner, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
		if !closed || strings.ContainsAny(inner, "()") {
			return fail("write it like normal(0, 2.5)", "its brackets do not match")
		}
		if strings.TrimSpace(inner) != "" {
			numbers = strings.Split(inner, ",")
		}
	}
	row, ok := lookup(name)
	if !ok {
		return fail(suggest(name), "no prior has the name %q", name)
	}
	if len(numbers) != len(row.Args) {
		return fail("write "+row.Usage(), "%s takes %s, not %d", row.Kind, count(len(row.Args)), len(numbers))
	}
	p := Prior{Kind: row.Kind}
	for i, field := range numbers {
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return fail("write "+row.Usage(), "its %s %q is not a number", row.Args[i], strings.TrimSpace(field))
		}
		if v == 0 {
			v = 0 // −0 and 0 are one prior with one spelling
		}
		if v <= 0 && !slices.Contains([]string{"location", "low", "high", "value"}, row.Args[i]) {
			return fail("a "+row.Args[i]+" is positive", "its %s is %s", row.Args[i], strconv.FormatFloat(v, 'g', -1, 64))
		}
		*p.argument(row.Args[i]) = v
	}
	if err := p.check(); err != nil {
		return fail("", "its %v", err)
	}
	return p, nil
}

// lookup finds a prior's row of the table.
func lookup(name string) (Info, bool) {
	if name == "regularized_horseshoe" {
		name = string(RegularisedHorseshoe)
	}
	return Prior{Kind: Kind(name)}.info()
}

// Usage returns the way a prior is written.
func (i Info) Usage() string {
	if len(i.Args) == 0 {
		return string(i.Kind)
	}
	return string(i.Kind) + "(" + strings.Join(i.Args, ", ") + ")"
}

// count spells a number of arguments.
func count(n int) string {
	switch n {
	case 0:
		return "no numbers"
	case 1:
		return "1 number"
	}
	return strconv.Itoa(n) + " numbers"
}

// suggest names the nearest prior, or all of them.
func suggest(name string) string {
	var kinds, all []string
	for _, s := range table {
		kinds, all = append(kinds, string(s.Kind)), append(all, s.Usage())
	}
	if near := words.Nearest(name, kinds); near != "" {
		return "did you mean " + all[slices.Index(kinds, near)] + "?"
	}
	return "the priors are " + strings.Join(all, ", ")
}
