// Package outfile writes the files that a person asked for: metrics, pages, exports, specs and copies of a ledger.
//
// A regular file is replaced by a rename once what takes its place is whole and synced, so that a reader finds
// the old file or the new one. A link is followed, and stays. A pipe or device is written to as it is; a folder is
// refused.
//
// Read outfile.go.
package outfile
