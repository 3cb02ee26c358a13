package ingest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// parquetBytes writes a batch with arrow-go's own writer.
func parquetBytes(t testing.TB, batch arrow.RecordBatch, opts ...parquet.WriterProperty) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(batch.Schema(), &b, parquet.NewWriterProperties(opts...), pqarrow.DefaultWriterProps())
	must(t, err)
	must(t, w.Write(batch))
	must(t, w.Close())
	return b.Bytes()
}

func writeParquet(t testing.TB, batch arrow.RecordBatch, opts ...parquet.WriterProperty) string {
	t.Helper()
	return writeTemp(t, "a.parquet", string(parquetBytes(t, batch, opts...)))
}

// everyType makes a batch with a column of every type that a table can hold,
// each named by its type, and the cells that reading it must give. Row 2 of
// every column is null.
func everyType(rows int) (arrow.RecordBatch, map[string][]string) {
	mem := memory.NewGoAllocator()
	var fields []arrow.Field
	var arrays []arrow.Array
	want := make(map[string][]string)
	add := func(b array.Builder, value func(i int) string) {
		name := b.Type().String()
		for i := range rows {
			if i == 2 {
				b.AppendNull()
				want[name] = append(want[name], ".")
			} else {
				want[name] = append(want[name], value(i))
			}
		}
		fields = append(fields, arrow.Field{Name: name, Type: b.Type(), Nullable: true})
		arrays = append(arrays, b.NewArray())
	}
	addIntegers(mem, add)
	addFractions(mem, add)
	addOthers(mem, add)
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, int64(rows)), want
}

type adder func(b array.Builder, value func(i int) string)

func addIntegers(mem memory.Allocator, add adder) {
	edge := func(i int, lo, hi int64) int64 { return []int64{lo, hi, 0, int64(i) % 100}[min(i, 3)] }
	i8, i16, i32, i64 := array.NewInt8Builder(mem), array.NewInt16Builder(mem), array.NewInt32Builder(mem), array.NewInt64Builder(mem)
	u8, u16, u32, u64 := array.NewUint8Builder(mem), array.NewUint16Builder(mem), array.NewUint32Builder(mem), array.NewUint64Builder(mem)
	add(i8, func(i int) string { v := edge(i, math.MinInt8, math.MaxInt8); i8.Append(int8(v)); return fmt.Sprint(v) })
	add(i16, func(i int) string {
		v := edge(i, math.MinInt16, math.MaxInt16)
		i16.Append(int16(v))
		return fmt.Sprint(v)
	})
	add(i32, func(i int) string {
		v := edge(i, math.MinInt32, math.MaxInt32)
		i32.Append(int32(v))
		return fmt.Sprint(v)
	})
	add(i64, func(i int) string { v := edge(i, math.MinInt64, math.MaxInt64); i64.Append(v); return fmt.Sprint(v) })
	add(u8, func(i int) string { v := edge(i, 0, math.MaxUint8); u8.Append(uint8(v)); return fmt.Sprint(v) })
	add(u16, func(i int) string { v := edge(i, 0, math.MaxUint16); u16.Append(uint16(v)); return fmt.Sprint(v) })
	add(u32, func(i int) string { v := edge(i, 0, math.MaxUint32); u32.Append(uint32(v)); return fmt.Sprint(v) })
	add(u64, func(i int) string { v := edge(i, 0, math.MaxInt64); u64.Append(uint64(v)); return fmt.Sprint(v) })
}

func addFractions(mem memory.Allocator, add adder) {
	f16, f32, f64 := array.NewFloat16Builder(mem), array.NewFloat32Builder(mem), array.NewFloat64Builder(mem)
	spell := func(v float64) string { return spellFloat(v) }
	add(f16, func(i int) string {
		v := float16.New(float32(i%50) + 0.5)
		f16.Append(v)
		return spell(float64(v.Float32()))
	})
	add(f32, func(i int) string { v := float32(i) + 0.1; f32.Append(v); return spell(float64(v)) })
	add(f64, func(i int) string {
		v := []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 0, float64(i) + 0.1}[min(i, 3)]
		f64.Append(v)
		return spell(v)
	})
	cents := func(i int) int64 { return int64(i%2000)*100 + 10 }
	for _, typ := range []arrow.DataType{
		&arrow.Decimal128Type{Precision: 9, Scale: 2}, &arrow.Decimal128Type{Precision: 18, Scale: 2}, &arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 60, Scale: 2},
	} {
		b := array.NewBuilder(mem, typ)
		add(b, func(i int) string {
			_ = b.AppendValueFromString(fmt.Sprintf("%d.%02d", cents(i)/100, cents(i)%100))
			return spell(float64(cents(i)) / 100)
		})
	}
}

func addOthers(mem memory.Allocator, add adder) {
	text := func(i int) string { return []string{"", "größe µ", "", "NA", strings.Repeat("x", i%40)}[min(i, 4)] }
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary} {
		b := array.NewBuilder(mem, typ)
		add(b, func(i int) string {
			switch b := b.(type) {
			case *array.StringBuilder:
				b.Append(text(i))
			case *array.LargeStringBuilder:
				b.Append(text(i))
			case *array.BinaryBuilder:
				b.AppendString(text(i))
			}
			return text(i)
		})
	}
	dict := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	add(dict, func(i int) string { _ = dict.AppendString(text(i % 7)); return text(i % 7) })
	bools := array.NewBooleanBuilder(mem)
	add(bools, func(i int) string { bools.Append(i%3 == 0); return fmt.Sprint(i%3 == 0) })
	d32, d64 := array.NewDate32Builder(mem), array.NewDate64Builder(mem)
	day := func(i int) string { return render(newDay(mem, arrow.Date32(i-100)), 0) }
	add(d32, func(i int) string { d32.Append(arrow.Date32(i - 100)); return day(i) })
	add(d64, func(i int) string { d64.Append(arrow.Date64(int64(i-100) * 86_400_000)); return day(i) })
	for unit, perSecond := range map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1000, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9} {
		b := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: unit, TimeZone: "UTC"})
		add(b, func(i int) string {
			b.Append(arrow.Timestamp((int64(i) - 1) * perSecond))
			return time.Unix(int64(i)-1, 0).UTC().Format(time.DateTime)
		})
	}
}

func newDay(mem memory.Allocator, d arrow.Date32) arrow.Array {
	b := array.NewDate32Builder(mem)
	b.Append(d)
	return b.NewArray()
}

// Every type, with every codec, page version, encoding and size of row group
// that arrow-go writes.
func TestEveryType(t *testing.T) {
	batch, want := everyType(50)
	for _, codec := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			for _, dict := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/v%d/dictionary=%t", codec, version+1, dict), func(t *testing.T) {
					path := writeParquet(t, batch, parquet.WithCompression(codec), parquet.WithDataPageVersion(version),
						parquet.WithDictionaryDefault(dict), parquet.WithMaxRowGroupLength(20), parquet.WithDataPageSize(64))
					sameTable(t, mustRead(t, Source{Path: path}), want)
				})
			}
		}
	}
}

func TestEncodings(t *testing.T) {
	batch, want := everyType(300)
	for name, c := range map[string]struct {
		encoding parquet.Encoding
		columns  []string
	}{
		"BYTE_STREAM_SPLIT":       {parquet.Encodings.ByteStreamSplit, []string{"float", "double", "int32", "int64"}},
		"DELTA_BINARY_PACKED":     {parquet.Encodings.DeltaBinaryPacked, []string{"int8", "int32", "int64", "uint16", "date32"}},
		"DELTA_BYTE_ARRAY":        {parquet.Encodings.DeltaByteArray, []string{"utf8", "binary"}},
		"DELTA_LENGTH_BYTE_ARRAY": {parquet.Encodings.DeltaLengthByteArray, []string{"utf8", "binary"}},
		"RLE":                     {parquet.Encodings.RLE, []string{"bool"}},
	} {
		t.Run(name, func(t *testing.T) {
			var opts []parquet.WriterProperty
			for _, col := range c.columns {
				opts = append(opts, parquet.WithDictionaryFor(col, false), parquet.WithEncodingFor(col, c.encoding))
			}
			opts = append(opts, parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithCompression(compress.Codecs.Zstd))
			// Without the counting allocator: arrow-go's delta decoders keep 64
			// bytes each for the garbage collector.
			table, err := Read(context.Background(), Source{Path: writeParquet(t, batch, opts...)})
			must(t, err)
			defer table.Release()
			sameTable(t, table, want)
		})
	}
}

func sameTable(t *testing.T, table *Table, want map[string][]string) {
	t.Helper()
	if got := int(table.Data.NumCols()); got != len(want) {
		t.Errorf("%d columns, want %d; warnings: %q", got, len(want), table.Warnings)
	}
	for name, w := range want {
		got := cells(t, table, name)
		if len(got) != len(w) {
			t.Errorf("%s: %d cells, want %d", name, len(got), len(w))
			continue
		}
		for i := range w {
			if got[i] != w[i] {
				t.Errorf("%s, row %d: %q, want %q", name, i, got[i], w[i])
				break
			}
		}
	}
}

// Decimals are rounded once, so that they equal the same digits in a CSV file.
func TestDecimalsRoundOnce(t *testing.T) {
	for _, c := range []struct {
		digits string
		scale  int32
	}{
		{"1", 1}, {"-1", 1}, {"123456789012345678901234567890", 10}, {"9007199254740993", 0}, {"9007199254740993", 2}, {"9009668390521239", 1},
		{"-99999999999999999999999999999999999999", 38}, {"18446744073709551616", 5}, {"-9223372036854775809", 2}, {"5", 30},
	} {
		mem := memory.NewGoAllocator()
		n, err := decimal128.FromString(c.digits, 38, 0)
		must(t, err)
		b128 := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 38, Scale: c.scale})
		b128.Append(n)
		b256 := array.NewDecimal256Builder(mem, &arrow.Decimal256Type{Precision: 76, Scale: c.scale})
		b256.Append(decimal256.FromDecimal128(n))
		want, ok := newGrammar(nil, 0).number(fmt.Sprintf("%se-%d", c.digits, c.scale))
		if !ok {
			t.Fatalf("%v is not a number", c)
		}
		arrays := []arrow.Array{b128.NewArray(), b256.NewArray()}
		if len(c.digits) < 10 {
			b32 := array.NewDecimal32Builder(mem, &arrow.Decimal32Type{Precision: 9, Scale: c.scale})
			b32.Append(decimal.Decimal32(n.LowBits()))
			b64 := array.NewDecimal64Builder(mem, &arrow.Decimal64Type{Precision: 18, Scale: c.scale})
			b64.Append(decimal.Decimal64(n.LowBits()))
			arrays = append(arrays, b32.NewArray(), b64.NewArray())
		}
		for _, a := range arrays {
			x, err := normalise(mem, a, nil)
			must(t, err)
			if got := x.(*array.Float64).Value(0); got != want.f {
				t.Errorf("%s·10^−%d as %s: %v, want %v", c.digits, c.scale, a.DataType(), got, want.f)
			}
		}
	}
}

// oneColumn makes a batch of one column named x.
func oneColumn(b array.Builder, fill func()) arrow.RecordBatch {
	fill()
	a := b.NewArray()
	return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
}

func TestUnsignedBeyondInt64(t *testing.T) {
	b := array.NewUint64Builder(memory.NewGoAllocator())
	batch := oneColumn(b, func() {
		for i := range chunkRows + 5 {
			b.Append(uint64(i))
		}
		b.Append(math.MaxUint64)
	})
	table := mustRead(t, Source{Path: writeParquet(t, batch)})
	got := cells(t, table, "x")
	if got[3] != "3" || got[len(got)-1] != "1.8446744073709552e+19" {
		t.Errorf("cells %s … %s", got[3], got[len(got)-1])
	}
	if typ := columnOf(t, table, "x").DataType(); typ.ID() != arrow.FLOAT64 {
		t.Errorf("type %s", typ)
	}
}

func TestParquetFaults(t *testing.T) {
	mem := memory.NewGoAllocator()
	f := array.NewFloat64Builder(mem)
	numbers := func(bad float64) string {
		return writeParquet(t, oneColumn(f, func() {
			for range chunkRows {
				f.Append(1)
			}
			f.Append(bad)
			f.Append(math.Inf(1))
		}))
	}
	s := array.NewBinaryBuilder(mem, arrow.BinaryTypes.Binary)
	latin := writeParquet(t, oneColumn(s, func() { s.AppendString("ok"); s.AppendString("M\xfcller") }))
	ts := array.NewTimestampBuilder(mem, &arrow.TimestampType{Unit: arrow.Millisecond})
	late := writeParquet(t, oneColumn(ts, func() { ts.Append(math.MaxInt64) }))
	for name, c := range map[string]struct {
		src  Source
		want []string
	}{
		"NaN":          {Source{Path: numbers(math.NaN())}, []string{`column "x"`, "row 65537 of a.parquet", "NaN is not a finite number"}},
		"infinity":     {Source{Path: numbers(math.NaN()), NullValues: []string{"nan"}}, []string{`column "x"`, "row 65538 of a.parquet", "Inf is not a finite number"}},
		"not UTF-8":    {Source{Path: latin}, []string{`column "x"`, "row 2 of a.parquet", "UTF-8"}},
		"late":         {Source{Path: late}, []string{`column "x"`, "row 1 of a.parquet", "out of range"}},
		"forced":       {Source{Path: filepath.Join(badDir, "text_column.parquet"), Types: map[string]string{"x2": "number"}}, []string{`column "x2"`, "row 24 of text_column.parquet", `"oops" is not a number`}},
		"short":        {Source{Path: writeTemp(t, "b.parquet", "PAR1PAR1")}, []string{"b.parquet", "shorter"}},
		"no footer":    {Source{Path: writeTemp(t, "b.parquet", "PAR1"+strings.Repeat("\x15", 50)+"PAR1")}, []string{"b.parquet", "footer"}},
		"encrypted":    {Source{Path: writeTemp(t, "b.parquet", "PARE"+strings.Repeat("\x15", 50)+"PARE")}, []string{"b.parquet", "encrypted"}},
		"CSV":          {Source{Path: writeTemp(t, "b.parquet", "x,y\n1,2\n3,4\n")}, []string{"b.parquet", "not a Parquet file"}},
		"out of room":  {Source{Path: filepath.Join(badDir, "nulls.parquet"), MaxBytes: 100}, []string{"nulls.parquet", "memory"}},
		"unknown name": {Source{Path: latin, By: []string{"y"}}, []string{`no column "y"`, `"x"`}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readTest(t, c.src)
			if err == nil {
				t.Fatal("read without an error")
			}
			t.Log(err)
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not said in: %v", w, err)
				}
			}
		})
	}
}

func TestForcedInParquet(t *testing.T) {
	b := array.NewInt8Builder(memory.NewGoAllocator())
	batch := oneColumn(b, func() { b.Append(1); b.AppendNull(); b.Append(0) })
	path := writeParquet(t, batch)
	for typ, want := range map[string]string{"text": "1 . 0", "bool": "true . false", "number": "1 . 0"} {
		table := mustRead(t, Source{Path: path, Types: map[string]string{"x": typ}})
		if got := strings.Join(cells(t, table, "x"), " "); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
		if got := columnOf(t, table, "x").DataType(); !has(got, typ) {
			t.Errorf("%s: type %s", typ, got)
		}
	}
}

func TestNaNAsMissing(t *testing.T) {
	b := array.NewFloat32Builder(memory.NewGoAllocator())
	batch := oneColumn(b, func() { b.Append(float32(math.NaN())); b.Append(2) })
	table := mustRead(t, Source{Path: writeParquet(t, batch), NullValues: []string{"NaN"}})
	if got := nullRows(t, table, "x"); got != "[0]" {
		t.Errorf("null rows %s, want [0]", got)
	}
}

// Nested columns are left out by name if a usable one exists, and are an error if a model needs them.
func TestNestedColumns(t *testing.T) {
	mem := memory.NewGoAllocator()
	x := array.NewInt64Builder(mem)
	x.AppendValues([]int64{1, 2}, nil)
	l := array.NewListBuilder(mem, arrow.PrimitiveTypes.Int64)
	for i := range 2 {
		l.Append(true)
		l.ValueBuilder().(*array.Int64Builder).AppendValues([]int64{int64(i), 7}, nil)
	}
	st := array.NewStructBuilder(mem, arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}))
	for range 2 {
		st.Append(true)
		st.FieldBuilder(0).(*array.Int64Builder).Append(5)
	}
	tm := array.NewTime64Builder(mem, &arrow.Time64Type{Unit: arrow.Microsecond})
	tm.AppendValues([]arrow.Time64{1, 2}, nil)
	y := array.NewInt64Builder(mem)
	y.AppendValues([]int64{3, 4}, nil)
	arrays := []arrow.Array{l.NewArray(), x.NewArray(), st.NewArray(), tm.NewArray(), y.NewArray()}
	fields := make([]arrow.Field, len(arrays))
	for i, name := range []string{"list", "x", "struct", "time", "y"} {
		fields[i] = arrow.Field{Name: name, Type: arrays[i].DataType(), Nullable: true}
	}
	path := writeParquet(t, array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, 2))
	table := mustRead(t, Source{Path: path})
	sameTable(t, table, map[string][]string{"x": {"1", "2"}, "y": {"3", "4"}})
	for _, name := range []string{"list", "struct", "time"} {
		if all := strings.Join(table.Warnings, "\n"); !strings.Contains(all, fmt.Sprintf("%q is left out", name)) {
			t.Errorf("no warning of %s: %s", name, all)
		}
	}
	if _, err := readTest(t, Source{Path: path, By: []string{"list"}}); err == nil || !strings.Contains(err.Error(), `column "list", a.parquet: its type is LIST`) {
		t.Errorf("got %v, want the type of list", err)
	}
}

func TestNotRegular(t *testing.T) {
	if _, err := readTest(t, Source{Path: os.DevNull}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
}

// A footer that claims other numbers than the file holds is an error, not
// fewer rows.
func TestClaims(t *testing.T) {
	batch, _ := everyType(50)
	path := writeParquet(t, batch, parquet.WithMaxRowGroupLength(20))
	for name, lie := range map[string]func(f *parquetFile){
		"values": func(f *parquetFile) { f.reader.ParquetReader().MetaData().RowGroups[1].Columns[0].MetaData.NumValues++ },
		"offset": func(f *parquetFile) {
			f.reader.ParquetReader().MetaData().RowGroups[1].Columns[0].MetaData.DataPageOffset = 1 << 40
		},
		"size": func(f *parquetFile) {
			f.reader.ParquetReader().MetaData().RowGroups[1].Columns[0].MetaData.TotalCompressedSize = 1 << 40
		},
		"rows":    func(f *parquetFile) { f.rows++ },
		"nothing": func(*parquetFile) {},
	} {
		f := &parquetFile{src: &Source{}, path: path, mem: memory.NewGoAllocator()}
		in, err := f.src.open(context.Background(), path)
		must(t, err)
		defer in.Close()
		must(t, f.open(in))
		lie(f)
		_, err = f.readColumns(context.Background(), []int{0})
		if (err == nil) != (name == "nothing") {
			t.Errorf("%s: got %v", name, err)
		}
		t.Log(name, err)
		meta := f.reader.ParquetReader().MetaData()
		for _, by := range []int64{-1, 1} {
			meta.NumRows += by
			if err := checkRows(meta); err == nil {
				t.Errorf("%d rows in groups of 50 rows: no error", meta.NumRows)
			}
			meta.NumRows -= by
		}
		a, b := meta.RowGroups[0].NumRows, meta.RowGroups[1].NumRows
		meta.RowGroups[0].NumRows, meta.RowGroups[1].NumRows = -1, a+b+1
		if err := checkRows(meta); err == nil {
			t.Error("a group of −1 rows: no error")
		}
	}
}

// A column whose last chunk is all missing still has its values.
func TestMissingLastChunk(t *testing.T) {
	b := array.NewInt64Builder(memory.NewGoAllocator())
	batch := oneColumn(b, func() {
		for i := range chunkRows {
			b.Append(int64(i + 1))
		}
		b.AppendNulls(chunkRows)
	})
	path := writeParquet(t, batch)
	must(t, os.WriteFile(filepath.Join(filepath.Dir(path), "b.csv"), []byte("x\n0.5\n"), 0o644))
	table := mustRead(t, Source{Path: filepath.Dir(path)})
	got := cells(t, table, "x")
	if got[0] != "1" || got[chunkRows] != "." || got[2*chunkRows] != "0.5" {
		t.Errorf("cells %s, %s, %s", got[0], got[chunkRows], got[2*chunkRows])
	}
}

// Before 1970, too, a moment belongs to the day and the microsecond that it is in.
func TestFloorDiv(t *testing.T) {
	for _, c := range [][3]int64{{-1, 1000, -1}, {-1000, 1000, -1}, {-1001, 1000, -2}, {0, 1000, 0}, {1999, 1000, 1}} {
		if got := floorDiv(c[0], c[1]); got != c[2] {
			t.Errorf("floorDiv(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
