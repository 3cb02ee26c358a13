// Package pipelines runs pipelines: it loads a spec, by path or by the name of
// one that the program carries, checks it, carries it out and answers queries
// on the ledger. It alone owns the clock, the log, progress, worker limits and
// the environment; everything below it is told.
//
// Read pipelines.go, then the packages under internal in the order spec, run,
// spool, progress.
package pipelines
