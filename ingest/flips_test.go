package ingest

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// inMemory is content in memory.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error           { return nil }
func (inMemory) Fetch([][2]int64) error { return nil }
func (inMemory) Err() error             { return nil }

// readBytes returns the hash of the named columns of a Parquet file.
func readBytes(data []byte, names []string) (hash string, err error) {
	src := &Source{Name: "data", MaxBytes: 64 << 20, Columns: func(*Schema) ([]string, error) { return names, nil }}
	mem := &budget{Allocator: memory.NewGoAllocator(), most: src.maxBytes()}
	err = guarded(func() error {
		p, err := readParquet(context.Background(), src, inMemory{bytes.NewReader(data)}, "a.parquet", src.choose, mem)
		if err != nil {
			return err
		}
		defer p.release()
		table, err := newTable(src, []*part{p}, mem)
		if err != nil {
			return err
		}
		defer table.Release()
		hash, err = table.Hash(nil)
		return err
	})
	return hash, err
}

// logicalMark is the byte of the schema, from its beginning, that makes column n one of integers.
const logicalMark = 42

// In a file with checksums, no flipped bit changes a value without an error, except the mark of the footer that
// makes of integers a column of another logical type: it has no second copy.
func TestFlippedBits(t *testing.T) {
	for _, name := range []string{"checksums-v1.parquet", "checksums-v2.parquet"} {
		data, err := os.ReadFile("../testdata/ingest/checksums/" + name)
		must(t, err)
		columns := []string{"y", "x", "n", "g", "z"}
		want, err := readBytes(data, columns)
		must(t, err)
		step, footer := 23, bytes.LastIndex(data, []byte("\x03Row"))
		if os.Getenv("GLMBATCH_EVERY_BIT") != "" {
			step = 1
		}
		found, sums := 0, 0
		for bit := 0; bit < 8*len(data); bit += step {
			data[bit/8] ^= 1 << (bit % 8)
			got, err := readBytes(data, columns)
			data[bit/8] ^= 1 << (bit % 8)
			switch {
			case err != nil:
				if found++; strings.Contains(err.Error(), "does not have its checksum") {
					sums++
				}
			case got != want && bit/8-footer == logicalMark:
			case got != want:
				t.Errorf("%s: bit %d of byte %d (%d of the footer's schema) changes a value, and nothing is reported", name,
					bit%8, bit/8, bit/8-footer)
			}
		}
		t.Logf("%s: %d flips are errors, %d of them by a checksum", name, found, sums)
		if sums < 8*1000/step {
			t.Errorf("%s: %d flips are found by checksums", name, sums)
		}
	}
}
