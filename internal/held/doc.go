// Package held keeps a process from writing a DuckDB file that it also reads.
//
// The engine's lock of a file belongs to the process, which gives it up when it closes any handle of the file; and an
// engine that attaches a file does not detect another one in the same process that has it open. So every caller that
// opens a file that may be a ledger notes it here.
//
// Read held.go.
package held
