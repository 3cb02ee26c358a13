// Package pipelines runs pipelines: it loads a spec, by path or by the name of
// one that the program carries, checks it, carries it out and answers queries
// on the ledger. It alone owns the clock, the log, progress, worker limits and
// the environment; everything below it is told.
//
// Read pipelines.go (Run), validate.go, shipped.go (what the program carries)
// and trust.go (what a spec may reach); then a file for each question that a
// caller may ask: nights.go, look.go, query.go (SQL, comparisons, drift, pages and
// names of a ledger), predict.go, effects.go, check.go, init.go, exchange.go,
// metrics.go, junit.go and trace.go (what a run leaves for other machines);
// shards.go, shardprogress.go (a night on several machines); version.go names the build. Then read the
// packages under internal in the order spec, run, spool, progress.
package pipelines
