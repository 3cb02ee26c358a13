// Command pipeline fits many Bayesian generalised linear models a night and
// leaves draws, diagnostics and verdicts in a DuckDB file.
//
// It holds flags, signals, the terminal and the exit code; the work is done by
// package pipelines.
//
// Read main.go (what verbs share) and usage.go (wrong calls, exit codes), then the verbs that draw, run.go,
// shards.go, progress.go (plan, gather) and maintain.go (retry, commit, prune), and those around them: verbs.go
// (validate, list, version, verify), init.go, explain.go, check.go, predict.go, effects.go, exchange.go (export,
// import), sql.go, report.go, drift.go, weights.go. Those that show: show.go with showfit.go, showworst.go,
// showlines.go and showattention.go, runs.go, compare.go with comparetable.go; plot.go draws pictures of them.
// Output goes through screen.go (width, colour), table.go (results of a run), grid.go; completion.go serves shells.
package main
