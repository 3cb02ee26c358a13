// Package trouble is the registry of what the program may report: reasons of
// verdicts, warnings and exit codes, each with its cause and remedy.
//
// The command line and the report read it, and docs/troubleshooting.md is
// generated from it. A test finds every warning in the sources and fails if one
// has no entry.
//
// Read trouble.go, then verdicts.go and warnings.go.
package trouble
