package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// bomb compresses a text many times over, and its head once.
func bomb(t *testing.T, head, text string, times int) string {
	t.Helper()
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if _, err := io.WriteString(z, head); err != nil {
		t.Fatal(err)
	}
	for range times {
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
	}
	must(t, z.Close())
	return out.String()
}

// A small file with a large content is refused while it is read, by the size of its cells and of its text, with the
// memory that it would need and the remedy.
func TestBombs(t *testing.T) {
	const most = 8 << 20
	only := func(names ...string) func(*Schema) ([]string, error) {
		return func(*Schema) ([]string, error) { return names, nil }
	}
	numbers := bomb(t, "y,x\n", strings.Repeat("1,2\n", 1<<14), 256) // 16 MiB of text, 64 MiB of numbers
	// 48 MiB in a column that is not needed
	unused := bomb(t, "y,x,z\n", "1,2,"+strings.Repeat("z", 1<<20)+"\n", 48)
	mixed := bomb(t, "y,x\n1,2\n", strings.Repeat("1,2\nw,w\n", 1<<13), 512)                // cells that are counted only
	texts := bomb(t, "y,x\n", "1,"+strings.Repeat("t", 1<<20)+"\n", 24)                     // 24 cells
	blanks := bomb(t, "y,x\n", strings.Repeat("1,\n", 1<<14), 256)                          // a column without values
	lines := bomb(t, "y,x\n", strings.Repeat("true,a\ntrue,\"a\nb\"\ntrue,a\n", 1<<14), 64) // 17 MB of places, 1 of cells
	for name, c := range map[string]struct {
		data string
		src  Source
		want []string
	}{
		"numbers":      {numbers, Source{}, []string{"the data need more than 8 MB of memory", "hint: name fewer columns"}},
		"blank cells":  {blanks, Source{}, []string{"the data need ", "--memory"}},
		"text":         {texts, Source{}, []string{"the data need ", "--memory"}},
		"unused text":  {unused, Source{}, []string{"the compressed data hold more than 34 MB of text", "hint: decompress it, or write it as Parquet"}},
		"less text":    {numbers, Source{MaxText: 1 << 20}, []string{"more than 1 MB of text"}},
		"mixed cells":  {mixed, Source{MaxText: 6 << 20}, []string{"more than 6 MB of text"}},
		"broken lines": {lines, Source{Columns: only("y")}, []string{"the data need "}},
	} {
		src := c.src
		src.Name, src.Path = "d", writeTemp(t, "bomb.csv.gz", c.data)
		if src.MaxBytes == 0 {
			src.MaxBytes = most
		}
		if src.Columns == nil {
			src.Columns = only("y", "x")
		}
		_, err := readTest(t, src)
		for _, want := range append(c.want, `dataset "d"`, "bomb.csv.gz") {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
	// As much text as may be is read.
	text := "y,x\n" + strings.Repeat("1,2\n", 1000)
	path := writeTemp(t, "a.csv.gz", bomb(t, text, "", 0))
	mustRead(t, Source{Path: path, MaxText: int64(len(text))})
	if _, err := readTest(t, Source{Path: path, MaxText: int64(len(text)) - 1}); err == nil {
		t.Error("a byte more than may be was read")
	}
}

// The memory for the whole file is estimated from the part that was read.
func TestBombIsForeseen(t *testing.T) {
	path := writeTemp(t, "a.csv", "x\n"+strings.Repeat("1.5\n", 2<<20)) // 16 MiB of numbers
	_, err := readTest(t, Source{Path: path, MaxBytes: 4 << 20})
	var over *budgetError
	if !errors.As(err, &over) || over.need < 14<<20 || over.need > 20<<20 {
		t.Errorf("got %v, want about 17 MB of need", err)
	}
}

// Rows of a query are bounded before they are read, and so are triplets.
func TestQueriesAndTripletsAreBounded(t *testing.T) {
	_, err := readTest(t, Source{Name: "q", SQL: "SELECT 1.5 * range AS y FROM range(2000000)", MaxBytes: 4 << 20})
	if err == nil || !strings.Contains(err.Error(), `dataset "q": 2000000 rows of 1 columns: the data need about 16 MB of memory, and reading may take 4 MB`) {
		t.Errorf("rows of a query: %v", err)
	}
	base := writeTemp(t, "rows.csv", "y\n1\n2\n")
	for name, triplets := range map[string]string{
		"columns": "row,col,value\n1,1000000,1\n",
		"entries": "row,col,value\n" + strings.Repeat("1,1,1\n", 200_000),
	} {
		_, err := readTest(t, Source{Name: "d", Path: base, MaxBytes: 5_500_000,
			Triplets: &Triplets{Path: writeTemp(t, "t.csv", triplets), Row: "row", Col: "col", Value: "value", Prefix: "x"}})
		if err == nil || !strings.Contains(err.Error(), "t.csv: ") || !strings.Contains(err.Error(), "of memory, and reading may take 6 MB") {
			t.Errorf("%s of triplets: %v", name, err)
		}
	}
}

// A Parquet column that decodes to more than may be read is no damaged file.
func TestParquetOverBudget(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 1000 {
		b.Append(strings.Repeat("t", 100_000) + strconv.Itoa(i))
	}
	texts := b.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: texts.DataType()}}, nil)
	out := writeParquet(t, array.NewRecordBatch(schema, []arrow.Array{texts}, 1000))
	_, err := readTest(t, Source{Name: "d", Path: out, MaxBytes: 4 << 20})
	if err == nil || !strings.Contains(err.Error(), "the data need more than 4 MB of memory") || strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
}

// Columns that grow claim their memory in steps, beyond the first; where the claim fails, reading does.
func TestMemoryIsClaimed(t *testing.T) {
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	numbers.AppendValues(make([]int64, 16<<20), nil)
	column := numbers.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: column.DataType()}}, nil)
	path := writeParquet(t, array.NewRecordBatch(schema, []arrow.Array{column}, 16<<20)) // 128 MiB
	var claimed int64
	src := Source{Path: path, Claim: func(n int64) error { claimed += n; return nil }}
	mustRead(t, src)
	if claimed < 64<<20 || claimed > 128<<20 {
		t.Errorf("%d MiB were claimed for 128 but the first 64", claimed>>20)
	}
	src.Claim = func(int64) error { return context.Canceled }
	if _, err := readTest(t, src); !errors.Is(err, context.Canceled) {
		t.Errorf("a claim that failed: %v", err)
	}
	src.Path, claimed = writeTemp(t, "b.csv", "x\n1\n2\n"), 0
	src.Claim = func(n int64) error { claimed += n; return nil }
	if mustRead(t, src); claimed != 0 {
		t.Errorf("a small table claims %d bytes", claimed)
	}
}

// From some bytes on the numbers of a table are outside the heap, and are the same; if that memory is not enough
// either, the file is refused.
func TestBeyondTheHeap(t *testing.T) {
	const rows = 3 * chunkRows
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	for i := range rows {
		b.Append(float64(i))
	}
	x := b.NewArray()
	path := writeParquet(t, array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: x.DataType()}}, nil),
		[]arrow.Array{x}, rows))
	plain := mustRead(t, Source{Path: path})
	want, err := plain.Hash(nil)
	must(t, err)
	const chunk = 8 * chunkRows
	for heap, out := range map[int64]int{0: 3 * chunk, chunk: 2 * chunk, 2*chunk + 100: chunk, 4 * chunk: 0} {
		beyond := memory.NewCheckedAllocator(memory.NewGoAllocator())
		source := Source{Path: path, Beyond: Beyond{Memory: beyond, Heap: heap, Most: 3 * chunk}}
		table, err := readTest(t, source)
		must(t, err)
		if got := beyond.CurrentAlloc(); got != out {
			t.Errorf("%d bytes in the heap: %d beyond it, want %d", heap, got, out)
		}
		if got, err := table.Hash(nil); err != nil || got != want {
			t.Errorf("%d bytes in the heap: %s, %v", heap, got, err)
		}
		table.Drop("x")
		beyond.AssertSize(t, 0)
	}
	beyond := memory.NewCheckedAllocator(memory.NewGoAllocator())
	_, err = readTest(t, Source{Path: path, Beyond: Beyond{Memory: beyond, Heap: chunk, Most: chunk}})
	var over *budgetError
	if !errors.As(err, &over) || over.most != 2*chunk {
		t.Errorf("three chunks where there is room for two: %v", err)
	}
	beyond.AssertSize(t, 0)
}
