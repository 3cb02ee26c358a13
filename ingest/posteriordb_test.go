package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/references"
)

var update = flag.Bool("update", false, "write the goldens")

// TestDiamondsCopy: the copy of a reference posterior's design that the tests
// of infer read, which know no Parquet, is the file itself, number by number.
func TestDiamondsCopy(t *testing.T) {
	parquet := filepath.Join(references.Folder(t, "posteriordb"), "design", "diamonds-diamonds.parquet")
	table, err := Read(context.Background(), Source{Name: "diamonds", Path: parquet})
	must(t, err)
	defer table.Data.Release()
	rows := make([][]string, table.Data.NumRows()+1)
	for j, field := range table.Data.Schema().Fields() {
		rows[0] = append(rows[0], field.Name)
		i := 1
		for _, chunk := range table.Data.Column(j).Data().Chunks() {
			for _, v := range chunk.(*array.Float64).Values() {
				rows[i] = append(rows[i], strconv.FormatFloat(v, 'g', -1, 64))
				i++
			}
		}
	}
	var want bytes.Buffer
	must(t, csv.NewWriter(&want).WriteAll(rows))
	copied := filepath.Join("..", "infer", "infertest", "testdata", "diamonds-diamonds.csv.gz")
	if *update {
		writeZip(t, copied, want.Bytes())
		return
	}
	if got := readZip(t, copied); !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is another design than %s (make golden writes it)", copied, parquet)
	}
}

func writeZip(t *testing.T, path string, text []byte) {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	must(t, err)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	must(t, os.WriteFile(path, out.Bytes(), 0o644))
}

func readZip(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	var out bytes.Buffer
	if _, err := out.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
