package ingest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// sameData writes n, q, s, b, d as Parquet in several physical forms and as
// CSV; every form holds the same values.
func sameData(t *testing.T) map[string]string {
	t.Helper()
	csv := "n,q,s,b,d\n1,0.5,a,true,2026-01-31\n,-2,\"b,c\",false,\n-0,,NA,,1969-12-31\n9007199254740993,0.1,d,true,2000-02-29\n"
	mem := memory.NewGoAllocator()
	null := func(b array.Builder, at int, add func(i int)) arrow.Array {
		for i := range 4 {
			if i == at {
				b.AppendNull()
			} else {
				add(i)
			}
		}
		return b.NewArray()
	}
	n := array.NewInt64Builder(mem)
	ints := []int64{1, 0, 0, 1<<53 + 1}
	dec := array.NewDecimal128Builder(mem, &arrow.Decimal128Type{Precision: 10, Scale: 2})
	flt := array.NewFloat64Builder(mem)
	cents := []int64{50, -200, 0, 10}
	str := array.NewStringBuilder(mem)
	dict := array.NewDictionaryBuilder(mem, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}).(*array.BinaryDictionaryBuilder)
	texts := []string{"a", "b,c", "", "d"}
	bools := array.NewBooleanBuilder(mem)
	d32, d64 := array.NewDate32Builder(mem), array.NewDate64Builder(mem)
	days := []int64{20484, 0, -1, 11016}
	addN := func(i int) { n.Append(ints[i]) }
	addB := func(i int) { bools.Append(i != 1) }
	forms := map[string][]arrow.Array{
		"decimals and dictionaries": {null(n, 1, addN), null(dec, 2, func(i int) { dec.Append(decimal128.FromI64(cents[i])) }),
			null(dict, 2, func(i int) { _ = dict.AppendString(texts[i]) }), null(bools, 2, addB), null(d64, 1, func(i int) { d64.Append(arrow.Date64(days[i] * 86_400_000)) })},
		"plain": {null(n, 1, addN), null(flt, 2, func(i int) { flt.Append(float64(cents[i]) / 100) }),
			null(str, 2, func(i int) { str.Append(texts[i]) }), null(bools, 2, addB), null(d32, 1, func(i int) { d32.Append(arrow.Date32(days[i])) })},
	}
	paths := map[string]string{"CSV": writeTemp(t, "a.csv", csv), "CSV.gz": writeTemp(t, "a.csv.gz", gzipped(t, csv))}
	for name, cols := range forms {
		fields := make([]arrow.Field, len(cols))
		for i, c := range cols {
			fields[i] = arrow.Field{Name: []string{"n", "q", "s", "b", "d"}[i], Type: c.DataType(), Nullable: true}
		}
		batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), cols, 4)
		paths[name] = writeParquet(t, batch, parquet.WithCompression(compress.Codecs.Zstd))
		paths[name+", groups of 3 rows"] = writeParquet(t, batch, parquet.WithMaxRowGroupLength(3), parquet.WithDictionaryDefault(false))
	}
	return paths
}

// The hash is of the values: it does not know how they were stored.
func TestHashOfAllForms(t *testing.T) {
	hashes := make(map[string]string)
	for name, path := range sameData(t) {
		hashes[name] = hashOf(t, mustRead(t, Source{Path: path}))
		if hashes[name] != hashes["CSV"] && hashes["CSV"] != "" || len(hashes[name]) != 64 {
			t.Errorf("%s hashes to %s, CSV to %s", name, hashes[name], hashes["CSV"])
		}
	}
	for name, h := range hashes {
		if h != hashes["CSV"] {
			t.Errorf("%s hashes to %s, CSV to %s", name, h, hashes["CSV"])
		}
	}
}

// Pinned: a change of the canonical form needs a new hashVersion, since it
// makes every stored fit look unknown.
func TestHashIsPinned(t *testing.T) {
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", "n,s,b,d\n1,a,true,2026-01-31\n,,,\n2.5,b,false,1969-12-31\n")})
	const want = "1b873481f81d5c6e0e6f5a68e61bbbaaba0a88c0b4f6ee5739ab51b916557557"
	if got := hashOf(t, table); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// Everything that is data changes the hash, and nothing collides by running
// into its neighbour.
func TestHashTellsApart(t *testing.T) {
	seen := make(map[string]string)
	for _, text := range []string{
		"x,y\na,bc\n", "x,y\nab,c\n", "x,z\na,bc\n", "y,x\na,bc\n", "x\na\n", "x,y\na,bc\na,bc\n",
		"x,y\n1,2\n", "x,y\n2,1\n", "x,y\n1,\n", "x,y\n,1\n", "x,y\n1,0\n", "x,y\n1,true\n", "x,y\n1,false\n",
		"x\n1\n2\n", "x\n2\n1\n", "x\n1\n\"\"\n2\n", "x\n9007199254740993\n", "x\n9007199254740992\n", "x\n9223372036854775807\n", "x\n9223372036854775808\n",
		"x\na\nbc\n", "x\nab\nc\n", "x\n1970-01-02\n", "x\n0.1\n", "x\n0.10000000000000002\n", "x\n-1\n", "x,y\n1,a\n,b\n", "x,y\n,a\n1,b\n",
	} {
		h := hashOf(t, mustRead(t, Source{Path: writeTemp(t, "a.csv", text)}))
		if other, twice := seen[h]; twice {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[h] = text
	}
}

func TestHashOfColumns(t *testing.T) {
	wide := mustRead(t, Source{Path: writeTemp(t, "a.csv", "x,y,z\n1,2,3\n")})
	narrow := mustRead(t, Source{Path: writeTemp(t, "b.csv", "z,x\n3,1\n")})
	a, errA := wide.Hash([]string{"z", "x"})
	b, errB := narrow.Hash(nil)
	if a != b || errA != nil || errB != nil {
		t.Errorf("%s, %v and %s, %v", a, errA, b, errB)
	}
	var missing *ColumnError
	if _, err := wide.Hash([]string{"w"}); !errors.As(err, &missing) || missing.Column != "w" {
		t.Errorf("got %v, want a ColumnError of w", err)
	}
}

// A column without any value hashes alike whatever its type claims to be.
func TestHashWithoutValues(t *testing.T) {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.AppendNulls(2)
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.BinaryTypes.String, Nullable: true}}, nil), []arrow.Array{b.NewArray()}, 2)
	text := mustRead(t, Source{Path: writeParquet(t, batch)})
	csv := mustRead(t, Source{Path: writeTemp(t, "a.csv", "x\nNA\nNA\n")})
	if hashOf(t, text) != hashOf(t, csv) {
		t.Error("missing text and missing numbers differ")
	}
}

func TestSplit(t *testing.T) {
	table := mustRead(t, Source{Key: "claims", Path: writeTemp(t, "a.csv",
		"region,year,x,s\nsouth,2024,1,a\n\"north, old\",2023,2,b\nsouth,2023,3,\nsouth,2024,,d\n\"north, old\",10,5,e\n")})
	for _, c := range []struct {
		by   []string
		want string
	}{
		{[]string{"region"}, `claims/"north, old" 2 5|claims/south 1 3 .`},
		{[]string{"year"}, `claims/10 5|claims/2023 2 3|claims/2024 1 .`}, // by number, not by text
		{[]string{"region", "year"}, `claims/"north, old",10 5|claims/"north, old",2023 2|claims/south,2023 3|claims/south,2024 1 .`},
	} {
		groups, err := table.Split(c.by)
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, g := range groups {
			got = append(got, g.Key+" "+strings.Join(cells(t, g, "x"), " "))
			for _, name := range c.by {
				if g.Data.Schema().HasField(name) {
					t.Errorf("group %s keeps its column %s", g.Key, name)
				}
			}
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("by %q: %s\nwant %s", c.by, s, c.want)
		}
		last := groups[len(groups)-1]
		if got, want := last.Locate(last.Data.NumRows()-1), "row 4 (line 5 of a.csv)"; got != want {
			t.Errorf("by %q: Locate: %s, want %s", c.by, got, want)
		}
		for _, g := range groups {
			g.Release()
		}
	}
}

// A split group is the same data as the rows of a query that selects it.
func TestSplitAcrossChunks(t *testing.T) {
	var all, odd strings.Builder
	all.WriteString("g,x\n")
	odd.WriteString("x\n")
	const rows = chunkRows + 1001
	for i := range rows {
		fmt.Fprintf(&all, "%d,%d\n", i%2, i)
		if i%2 == 1 {
			fmt.Fprintf(&odd, "%d\n", i)
		}
	}
	groups, err := mustRead(t, Source{Path: writeTemp(t, "a.csv", all.String())}).Split([]string{"g"})
	must(t, err)
	want := mustRead(t, Source{Path: writeTemp(t, "b.csv", odd.String())})
	if len(groups) != 2 || groups[1].Key != "1" || hashOf(t, groups[1]) != hashOf(t, want) {
		t.Errorf("%d groups, the second of %d rows, want %d", len(groups), groups[1].Data.NumRows(), want.Data.NumRows())
	}
	again, err := groups[1].Split([]string{"x"})
	must(t, err)
	if got, want := again[chunkRows/2].Locate(0), fmt.Sprintf("row %d ", chunkRows+2); !strings.HasPrefix(got, want) {
		t.Errorf("a group of a group: %s, want %s", got, want)
	}
	for _, g := range append(groups, again...) {
		g.Release()
	}
}

func TestSplitFaults(t *testing.T) {
	var many strings.Builder
	many.WriteString("g,x\n,1\n")
	for i := range maxGroups + 1 {
		fmt.Fprintf(&many, "%d,1\n", i)
	}
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", "g,x\n,1\n2,1\n")})
	ids := mustRead(t, Source{Path: writeTemp(t, "b.csv", strings.Replace(many.String(), "\n,1", "", 1))})
	for want, f := range map[string]func() ([]*Table, error){
		`column "g", row 1 (line 2 of a.csv): the group is missing`: func() ([]*Table, error) { return table.Split([]string{"g"}) },
		`more than 65536 groups`:                                    func() ([]*Table, error) { return ids.Split([]string{"g"}) },
		`column "h"`:                                                func() ([]*Table, error) { return table.Split([]string{"x", "h"}) },
		`names no column`:                                           func() ([]*Table, error) { return table.Split(nil) },
	} {
		groups, err := f()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		for _, g := range groups {
			g.Release()
		}
	}
}

func TestPositiveZero(t *testing.T) {
	if positiveZero(math.Copysign(0, -1)) != 0 || positiveZero(-1) != math.Float64bits(-1) {
		t.Error("−0 is not 0")
	}
}

func TestFrom(t *testing.T) {
	for want, files := range map[string][]string{"": nil, "a.csv": {"in/a.csv"}, "a.csv and 2 more": {"in/a.csv", "in/b.csv", "in/c.csv"}} {
		if got := (&Table{Files: files}).From(); got != want {
			t.Errorf("a table of %q is from %q, want %q", files, got, want)
		}
	}
}

// Integers beyond 2^53 are marked in the schema, with the first one and its place, for
// transform to warn of where they are used as numbers.
func TestBeyondExact(t *testing.T) {
	u64 := array.NewUint64Builder(memory.NewGoAllocator())
	unsigned := oneColumn(u64, func() { u64.AppendValues([]uint64{1, math.MaxUint64}, nil) })
	decimals := func(scale int32) arrow.RecordBatch {
		b := array.NewDecimal128Builder(memory.NewGoAllocator(), &arrow.Decimal128Type{Precision: 38, Scale: scale})
		return oneColumn(b, func() { b.Append(decimal128.FromI64(7)); b.Append(decimal128.FromI64(9007199254740995)) })
	}
	for name, c := range map[string]struct {
		src  Source
		want string
	}{
		"integers":     {Source{Path: writeTemp(t, "a.csv", "x\n1\n9007199254740993\n-9007199254740997\n")}, "9007199254740993 in row 2 (line 3 of a.csv)"},
		"negative":     {Source{Path: writeTemp(t, "a.csv", "x\n1\n-9007199254740993\n")}, "-9007199254740993 in row 2 (line 3 of a.csv)"},
		"the last":     {Source{Path: writeTemp(t, "a.csv", "x\n9007199254740992\n-9007199254740992\n")}, ""},
		"among others": {Source{Path: writeTemp(t, "a.csv", "x\n1.5\n9007199254740993\n")}, "9007199254740993 in row 2 (line 3 of a.csv)"},
		"20 digits":    {Source{Path: writeTemp(t, "a.csv", "x\n12345678901234567890\n1\n")}, "12345678901234567890 in row 1 (line 2 of a.csv)"},
		"large":        {Source{Path: writeTemp(t, "a.csv", "x\n1e300\n2.5e17\n")}, ""},
		"text":         {Source{Path: writeTemp(t, "a.csv", "x\n9007199254740993\na\n")}, ""},
		"forced":       {Source{Path: writeTemp(t, "a.csv", "x\n9007199254740993\n1\n"), Types: map[string]string{"x": "text"}}, ""},
		"unsigned":     {Source{Path: writeParquet(t, unsigned)}, "18446744073709551615 in row 2 of a.parquet"},
		"decimals":     {Source{Path: writeParquet(t, decimals(0))}, "9007199254740995 in row 2 of a.parquet"},
		"with places":  {Source{Path: writeParquet(t, decimals(2))}, ""},
		"a query":      {Source{SQL: "SELECT unnest([1, 9007199254740993]) AS x"}, "9007199254740993 in row 2 of the query"},
	} {
		table := mustRead(t, c.src)
		got, _ := table.Data.Schema().Field(0).Metadata.GetValue(beyondKey)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A table of a Parquet file takes as much memory as its numbers, where the reader reserves up to twice as much, and a
// bit of validity for each. A column that is dropped gives its memory back, and leaves the others as they are.
func TestTableTakesItsNumbers(t *testing.T) {
	const rows = chunkRows + 100 // beyond a power of two
	names := []string{"a", "b", "c"}
	fields, columns := make([]arrow.Field, len(names)), make([]arrow.Array, len(names))
	for j, name := range names {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for i := range rows {
			b.Append(float64(i * (j + 1)))
		}
		fields[j], columns[j] = arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true}, b.NewArray()
	}
	path := writeParquet(t, array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, rows))
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	table, err := Read(t.Context(), Source{Name: "d", Path: path, mem: checked})
	must(t, err)
	most := func(columns int) int { return columns * (8*rows + 4096) }
	if got := checked.CurrentAlloc(); got > most(3) {
		t.Errorf("three columns of %d rows take %d bytes, %.1f each", rows, got, float64(got)/3/rows)
	}
	before, err := table.Hash([]string{"a", "c"})
	must(t, err)
	table.Drop("b")
	table.Drop("none")
	if got := checked.CurrentAlloc(); got > most(2) {
		t.Errorf("two columns of %d rows take %d bytes", rows, got)
	}
	if after, err := table.Hash(nil); err != nil || after != before {
		t.Errorf("without b: %s, %v; want %s", after, err, before)
	}
	table.Release()
	checked.AssertSize(t, 0)
}
