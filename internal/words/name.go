package words

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listed is how many names a hint lists before it cuts the list.
const listed = 12

// Nearest returns the candidate with the smallest edit distance to name, the
// first of equally near ones, or "" if none is near enough to be a slip: at most a third
// of the name's characters, but one at least. Case does not count. Signs without
// a letter are no spelling of anything, and a candidate that equals name is no
// correction of it. Cost: O(len(name)·len(candidate)) for each candidate of about
// that length.
func Nearest(name string, candidates []string) string {
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	n := utf8.RuneCountInString(name)
	limit := max(1, n/3)
	found, folded := "", strings.ToLower(name)
	for _, c := range candidates {
		if more := utf8.RuneCountInString(c) - n; c == name || more > limit || -more > limit {
			continue
		}
		if d := distance(folded, strings.ToLower(c)); d < limit || d == limit && found == "" {
			limit, found = d, c
		}
	}
	return found
}

// DidYouMean is the hint for a wrong name: the nearest right one, if any, and the
// first of all. It is "" if there are no candidates.
func DidYouMean(name, what string, candidates []string) string {
	if len(candidates) == 0 {
		return ""
	}
	list := what + ": " + strings.Join(candidates[:min(listed, len(candidates))], ", ")
	if len(candidates) > listed {
		list += ", …"
	}
	near := Nearest(name, candidates)
	switch {
	case near == "":
		return list
	case len(candidates) == 1:
		return "did you mean " + strconv.Quote(near) + "?"
	}
	return "did you mean " + strconv.Quote(near) + "? " + list
}

// List joins the first names with commas, as Visible shows them, and counts the rest.
func List(names []string) string {
	if len(names) <= listed {
		return Visible(strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s and %d more", Visible(strings.Join(names[:listed], ", ")), len(names)-listed)
}

// distance returns how far apart two spellings are: the optimal string alignment
// distance: insertions, deletions, substitutions and transpositions of
// neighbours, each at cost 1. Its time is the product of the lengths; names
// beyond 200 characters are as far apart as they are long.
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

// ObjectScheme begins the name of an object in an object store: s3://bucket/key.
const ObjectScheme = "s3://"

// IsObject reports whether a path is the name of an object in an object store.
func IsObject(path string) bool { return strings.HasPrefix(path, ObjectScheme) }

// IsGlob reports whether pattern is more than a name.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?") }

// Match reports whether name matches pattern, in which * stands for any run of
// characters and ? for one; every other character stands for itself. Cost:
// O(len(pattern)·len(name)) at worst, whatever the pattern.
func Match(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	p, s := []rune(pattern), []rune(name)
	i, j := 0, 0
	star, mark := -1, 0 // the last star, and where the text that it swallowed ends
	for j < len(s) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == s[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
