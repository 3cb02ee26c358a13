package plan

import (
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/transform"
)

// DataHash identifies the values of the columns that a model reads.
type DataHash struct {
	// Value does not depend on the order of columns in a file, unless . or a glob takes columns in that order.
	Value string
	// Older is the hash of the same columns in the order of the file, by which earlier programs stored fits; empty if
	// it is Value.
	Older string

	matrices string // names and hashes of the matrices that the model names; empty: none
}

// hashColumns hashes the columns that a model reads, given in the order of the table. inFileOrder reports whether the
// design depends on that order.
func hashColumns(reads []string, inFileOrder bool, hash func([]string) (string, error)) (h DataHash, err error) {
	sorted := slices.Sorted(slices.Values(reads))
	if inFileOrder || slices.Equal(sorted, reads) {
		h.Value, err = hash(reads)
		return h, err
	}
	if h.Value, err = hash(sorted); err == nil {
		h.Older, err = hash(reads)
	}
	return h, err
}

// UsedHash is the hash of the columns that a stored fit reads, as when the fit was drawn. Its error is that of a column
// that is gone.
func UsedHash(table *ingest.Table, record *transform.Record) (h DataHash, err error) {
	reads, inFileOrder, err := record.Reads(table.Data.Schema())
	if err != nil {
		return h, err
	}
	if table.Counts() != nil {
		table = table.Over(reads)
		defer table.Release()
	}
	return hashColumns(reads, inFileOrder, table.Hash)
}

// Is reports whether a stored hash is of the same data.
func (h DataHash) Is(stored string) bool {
	return stored != "" && (stored == h.Value || stored == h.Older)
}

// older is the text of an identity's data with the older hash; empty if there is none.
func (h DataHash) older(data string) string {
	if h.Older == "" {
		return ""
	}
	return strings.Replace(data, h.Value, h.Older, 1)
}
