// Package exchange writes draws in the layouts of other tools, and reads theirs.
//
// Layouts: draws_df of R's posterior in Parquet, Arrow IPC and CSV, one file a
// fit, and CmdStan's CSV, one file a chain. A chain at a time is in memory.
//
// Read draws.go, then write.go and the writer cmdstan.go, then
// the readers tableread.go and cmdstanread.go, and load.go (foreign draws as a fit).
package exchange
