package transform

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"glmbatch/infer/glm"
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
		if more := utf8.RuneCountInString(c) - utf8.RuneCountInString(name); more >= bestDistance || -more >= bestDistance {
			continue
		}
		if d := glm.EditDistance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// UnknownHint says which names there are and which of them was perhaps meant.
func UnknownHint(name, what string, candidates []string) string {
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
