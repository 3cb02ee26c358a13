package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// readTest reads a source with an allocator that proves that every array is
// released, in success and in failure. The table lives as long as the test.
func readTest(t testing.TB, src Source) (*Table, error) {
	t.Helper()
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	src.mem = checked
	if src.Name == "" {
		src.Name = "data"
	}
	table, err := Read(context.Background(), src)
	t.Cleanup(func() {
		if table != nil {
			table.Release()
		}
		checked.AssertSize(t, 0)
	})
	return table, err
}

// mustRead reads a source that has no fault.
func mustRead(t testing.TB, src Source) *Table {
	t.Helper()
	table, err := readTest(t, src)
	must(t, err)
	return table
}

// writeTemp writes a file of the test.
func writeTemp(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// columnOf returns the chunks of a column by name.
func columnOf(t testing.TB, table *Table, name string) *arrow.Chunked {
	t.Helper()
	at := table.Data.Schema().FieldIndices(name)
	if len(at) != 1 {
		t.Fatalf("%d columns are named %q in %v", len(at), name, table.names())
	}
	return table.Data.Column(at[0]).Data()
}

// cells spells the values of a column, missing ones as a dot.
func cells(t testing.TB, table *Table, name string) []string {
	t.Helper()
	var out []string
	for _, a := range columnOf(t, table, name).Chunks() {
		for i := range a.Len() {
			if a.IsNull(i) {
				out = append(out, ".")
			} else {
				out = append(out, render(a, i))
			}
		}
	}
	return out
}

func nullRows(t testing.TB, table *Table, name string) string {
	t.Helper()
	rows := []int{}
	for i, c := range cells(t, table, name) {
		if c == "." {
			rows = append(rows, i)
		}
	}
	return fmt.Sprint(rows)
}
