// Package engine closes DuckDB when all of its threads have ended their work.
//
// Read engine.go.
package engine
