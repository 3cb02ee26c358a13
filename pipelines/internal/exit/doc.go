// Package exit has the exit codes of the program's verbs.
//
// Read exit.go.
package exit
