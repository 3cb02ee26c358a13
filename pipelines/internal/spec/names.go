package spec

import (
	"strings"
	"unicode/utf8"

	"glmbatch/infer/glm"
)

// nearest returns the candidate with the smallest edit distance to name, or ""
// if none is near enough to be a slip: at most a third of its length. Names of
// one or two characters have no nearest one.
func nearest(name string, candidates []string) string {
	n := utf8.RuneCountInString(name)
	if n < 3 {
		return ""
	}
	best, found := n/3, ""
	for _, c := range candidates {
		if c == name {
			continue
		}
		d := glm.EditDistance(strings.ToLower(name), strings.ToLower(c))
		if d < best || d == best && found == "" {
			best, found = d, c
		}
	}
	return found
}

// isGlob reports whether pattern is more than a name.
func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// didYouMean is the hint for a wrong name: the nearest right one, or all.
func didYouMean(name string, candidates []string, what string) string {
	if len(candidates) == 0 {
		return ""
	}
	list := strings.Join(shorten(candidates, 12), ", ")
	if near := nearest(name, candidates); near != "" {
		if len(candidates) == 1 {
			return "did you mean " + quote(near) + "?"
		}
		return "did you mean " + quote(near) + "? " + what + ": " + list
	}
	return what + ": " + list
}

// shorten keeps the first n of list and says that there are more.
func shorten(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(list[:n:n], "…")
}
