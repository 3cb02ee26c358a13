// Package held keeps a process from writing a DuckDB file that it also reads.
//
// The engine's lock of a file belongs to the process, which gives it up when it closes any handle of the file; and an
// engine that attaches a file knows nothing of another one in the same process that has it open. So whoever opens a
// file that a ledger may be says so here.
//
// Read held.go.
package held
