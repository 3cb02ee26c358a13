package words

import "strings"

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
