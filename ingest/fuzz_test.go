package ingest

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// fuzzRead reads a file of arbitrary bytes. Reading any bytes ends soon, in a table whose columns keep the promises
// of the package or in an error of one of its types, within 64 MiB.
func fuzzRead(t *testing.T, name string, data []byte, src Source) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must(t, os.WriteFile(path, data, 0o644))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	src.Path, src.MaxBytes = path, 64<<20
	table, err := Read(ctx, src)
	src.CheckLater = true
	later, lerr := Read(ctx, src)
	if lerr == nil {
		defer later.Release()
		lerr = later.Check(nil)
	}
	if (err == nil) != (lerr == nil) && ctx.Err() == nil {
		t.Fatalf("checked at once: %v; checked later: %v", err, lerr)
	}
	if err != nil {
		var column *ColumnError
		var source *SourceError
		if !errors.As(err, &column) && !errors.As(err, &source) {
			t.Fatalf("an error of type %T: %v", err, err)
		}
		return
	}
	defer table.Release()
	keepsPromises(t, table)
}

// keepsPromises checks what the rest of the program relies on.
func keepsPromises(t *testing.T, table *Table) {
	t.Helper()
	if table.Data.NumRows() == 0 {
		t.Fatal("a table without rows")
	}
	for j, f := range table.Data.Schema().Fields() {
		col := table.Data.Column(j).Data()
		if int64(col.Len()) != table.Data.NumRows() {
			t.Fatalf("column %q has %d of %d rows", f.Name, col.Len(), table.Data.NumRows())
		}
		for _, a := range col.Chunks() {
			if a.DataType().ID() != f.Type.ID() {
				t.Fatalf("column %q of type %s has a chunk of type %s", f.Name, f.Type, a.DataType())
			}
			if x, ok := a.(*array.Float64); ok && !allFinite(x) {
				t.Fatalf("column %q holds NaN or an infinity", f.Name)
			}
			for i := range a.Len() {
				if a.IsValid(i) {
					_ = render(a, i) // panics for a type that no table has, or a bad offset
				}
			}
		}
	}
	if _, err := table.Hash(nil); err != nil {
		t.Fatal(err)
	}
	_ = table.Locate(0)
	_ = table.Locate(table.Data.NumRows() - 1)
}

// addSeeds adds the files that match a glob, whole, cut off, and with bytes changed.
func addSeeds(f *testing.F, glob string) {
	f.Helper()
	paths, err := filepath.Glob(glob)
	must(f, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(f, err)
		if len(data) > 16<<10 {
			continue // the engine mutates small inputs better
		}
		addDamaged(f, data)
	}
}

func addDamaged(f *testing.F, data []byte) {
	f.Helper()
	f.Add(data)
	f.Add(data[:len(data)*2/3])
	rng := rand.New(rand.NewPCG(uint64(len(data)), 1))
	for range 3 {
		changed := append([]byte(nil), data...)
		for range min(len(changed), 3) {
			changed[rng.IntN(len(changed))] = byte(rng.Uint32())
		}
		f.Add(changed)
	}
}

func FuzzCSV(f *testing.F) {
	debug.SetMemoryLimit(2 << 30)
	addSeeds(f, filepath.Join(badDir, "*.csv*"))
	for _, text := range []string{"x\n\"\"\"\n", "\"\n", "a;b\n1,5;2\n", "x\n" + "\"\n\n\"\n", "\ufeffx,y\r\n1,\"a\r\nb\"\r\n", "a,b\n1,\x00\n", "x|y\n|\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, "a.csv", data, Source{})
		fuzzRead(t, "a.csv", data, Source{Separator: ';', Decimal: ',', NullValues: []string{"NaN", "-"}})
	})
}

func FuzzParquet(f *testing.F) {
	debug.SetMemoryLimit(2 << 30)
	addSeeds(f, filepath.Join(badDir, "*.parquet"))
	addSeeds(f, "../testdata/ingest/*.parquet")
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Zstd} {
		batch, _ := everyType(20)
		var cols []arrow.Array
		var fields []arrow.Field
		for j, field := range batch.Schema().Fields() {
			fields, cols = append(fields, field), append(cols, batch.Column(j))
			if len(cols) == 4 { // small files, a few types each
				one := array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, 20)
				addDamaged(f, parquetBytes(f, one, parquet.WithCompression(codec), parquet.WithStats(false)))
				fields, cols = nil, nil
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, "a.parquet", data, Source{})
	})
}
