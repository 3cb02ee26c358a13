package spec

import (
	"strings"
	"unicode/utf8"
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
		d := distance(strings.ToLower(name), strings.ToLower(c))
		if d < best || d == best && found == "" {
			best, found = d, c
		}
	}
	return found
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and transpositions of neighbours, each at cost 1. Its time is
// the product of the lengths; names beyond 200 characters are infinitely far.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > 200 || len(t) > 200 {
		return len(s) + len(t)
	}
	before := make([]int, len(t)+1)
	last := make([]int, len(t)+1)
	row := make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
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
