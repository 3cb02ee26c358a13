// Package ingest reads the files and queries that a pipeline names and gives
// their columns as validated Arrow tables: Parquet, CSV (plain or gzip) and SQL
// over a DuckDB file.
//
// It decides what a cell is (a number, a truth value, a date, text or missing)
// and never what it means: responses, factors and missing-value policies
// belong to transform. Whatever a file holds, ingest ends in a table or in an
// error that names the data set, the file, the column and the row; it does not
// panic, and it allocates in proportion to what the file really decodes to.
//
// # Types
//
// A table has columns of six Arrow types only, whatever the source (and run-end
// encoded numbers, which Triplets make): Int64,
// Float64, Boolean, String, Date32 and Timestamp (microseconds, no zone).
// Every integer width becomes Int64 (unsigned 64-bit values beyond its range
// make the column Float64), half and single precision and decimals become
// Float64 (decimals correctly rounded), dictionaries are decoded, and binary
// columns are text if they are UTF-8. Nested and other columns are left out
// with a warning that names them. Floating-point columns hold finite numbers
// or nulls: NaN and infinities are errors that name the first one.
//
// A field of numbers in whose file an integer beyond 2^53 stood says so in its metadata.
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
// numbers, truth values (true, false in any case), dates (2026-01-31), text. A
// column most of whose cells are numbers (or dates) must hold nothing else:
// the first other cell is an error. Any other mixture is text.
// Source.Types settles what inference should not decide.
//
// # Reading order
//
// Read source.go (what may be read), fence.go and fencesql.go (where), content.go (files and objects), then
// read.go (the way of a table), then csv.go with dialect.go, guard.go, cell.go, spellings.go,
// locate.go and csvcolumn.go, parquet.go with normalise.go, sql.go,
// triplets.go, and column.go, gather.go and force.go, nulls.go, which serve all of them; equal.go and
// equalread.go, which keep equal rows once; stream.go, for rows that never stand together.
// table.go, split.go, imputations.go and hash.go are for what one can do with the result;
// errors.go and budget.go for what a file must not do.
package ingest
