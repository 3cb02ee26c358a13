package doctest

import (
	"fmt"
	"regexp"
	"strings"
)

// masks are the differences that two runs of one program may print. Everything else, numbers above all, must be
// equal.
var masks = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?`), "<clock>"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(\.\d+)?\b`), "<clock>"},
	{regexp.MustCompile(`\b(\d+h)?\d+m\d+(\.\d+)?s\b`), "<time>"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ns|µs|us|ms|s|min|h)\b`), "<time>"},
	{regexp.MustCompile(`\b\d[\d,]*(\.\d+)?k? ?(it|draws|fits|sweeps|iterations)/s\b`), "<rate>"},
	{regexp.MustCompile(`[─━═]+|-{3,}|={3,}`), "—"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// normal returns a line as it is compared.
func normal(line string) string {
	for _, m := range masks {
		line = m.re.ReplaceAllString(line, m.with)
	}
	return strings.TrimSpace(line)
}

func normals(lines []string) []string {
	var out []string
	for _, l := range lines {
		out = append(out, normal(l))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	for len(out) > 0 && out[0] == "" {
		out = out[1:]
	}
	return out
}

// wild reports whether a line stands for any number of lines.
func wild(line string) bool { return line == "…" || line == "..." }

// Match compares expected lines with printed ones by the rule of the package
// comment. The error shows both and the first expected line that is not found.
func Match(want, got []string) error {
	w, g := normals(want), normals(got)
	furthest := 0
	if matchLines(w, g, &furthest, len(w)) {
		return nil
	}
	first := "the end of the output"
	if furthest < len(w) {
		first = fmt.Sprintf("%q", w[furthest])
	}
	return fmt.Errorf("the output differs at %s\n--- the page says\n%s\n--- the program printed\n%s",
		first, strings.Join(want, "\n"), strings.Join(got, "\n"))
}

// matchLines matches lines with wildcards; furthest is the greatest number of
// expected lines that were met, out of total.
func matchLines(w, g []string, furthest *int, total int) bool {
	*furthest = max(*furthest, total-len(w))
	switch {
	case len(w) == 0:
		return len(g) == 0
	case wild(w[0]):
		for i := 0; i <= len(g); i++ {
			if matchLines(w[1:], g[i:], furthest, total) {
				return true
			}
		}
		return false
	case len(g) == 0 || !matchLine(w[0], g[0]):
		return false
	}
	return matchLines(w[1:], g[1:], furthest, total)
}

// matchLine matches one line; "…" inside it stands for any characters.
func matchLine(want, got string) bool {
	parts := strings.Split(want, "…")
	if len(parts) == 1 {
		return want == got
	}
	var re strings.Builder
	re.WriteString("^")
	for i, p := range parts {
		if i > 0 {
			re.WriteString(".*")
		}
		re.WriteString(regexp.QuoteMeta(p))
	}
	re.WriteString("$")
	return regexp.MustCompile(re.String()).MatchString(got)
}
