package glm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// ParseError tells why a text is no prior or family.
type ParseError struct {
	Text   string // what was given
	Reason string
	Hint   string // what to write instead; may be empty
}

// Error returns the sentence and the hint.
func (e *ParseError) Error() string {
	s := fmt.Sprintf("%q: %s", e.Text, e.Reason)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// ParsePrior reads a prior such as "normal(0, 2.5)", "half_cauchy(5)" or
// "flat". Spaces do not matter, names are in lower case. The error is a
// *ParseError.
func ParsePrior(text string) (Prior, error) {
	fail := func(hint, format string, a ...any) (Prior, error) {
		return Prior{}, &ParseError{Text: text, Reason: fmt.Sprintf(format, a...), Hint: hint}
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
	kind, args, ok := lookup(name)
	if !ok {
		return fail(suggestPrior(name), "no prior has the name %q", name)
	}
	if len(numbers) != len(args) {
		return fail("write "+usage(kind, args), "%s takes %s, not %d", kind, count(len(args)), len(numbers))
	}
	p := Prior{Kind: kind}
	for i, field := range numbers {
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return fail("write "+usage(kind, args), "its %s %q is not a number", args[i], strings.TrimSpace(field))
		}
		if v == 0 {
			v = 0 // −0 and 0 are one prior with one spelling
		}
		if v <= 0 && args[i] != "location" && args[i] != "low" && args[i] != "high" {
			return fail("a "+args[i]+" is positive", "its %s is %s", args[i], strconv.FormatFloat(v, 'g', -1, 64))
		}
		*p.argument(args[i]) = v
	}
	if err := p.check(); err != nil {
		return fail("", "its %v", err)
	}
	return p, nil
}

// lookup finds the arguments of a prior.
func lookup(name string) (PriorKind, []string, bool) {
	if name == "regularized_horseshoe" {
		name = string(RegularisedHorseshoe)
	}
	for _, s := range priorTable {
		if string(s.Kind) == name {
			return s.Kind, s.Args, true
		}
	}
	return "", nil, false
}

// usage returns the way a prior is written.
func usage(kind PriorKind, args []string) string {
	if len(args) == 0 {
		return string(kind)
	}
	return string(kind) + "(" + strings.Join(args, ", ") + ")"
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

// suggestPrior names the nearest prior, or all of them.
func suggestPrior(name string) string {
	var kinds, all []string
	for _, s := range priorTable {
		kinds, all = append(kinds, string(s.Kind)), append(all, usage(s.Kind, s.Args))
	}
	if near := words.Nearest(name, kinds); near != "" {
		return "did you mean " + all[slices.Index(kinds, near)] + "?"
	}
	return "the priors are " + strings.Join(all, ", ")
}
