// Package words has the text that every command prints: the nearest
// name to a misspelt one, globs, hints of errors, tables, and the visible form of a name.
//
// It knows text only, and nothing of fits, files or terminals.
//
// Read name.go (did you mean, and patterns of names), alike.go (names in two spellings), then table.go
// (columns, and lines of words), visible.go (names as people see them), bytes.go (memory), then
// hint.go (what to do about an error) and tempdir.go (which folder is missing).
package words
