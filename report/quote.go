package report

import "strings"

// The text of SQL is constant but for what these two return: values are bound as
// parameters. internal/arch holds all code to that.

// quoteText is a constant of SQL that means s.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName is a name of SQL that means s.
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
