// Package predictive evaluates a fit row by row from its draws: the linear
// predictor of any rows at every draw, and what follows from it (leave-one-out
// results, predictive draws and their summaries, checks of replicated data).
//
// It takes draws in blocks of columns, from a spool or a ledger, and rows in
// blocks of its own: what is in memory at once is bounded by blockBytes for the
// draws, if all of them fit into that, and blockBytes for the linear predictor,
// however many rows, columns and draws there are. It opens no file and writes
// none.
//
// Random responses come from a stream that the row names, so that neither blocks
// nor workers change a bit, and no chain is touched.
//
// Read evaluator.go: all others ask the Evaluator. Its numbers come from blocks.go, items.go, levels.go and cells.go at
// all draws, and from position.go at one position; rows.go finds them by the description of the fit. Then read
// outcomes.go, loo.go, match.go and kfold.go, predictive.go, averages.go, allocations.go and pit.go, then check.go,
// counts.go, histogram.go, survival.go, times.go, incomplete.go and wanted.go; responses.go has several responses, with
// rescor.go.
package predictive
