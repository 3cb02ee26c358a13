// Command pipeline fits many Bayesian generalised linear models a night and
// leaves draws, diagnostics and verdicts in a DuckDB file.
//
// It holds flags, signals, the terminal and the exit code; the work is done by
// package pipelines.
//
// Read main.go, then run.go and nights.go; screen.go and grid.go for what is
// printed, then table.go, show.go and bars.go.
package main
