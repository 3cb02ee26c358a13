// Package progress shows a run while it goes: live lines on a terminal, one
// plain line per finished fit elsewhere.
//
// The run reports to a Tracker, which any number of goroutines may use; a
// display reads it on its own clock, so that a slow terminal never slows a fit.
//
// Read tracker.go, then display.go.
package progress
