package transform

import (
	"fmt"
	"strings"
)

// listed is how many names an error lists before it only counts the rest.
const listed = 12

// nearest returns the candidate closest to name in spelling, or "" when none is
// close. Cost: O(len(name)·len(candidate)) for each candidate.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", 1+max(1, len([]rune(name))/3)
	for _, c := range candidates {
		if strings.EqualFold(c, name) {
			return c
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(c), bestDistance); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance of a and b in characters, or limit
// when it is at least that.
func editDistance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if len(s)-len(t) >= limit || len(t)-len(s) >= limit {
		return limit
	}
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			substitute := diagonal
			if s[i] != t[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(t)], limit)
}

// unknownHint says which names there are and which of them was perhaps meant.
func unknownHint(name, what string, candidates []string) string {
	hint := "the " + what + " are " + list(candidates)
	if len(candidates) == 0 {
		hint = "there are no " + what
	}
	if near := nearest(name, candidates); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}

// list joins the first names with commas and counts the rest.
func list(names []string) string {
	if len(names) <= listed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:listed], ", "), len(names)-listed)
}
