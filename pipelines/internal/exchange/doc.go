// Package exchange writes draws in the layouts of other tools, and reads theirs.
//
// Layouts: draws_df of R's posterior in Parquet, Arrow IPC and CSV, one file a
// fit, CmdStan's CSV, one file a chain, and ArviZ's InferenceData in netCDF-4, one
// file a fit. A chain at a time is in memory.
//
// Read draws.go, then write.go and the writers cmdstan.go, netcdf.go and netcdfrows.go, then
// the readers tableread.go and cmdstanread.go, and load.go (foreign draws as a fit).
package exchange
