// Package pipelines runs pipelines: it loads a spec, by path or by the name of a built-in one, checks it, runs it
// and answers queries on the ledger. It alone owns the clock, the log, progress, worker limits and the environment,
// and passes them to the packages below it.
//
// Read pipelines.go (Run), validate.go, shipped.go (built-in specs) and trust.go (what a spec may reach); then a
// file for each question of a caller: maintain.go, show.go, query.go (SQL, comparisons, drift, pages and names of a
// ledger), predict.go, effects.go, check.go, init.go, exchange.go, metrics.go, junit.go and trace.go (results for
// other programs); shards.go, shardprogress.go (a run on several machines); version.go names the build. Then read
// the packages under internal in the order spec, run, spool, progress.
package pipelines
