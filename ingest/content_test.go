package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/objects/objectstest"
	"glmbatch/internal/words"
)

// wideParquet is a file of columns x0, x1 … of numbers, not compressed, in row groups of 10,000 rows.
func wideParquet(t *testing.T, columns, rows int) []byte {
	t.Helper()
	var fields []arrow.Field
	var cols []arrow.Array
	for j := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("x%d", j), Type: arrow.PrimitiveTypes.Float64})
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(float64((i*7919+j*104729)%1000003) / 3)
		}
		cols = append(cols, b.NewArray())
	}
	schema := arrow.NewSchema(fields, nil)
	table := array.NewRecordBatch(schema, cols, int64(rows))
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithDictionaryDefault(false),
		parquet.WithMaxRowGroupLength(10_000), parquet.WithCompression(compress.Codecs.Uncompressed)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(table)
	}
	if err == nil {
		err = w.Close()
	}
	must(t, err)
	return out.Bytes()
}

func only(names ...string) func(*arrow.Schema) ([]string, error) {
	return func(*arrow.Schema) ([]string, error) { return names, nil }
}

// hashed reads a source, and returns what identifies its values.
func hashed(t *testing.T, src Source) string {
	t.Helper()
	table, err := Read(context.Background(), src)
	must(t, err)
	defer table.Release()
	sum, err := table.Hash(nil)
	must(t, err)
	return sum
}

// Of Parquet in a store the footer and the columns in use are read, and no other bytes but those between two of them
// that lie close together. The values have the hash that they have in a file.
func TestObjectColumns(t *testing.T) {
	const columns, rows = 40, 30_000
	server, data := objectstest.New(t), wideParquet(t, columns, rows)
	server.Put("data/wide.parquet", data)
	file := filepath.Join(t.TempDir(), "wide.parquet")
	must(t, os.WriteFile(file, data, 0o600))
	const chunk = 10_000 * 8 // a column in a row group, and a little more for the heads of its pages
	for _, used := range [][]string{{"x3"}, {"x3", "x4", "x30"}, {"x39", "x0"}} {
		src := Source{Name: "wide", Path: "s3://data/wide.parquet", Columns: only(used...)}
		server.Asked()
		got := hashed(t, src)
		asked, given := server.Asked()
		src.Path = file
		if want := hashed(t, src); got != want {
			t.Errorf("%v: other values than in the file", used)
		}
		needed := int64(len(used) * 3 * chunk)
		if given < needed || given > needed+needed/10+70_000 {
			t.Errorf("%v: %d bytes of %d were read, and %d are needed", used, given, len(data), needed)
		}
		if most := 3 + 3*len(used); len(asked) > most { // HEAD, the beginning, the end, and a range a chunk
			t.Errorf("%v: %d requests, want at most %d: %q", used, len(asked), most, asked)
		}
	}
	server.Asked()
	table, err := Read(context.Background(), Source{Name: "wide", Path: "s3://data/wide.parquet"})
	must(t, err)
	table.Release()
	if asked, given := server.Asked(); len(asked) > 5 || given > int64(len(data)+70_000) {
		t.Errorf("all columns: %d requests for %d bytes of %d", len(asked), given, len(data))
	}
}

// longCSV has a column of numbers, one of text that begins with numbers, and one of text.
func longCSV(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("x,code,name\n")
	for i := range rows {
		code := fmt.Sprint(i)
		if i >= rows/4 {
			code = fmt.Sprintf("c%d", i%50)
		}
		fmt.Fprintf(&b, "%d.5,%s,name %d\n", i, code, i%7)
	}
	return b.Bytes()
}

// A CSV object is read from its beginning to its end by one request a pass, whatever fails on the way.
func TestObjectCSV(t *testing.T) {
	server, data := objectstest.New(t), longCSV(60_000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal("gzip")
	}
	server.Put("data/long.csv", data)
	server.Put("data/long.csv.gz", packed.Bytes())
	file := filepath.Join(t.TempDir(), "long.csv")
	must(t, os.WriteFile(file, data, 0o600))
	want := hashed(t, Source{Name: "long", Path: file})
	for _, name := range []string{"long.csv", "long.csv.gz"} {
		server.Asked()
		src := Source{Name: "long", Path: "s3://data/" + name}
		if got := hashed(t, src); got != want {
			t.Errorf("%s: other values than in the file", name)
		}
		asked, _ := server.Asked()
		if len(asked) != 4 { // HEAD, the beginning, two passes
			t.Errorf("%s: asked %q", name, asked)
		}
		calls := 0
		server.Fail(func(*http.Request) (f objectstest.Fault) {
			switch calls++; calls % 3 {
			case 0:
				f.Cut = 50_000
			case 1:
				f.Status, f.Code = 503, "SlowDown"
			}
			return f
		})
		if got := hashed(t, src); got != want {
			t.Errorf("%s: other values where requests fail", name)
		}
		server.Fail(nil)
	}
}

func TestObjectNames(t *testing.T) {
	server := objectstest.New(t)
	for _, key := range []string{"n/a.csv", "n/b.csv", "n/_mark.csv", "n/.hidden.csv", "n/notes.txt", "n/deep/c.csv"} {
		server.Put("data/"+key, []byte("x\n1\n2\n"))
	}
	ctx := context.Background()
	for path, want := range map[string]string{
		"s3://data/n":            "n/a.csv n/b.csv",
		"s3://data/n/":           "n/a.csv n/b.csv",
		"s3://data/n/[a-b]*.csv": "n/a.csv n/b.csv",
		"s3://data/n/*/*.csv":    "n/deep/c.csv",
		"s3://data/n/a.csv":      "n/a.csv",
	} {
		src := Source{Name: "n", Path: path}
		files, err := src.files(ctx)
		if got := strings.ReplaceAll(strings.Join(files, " "), "s3://data/", ""); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
	units, err := Expand(ctx, Source{Name: "n", Path: "s3://data/n", Each: true})
	if err != nil || len(units) != 2 || units[1].Key != "b" || units[1].Path != "s3://data/n/b.csv" {
		t.Errorf("one unit an object: %v, %v", units, err)
	}
	table, err := Read(ctx, Source{Name: "n", Path: "s3://data/n/*.csv", Columns: only("x")})
	if err != nil || table.Data.NumRows() != 8 {
		t.Fatalf("objects one after the other: %v", err)
	}
	table.Release()
}

// Errors name the data set and the object, and say what to do; none has a secret.
func TestObjectErrors(t *testing.T) {
	server := objectstest.New(t)
	server.Put("data/n/a.csv", longCSV(10_000))
	server.Put("data/n/wide.parquet", wideParquet(t, 3, 20_000))
	server.Put("data/n/bad.csv", []byte("x,y\n1,2\n2,oops\n3,4\n4,5\n"))
	server.Put("data/n/empty.csv", nil)
	down := func(r *http.Request) (f objectstest.Fault) {
		if strings.HasPrefix(r.Header.Get("Range"), "bytes=") && r.Header.Get("Range") != "bytes=0-15" {
			f.Status, f.Code = 403, "AccessDenied"
		}
		return f
	}
	for name, c := range map[string]struct {
		path  string
		fault func(*http.Request) objectstest.Fault
		want  string
		hint  string
	}{
		"missing":         {"s3://data/n/b.csv", nil, `dataset "claims", s3://data/n/b.csv: there is no such object`, "a.csv, bad.csv, empty.csv, wide.parquet"},
		"no match":        {"s3://data/n/z*.csv", nil, "s3://data/n/z*.csv: no object matches", "a.csv"},
		"empty":           {"s3://data/n/empty.csv", nil, "the object is empty", ""},
		"empty folder":    {"s3://data/none/", nil, "the folder holds no", "glob"},
		"cell":            {"s3://data/n/bad.csv", nil, `dataset "claims", column "y", row 2 (line 3 of bad.csv)`, "null_values"},
		"csv refused":     {"s3://data/n/a.csv", down, `dataset "claims", s3://data/n/a.csv: the object store`, "AWS_ACCESS_KEY_ID"},
		"parquet refused": {"s3://data/n/wide.parquet", down, "answers 403 AccessDenied", "AWS_ACCESS_KEY_ID"},
		"no bucket":       {"s3://", nil, "no bucket", "s3://bucket/key"},
		"bad bucket":      {"s3://A/x.csv", nil, `bucket "A"`, "s3://bucket/key"},
	} {
		t.Run(name, func(t *testing.T) {
			server.Fail(c.fault)
			_, err := Read(context.Background(), Source{Name: "claims", Path: c.path})
			if err == nil {
				t.Fatal("no error")
			}
			message, hint := words.Parts(err)
			if !strings.Contains(message, c.want) || !strings.Contains(hint, c.hint) || strings.Contains(message+hint, "secret-") {
				t.Errorf("%s\nhint: %s", message, hint)
			}
			var at *SourceError
			var in *ColumnError
			if !errors.As(err, &at) && !errors.As(err, &in) {
				t.Errorf("%T", err)
			}
		})
	}
}

// A spec that may use some folders alone reads no object outside of those that are named.
func TestObjectFence(t *testing.T) {
	server := objectstest.New(t)
	server.Put("data/n/a.csv", []byte("x\n1\n2\n"))
	server.Put("data/nn/a.csv", []byte("x\n1\n2\n"))
	for _, c := range []struct {
		within []string
		path   string
		ok     bool
	}{
		{[]string{t.TempDir()}, "s3://data/n/a.csv", false},
		{[]string{t.TempDir(), "s3://data/n"}, "s3://data/n/a.csv", true},
		{[]string{"s3://data/n/"}, "s3://data/n/*.csv", true},
		{[]string{"s3://data/n"}, "s3://data/n", true},
		{[]string{"s3://data/n"}, "s3://data/nn/a.csv", false},
		{[]string{"s3://data/n"}, "s3://data/n*/a.csv", false},
		{[]string{"s3://data/n"}, "s3://data/n/../nn/a.csv", false},
		{[]string{"s3://data"}, "s3://data/nn/a.csv", true},
		{[]string{"s3://dat"}, "s3://data/nn/a.csv", false},
		{[]string{"/"}, "s3://data/nn/a.csv", false},
		{[]string{"s3://data"}, "/etc/hostname", false},
		{nil, "s3://data/nn/a.csv", true},
	} {
		server.Asked()
		table, err := Read(context.Background(), Source{Name: "n", Path: c.path, Within: c.within})
		if table != nil {
			table.Release()
		}
		asked, _ := server.Asked()
		if (err == nil) != c.ok || !c.ok && len(asked) > 0 {
			t.Errorf("%s within %q: %v, asked %q", c.path, c.within, err, asked)
		}
		if errors.Is(err, errOutside) {
			if _, hint := words.Parts(err); !strings.Contains(hint, "--allow s3://") && words.IsObject(c.path) {
				t.Errorf("%s: hint %q", c.path, hint)
			}
		}
	}
	for path, want := range map[string]string{"s3://data/n/*.csv": "s3://data/n", "s3://data/*/x/?.csv": "s3://data",
		"s3://data/n/a.csv": "s3://data/n/a.csv", "s3://da*/x": "s3://"} {
		if got := Stem(path); got != want {
			t.Errorf("stem of %s: %s, want %s", path, got, want)
		}
	}
}

// A source whose rows are read in blocks reads an object once in each pass.
func TestObjectStream(t *testing.T) {
	server := objectstest.New(t)
	server.Put("data/wide.parquet", wideParquet(t, 5, 80_000))
	s, err := Open(context.Background(), Source{Name: "wide", Path: "s3://data/wide.parquet", Columns: only("x1", "x2")})
	must(t, err)
	defer s.Close()
	var rows []int64
	for range 2 {
		n := int64(0)
		err := s.Each(context.Background(), func(t *Table) error { n += t.Data.NumRows(); return nil })
		must(t, err)
		rows = append(rows, n)
	}
	if !slices.Equal(rows, []int64{80_000, 80_000}) {
		t.Errorf("rows %d", rows)
	}
}
