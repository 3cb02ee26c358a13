// Package report keeps the ledger: runs, fits, draws, summaries and verdicts
// in one DuckDB file that any DuckDB client can query.
//
// A Ledger opens the file only while it reads or writes. Every finished fit is one transaction of the single
// writer, so SQL never sees half a fit; a file that another process holds is waited for a bounded time and then
// reported as a *LockedError. Values arrive as float64 and strings; the package imports no samplers, specs or files
// of data. It fits no model, and it judges nothing: verdicts are given by report/judge, which needs no ledger.
//
// In the ledger everything counts from 1: chains, parameters, iterations (over the kept draws; iterations of the
// warm-up are ≤ 0). In Go everything counts from 0. A number that cannot be computed is NaN in Go and NULL in SQL,
// with the reason in another column; draws are stored as they are.
//
// Read records.go (with the names of what package record has), ledger.go and session.go first; the tables are in
// tables.go and tablesresults.go, of which schema.go makes SQL, and the views in schema/*.sql. Then
//
//   - engine.go, create.go, wal.go, doublewrite.go, migrate.go, own.go, errors.go, quote.go: the fenced engine, a file,
//     its log, the blocks that a checkpoint overwrites, its schema, whose views it has, its faults, and SQL's text;
//   - fit.go, append.go, feed.go, draws.go, stats.go, derive.go, loo.go, curves.go, pooled.go, incomplete.go,
//     effects.go, discrete.go, drift.go, start.go, calibration.go: writing a fit and its parts;
//   - scan.go, stored.go, newest.go, attention.go, overview.go, fitted.go, runs.go, columns.go:
//     reading fits, runs and draws; gather.go, gatherparts.go, gatherchecks.go, move.go: what shards take
//     along and leave;
//   - outside.go, outsidewrite.go, outsidepublish.go: draws in files next to the ledger;
//   - query.go, rows.go, cells.go, table.go: people's queries, and the forms of an answer;
//   - compare.go, weights.go: samplers on one posterior, models of one data set;
//   - page.go, pagemany.go, pagefit.go, pagechecks.go, pagegroups.go, pagesmooths.go, pagemixture.go, pagepooled.go,
//     pageincomplete.go, pageresults.go, pagepairs.go, pageruns.go, pagediscrete.go, series.go: the data of the HTML
//     page;
//   - prune.go, publish.go, verify.go, blocks.go: what becomes of a file, and whether it is what was written.
package report
