package report

import (
	"regexp"
	"strings"
)

// The text of SQL is constant except for the results of these three functions: values are bound as parameters.
// internal/arch holds all code to that.

// quoteText is a constant of SQL that means s.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName is a name of SQL that means s.
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

var plain = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// plainName is s, a name that means the same without quotes. It panics if s is no such name.
func plainName(s string) string {
	if !plain.MatchString(s) {
		panic("report: " + quoteName(s) + " needs quotes")
	}
	return s
}
