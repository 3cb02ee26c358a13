// Package report keeps the ledger: runs, fits, draws, summaries and verdicts
// in one DuckDB file that any DuckDB client can query.
//
// A Ledger opens the file only while it reads or writes. Every finished fit is
// one transaction of the single writer, so SQL never sees half a fit; a file
// that another process holds is waited for a bounded time and then reported as
// a *LockedError. Values arrive as float64 and strings; the package knows
// nothing of samplers, specs or files of data. It fits no model, and it judges
// nothing: verdicts are given by report/judge, which needs no ledger.
//
// In the ledger everything counts from 1: chains, parameters, iterations (over
// the kept draws; iterations of the warm-up are ≤ 0). In Go everything counts
// from 0. A number that cannot be computed is NaN in Go and NULL in SQL, with
// the reason beside it; draws are stored as they are.
//
// Read records.go, then ledger.go, fit.go and draws.go for writing, stored.go
// and query.go for reading. The tables and views are
// in schema/*.sql.
package report
