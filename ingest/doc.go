// Package ingest reads the files and queries that a pipeline names and gives
// their columns as validated Arrow tables: Parquet, CSV (plain or gzip) and SQL
// over a DuckDB file.
//
// It decides what a cell is (a number, a truth value, a date, text or missing) and never what it means: responses,
// factors and missing-value policies belong to transform. Reading any file ends in a table or in an error that
// names the data set, the file, the column and the row. It does not panic, and it allocates in proportion to the
// decoded size of the file.
//
// # Types
//
// A table has columns of six Arrow types only, whatever the source (and run-end
// encoded numbers, which Triplets make): Int64,
// Float64, Boolean, String, Date32 and Timestamp (microseconds, no zone).
// Every integer width becomes Int64 (unsigned 64-bit values beyond its range
// make the column Float64), half and single precision and decimals become
// Float64 (decimals correctly rounded), dictionaries are decoded, and binary
// columns are text if they are UTF-8, and UUIDs are text. Nested and other
// columns are left out with a warning that names them, unless Source.Columns or
// By names one: it is then at fault as a whole. Floating-point columns hold finite numbers
// or nulls.
//
// # Bad cells
//
// A cell that is not of its column's type is null in the table, and no missing
// value: a word among numbers, NaN, an infinity, a time out of range, text that
// is not UTF-8. Table.Check returns the first one of each column, for the rows of
// the table at hand, so that it costs the fits of one group or of one model. A
// column that has another type in another file, or that a file lacks, is at fault
// as a whole. Unless Source.CheckLater is set, both are errors of Read.
//
// The metadata of a field of numbers record that its file had an integer beyond 2^53.
//
// # Missing values
//
// A blank cell of a CSV file is missing, and so is one spelled as in
// DefaultNullValues unless Source.NullValues says otherwise. NaN is not among
// them: listing "NaN" makes it missing, in Parquet files too.
//
// # Types of CSV columns
//
// They follow from all cells of the column in the whole file: integers, then
// numbers, truth values (true, false in any case), dates (2026-01-31), text. If
// most cells of a column are numbers, truth values or dates, the others are bad
// cells. Any other mixture is text.
// Source.Types settles what inference should not decide.
//
// # Reading order
//
// Read source.go (what may be read), sandbox.go and sandboxsql.go (where), content.go and size.go (files and objects),
// then read.go (the steps of reading a table), then csv.go with dialect.go, guard.go, cell.go, spellings.go,
// locate.go and csvcolumn.go, parquet.go with pagesum.go, normalise.go and unreadable.go, sql.go with child.go,
// triplets.go, and column.go, badcells.go, gather.go, force.go and nulls.go, which serve all of them; equal.go and
// equalread.go, which keep equal rows once; stream.go, for rows that are never in memory together. table.go,
// split.go, imputations.go and hash.go are for the uses of a table; errors.go and budget.go for faults of files.
package ingest
