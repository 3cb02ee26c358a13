package ingest

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/references"
)

// tallRows is the number of rows of the tall benchmark: 500,000 unless
// GLMBATCH_TALL_ROWS says otherwise (5000000 for the full size).
func tallRows(b *testing.B) int {
	b.Helper()
	s := os.Getenv("GLMBATCH_TALL_ROWS")
	if s == "" {
		return 500_000
	}
	n, err := strconv.Atoi(s)
	must(b, err)
	return n
}

const tallCols = 20

// tallCell is the value of the tall table at a row and column: five decimals.
func tallCell(rng *rand.Rand) float64 { return float64(rng.Int64N(2_000_000)-1_000_000) / 100_000 }

func tallCSV(b *testing.B, rows int) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "tall.csv")
	f, err := os.Create(path)
	must(b, err)
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprint(w, "y")
	for j := range tallCols {
		fmt.Fprintf(w, ",x%d", j)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var line []byte
	for range rows {
		line = append(line[:0], '\n', '0')
		for range tallCols {
			line = strconv.AppendFloat(append(line, ','), tallCell(rng), 'g', -1, 64)
		}
		if _, err := w.Write(line); err != nil {
			b.Fatal(err)
		}
	}
	must(b, w.Flush())
	must(b, f.Close())
	return path
}

func tallParquet(b *testing.B, rows int) string {
	b.Helper()
	mem := memory.NewGoAllocator()
	path := filepath.Join(b.TempDir(), "tall.parquet")
	f, err := os.Create(path)
	must(b, err)
	fields := make([]arrow.Field, tallCols)
	for j := range fields {
		fields[j] = arrow.Field{Name: fmt.Sprintf("x%d", j), Type: arrow.PrimitiveTypes.Float64}
	}
	schema := arrow.NewSchema(fields, nil)
	w, err := pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)), pqarrow.DefaultWriterProps())
	must(b, err)
	rng := rand.New(rand.NewPCG(1, 2))
	for done := 0; done < rows; done += 100_000 {
		n := min(100_000, rows-done)
		arrays := make([]arrow.Array, tallCols)
		for j := range arrays {
			build := array.NewFloat64Builder(mem)
			for range n {
				build.Append(tallCell(rng))
			}
			arrays[j] = build.NewArray()
		}
		must(b, w.Write(array.NewRecordBatch(schema, arrays, int64(n))))
	}
	must(b, w.Close())
	return path
}

// benchRead reports the time per cell and the peak of the heap, sampled every
// millisecond, beyond what was in use before.
func benchRead(b *testing.B, src Source) {
	b.Helper()
	var cells int64
	peak := uint64(0)
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		stop, done := make(chan struct{}), make(chan uint64)
		go samplePeak(stop, done)
		b.StartTimer()
		table, err := Read(context.Background(), src)
		must(b, err)
		b.StopTimer()
		close(stop)
		peak = max(peak, <-done)
		cells = table.Data.NumRows() * table.Data.NumCols()
		table.Release()
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
	b.ReportMetric(float64(peak)/(1<<20), "MB-peak")
	b.ReportMetric(float64(cells)*8/(1<<20), "MB-data")
}

func samplePeak(stop <-chan struct{}, done chan<- uint64) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, m.HeapAlloc
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			done <- peak - before
			return
		case <-tick.C:
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	rows := tallRows(b)
	for labels, of := range []func(string) bool{func(string) bool { return false }, func(name string) bool { return name == "x0" }} {
		b.Run(fmt.Sprintf("format=csv/rows=%d/cols=%d/labels=%d", rows, tallCols+1, labels), func(b *testing.B) {
			path := tallCSV(b, rows)
			info, err := os.Stat(path)
			must(b, err)
			b.SetBytes(info.Size())
			benchRead(b, Source{Path: path, Labels: of})
		})
	}
	b.Run(fmt.Sprintf("format=parquet/rows=%d/cols=%d", rows, tallCols), func(b *testing.B) {
		benchRead(b, Source{Path: tallParquet(b, rows)})
	})
	for _, name := range []string{"ALLAML", "BASEHOCK", "colon"} {
		b.Run("format=parquet/panel="+name, func(b *testing.B) {
			benchRead(b, Source{Path: filepath.Join(references.Folder(b, "panel"), name+".parquet")})
		})
	}
}

func BenchmarkHash(b *testing.B) {
	table, err := Read(context.Background(), Source{Path: tallParquet(b, 100_000)})
	must(b, err)
	defer table.Release()
	for b.Loop() {
		if _, err := table.Hash(nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(100_000*tallCols), "ns/cell")
}

func BenchmarkSplit(b *testing.B) {
	const rows, groups = 1_000_000, 100
	path := filepath.Join(b.TempDir(), "a.csv")
	f, err := os.Create(path)
	must(b, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "g,x,y")
	for i := range rows {
		fmt.Fprintf(w, "g%d,%d,%d.5\n", i%groups, i, i)
	}
	must(b, w.Flush())
	must(b, f.Close())
	table, err := Read(context.Background(), Source{Path: path})
	must(b, err)
	defer table.Release()
	for b.Loop() {
		parts, err := table.Split([]string{"g"})
		must(b, err)
		for _, p := range parts {
			p.Release()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
