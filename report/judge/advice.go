package judge

import (
	"regexp"
	"slices"
	"strings"

	"glmbatch/internal/trouble"
)

// Headline names a reason in few words, the same for reasons that say the same with other numbers and names.
func Headline(reason string) string {
	if e := trouble.Find(reason); e != nil {
		return e.Headline
	}
	if cause := Cause(reason); cause != "" {
		return details.ReplaceAllString(cause, "…")
	}
	line, _, _ := strings.Cut(reason, "\n")
	line = details.ReplaceAllString(line, "…")
	if before, _, ok := strings.Cut(line, ": "); ok && len(before) > 20 {
		line = before
	}
	return line
}

// Cause returns what is wrong in a reason that begins with the place in the data, such as
// dataset "d", column "x", row 3: "abc" is not a number; empty of other reasons.
func Cause(reason string) string {
	line, _, _ := strings.Cut(reason, "\n")
	if !strings.HasPrefix(line, `dataset "`) {
		return ""
	}
	quoted := false
	for i, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(line[i:], ": ") {
			return line[i+2:]
		}
	}
	return ""
}

// details are the parts that differ among warnings of one kind: quoted names, paths and numbers.
var details = regexp.MustCompile(`"[^"]*"|[^\s:]*/[^\s:]*|[-−]?\b[0-9][0-9.,e+-]*\b`)

// Advice says what to do about the reasons of a verdict, each thing once. auto says that
// method: auto chose the sampler, which is no advice then.
func Advice(reasons []string, auto bool) []string {
	out := []string{}
	for _, r := range reasons {
		e := trouble.Find(r)
		if e == nil {
			continue
		}
		advice := strings.TrimSpace(e.Cause + " " + e.Remedy)
		if auto {
			advice = strings.ReplaceAll(advice, trouble.ByAuto, "")
		}
		if !slices.Contains(out, advice) {
			out = append(out, advice)
		}
	}
	return out
}
