// Package exchange writes draws in the layouts of other tools, and reads theirs.
//
// Layouts: draws_df of R's posterior in Parquet, Arrow IPC and CSV, one file a
// fit, and CmdStan's CSV, one file a chain. A chain at a time is in memory.
//
// Read draws.go, then the writers table.go, columnar.go and cmdstan.go, then the
// readers cmdstanread.go and parquetread.go.
package exchange
