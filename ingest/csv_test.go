package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// Each case is a column x; types follow from all of its cells.
func TestColumnTypes(t *testing.T) {
	for name, c := range map[string]struct{ cells, typ, want string }{
		"integers":          {"1 -2 +3 007", "int64", "1 -2 3 7"},
		"beyond float64":    {"9007199254740993 -9223372036854775808", "int64", "9007199254740993 -9223372036854775808"},
		"beyond int64":      {"9223372036854775808 1", "float64", "9.223372036854775808e18 1"},
		"late fraction":     {"1 2 3 4.5", "float64", "1 2 3 4.5"},
		"exponents":         {"1e3 -2.5E-3 .5 5. 1e-320 0.1", "float64", "1e3 -2.5e-3 .5 5 1e-320 .1"},
		"long fractions":    {"0.30000000000000004 123456789.123456789123456789 179769313486231570000e288", "float64", "0.30000000000000004 123456789.12345679 1.7976931348623157e308"},
		"missing first":     {". NA null 3", "int64", ". . . 3"},
		"missing then text": {". . b", "utf8", ". . b"},
		"truth":             {"true FALSE True .", "bool", "true false true ."},
		"dates":             {"2026-01-31 . 1969-12-31 0001-01-01", "date32", "2026-01-31 . 1969-12-31 0001-01-01"},
		"text":              {"a 1 2.5 b c", "utf8", "a 1 2.5 b c"},
		"late text":         {"1 2 a b c", "utf8", "1 2 a b c"},
		"codes":             {"10-19 20-29 40", "utf8", "10-19 20-29 40"},
		"truth and text":    {"true false perhaps never", "utf8", "true false perhaps never"},
		"not numbers":       {"0x10 1_000 1e 1e+ + - . e5", "utf8", "0x10 1_000 1e 1e+ + - . e5"},
		"no date":           {"2026-13-01 2026-02-30", "utf8", "2026-13-01 2026-02-30"},
		"all missing":       {". NA", "float64", ". ."},
	} {
		t.Run(name, func(t *testing.T) {
			text := "id,x\n"
			for i, cell := range strings.Fields(c.cells) {
				if cell == "." && name != "not numbers" {
					cell = ""
				}
				text += fmt.Sprintf("%d,%s\n", i, cell)
			}
			table := mustRead(t, Source{Path: writeTemp(t, "a.csv", text)})
			if got := columnOf(t, table, "x").DataType().Name(); got != c.typ {
				t.Errorf("type %s, want %s", got, c.typ)
			}
			if got := strings.Join(cells(t, table, "x"), " "); !sameCells(got, c.want) {
				t.Errorf("cells %s, want %s", got, c.want)
			}
		})
	}
}

// sameCells compares cells as numbers where both are numbers.
func sameCells(got, want string) bool {
	g, w := strings.Fields(got), strings.Fields(want)
	if len(g) != len(w) {
		return false
	}
	for i := range g {
		var x, y float64
		_, errX := fmt.Sscanf(g[i]+" ", "%g ", &x)
		_, errY := fmt.Sscanf(w[i]+" ", "%g ", &y)
		if g[i] != w[i] && (errX != nil || errY != nil || x != y) {
			return false
		}
	}
	return true
}

// Forms of a CSV file with the content x = 1, 2 and s = "a,b", "c".
func TestDialects(t *testing.T) {
	plain := "x,s\n1,\"a,b\"\n2,c\n"
	utf := func(s string) string { return "\ufeff" + s }
	for name, text := range map[string]string{
		"plain":            plain,
		"BOM":              utf(plain),
		"CRLF":             strings.ReplaceAll(plain, "\n", "\r\n"),
		"BOM, CRLF":        utf(strings.ReplaceAll(plain, "\n", "\r\n")),
		"no end":           strings.TrimSuffix(plain, "\n"),
		"semicolon":        "x;s\n1;a,b\n2;c\n",
		"tab":              "x\ts\n1\ta,b\n2\tc\n",
		"bar":              "x|s\n1|a,b\n2|c\n",
		"blanks":           "x,s\n 1 ,\"a,b\"\n2\t,c\n",
		"blank line":       "x,s\n\n1,\"a,b\"\n\n2,c\n\n",
		"CR":               strings.ReplaceAll(plain, "\n", "\r"),
		"BOM, CR":          utf(strings.ReplaceAll(plain, "\n", "\r")),
		"CR, no end":       strings.ReplaceAll(strings.TrimSuffix(plain, "\n"), "\n", "\r"),
		"comments":         "# made; by hand\n#\n##|\n\n" + plain,
		"BOM, CR, comment": utf(strings.ReplaceAll("# by, hand\n"+plain, "\n", "\r")),
		"gzip":             gzipped(t, plain),
		"gzip, BOM":        gzipped(t, utf(plain)),
		"two gzips":        gzipped(t, plain[:9]) + gzipped(t, plain[9:]),
	} {
		t.Run(name, func(t *testing.T) {
			table := mustRead(t, Source{Path: writeTemp(t, "a.csv", text)})
			if got := strings.Join(cells(t, table, "x"), " "); got != "1 2" {
				t.Errorf("x is %s", got)
			}
			if got := strings.Join(cells(t, table, "s"), " "); got != "a,b c" {
				t.Errorf("s is %s", got)
			}
			if got := columnOf(t, table, "x").DataType().ID(); got != arrow.INT64 {
				t.Errorf("x has type %s", got)
			}
		})
	}
}

// Separators between quotes do not count when the separator is looked for, and
// one that splits all lines alike is preferred to one that splits the header more.
func TestSeparatorFound(t *testing.T) {
	misleading := mustRead(t, Source{Path: writeTemp(t, "b.csv", "mean, least, most;y\n1;2\n")})
	if got := fmt.Sprintf("%q", misleading.names()); got != `["mean, least, most" "y"]` {
		t.Errorf("columns %s", got)
	}
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", "x,\"s|t\"\n1,\"a,b|c\"\n2,\"c|d\"\n")})
	if got := fmt.Sprintf("%q", table.names()); got != `["x" "s|t"]` {
		t.Errorf("columns %s", got)
	}
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	return b.String()
}

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		src        Source
	}{
		"decimal comma":    {"x;y\n0,5;a\n-1,25e1;b\n3;c\n", "0.5 -12.5 3", Source{Decimal: ','}},
		"separator":        {"x:y\n1:a\n", "1", Source{Separator: ':'}},
		"nulls":            {"x,y\n-9,a\n2,b\n?,c\n", ". 2 .", Source{NullValues: []string{"-9", " ? "}}},
		"NA is text":       {"x,y\nNA,1\nb,2\n", "NA b", Source{NullValues: []string{""}}},
		"NaN is missing":   {"x,y\nNaN,1\n2,2\n", ". 2", Source{NullValues: []string{"NaN"}}},
		"text":             {"x,y\n007,1\n1e3,2\n,3\n", "007 1e3 .", Source{Types: map[string]string{"x": "text"}}},
		"bool of 0 and 1":  {"x,y\n0,1\n1,2\n", "false true", Source{Types: map[string]string{"x": "bool"}}},
		"number of truth":  {"x,y\nfalse,1\ntrue,2\n", "0 1", Source{Types: map[string]string{"x": "number"}}},
		"chosen by By too": {"x,y,z\n1,2,3\n", "1", Source{By: []string{"x"}, Columns: func(*arrow.Schema) ([]string, error) { return []string{"z"}, nil }}},
	} {
		t.Run(name, func(t *testing.T) {
			c.src.Path = writeTemp(t, "a.csv", c.text)
			table := mustRead(t, c.src)
			if got := strings.Join(cells(t, table, "x"), " "); got != c.want {
				t.Errorf("x is %s, want %s", got, c.want)
			}
		})
	}
}

// Every fault names what a person needs to find it.
func TestCSVFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		src  Source
		want []string
	}{
		"cell":            {text: "x,y\n1,2\n3,oops\n4,5\n", want: []string{`column "y"`, "row 2 (line 3 of a.csv)", `"oops" is not a number`, "2 of 3 cells", "null_values"}},
		"two cells":       {text: "x,y\n1,oops\nbad,2\n3,4\n5,6\n", want: []string{`column "y", row 1`, `column "x", row 2`}},
		"after a quote":   {text: "x,y\n1,\"a\nb\"\n2,c\n3,d\nz,e\n", want: []string{"row 4 (line 6 of a.csv)", `"z"`}},
		"after comments":  {text: "# by hand, today\n\n# twice\r\nx,y\r\n1,2\n3,oops\n4,5\n", want: []string{"row 2 (line 6 of a.csv)", `"oops"`}},
		"CR alone":        {text: "x,y\r1,2\r3,oops\r4,5\r", want: []string{"row 2 (line 3 of a.csv)", `"oops"`}},
		"ragged below":    {text: "# by hand\nx,y\n1,2\n3\n", want: []string{"line 4", "1 fields found, 2 expected"}},
		"NUL below":       {text: "# by hand\nx,y\n1,\x00\n", want: []string{"line 3", "NUL"}},
		"quote below":     {text: "# by hand\nx,y\n1,\"a\n", want: []string{"line 3", "not closed"}},
		"header below":    {text: "# by hand\n\nx,x\n1,2\n", want: []string{"line 3", `both named "x"`}},
		"no such comment": {text: "#by hand\nx,y\n1,2\n", want: []string{"line 2", "a comment before it has a blank after its #"}},
		"only comments":   {text: "# by hand\n# today\n", want: []string{"the file is empty"}},
		"infinity":        {text: "x\n1\n-Infinity\n", want: []string{"line 3 of a.csv", `"-Infinity" is not a finite number`}},
		"beyond":          {text: "x\n1\n1e400\n", want: []string{"line 3 of a.csv", `"1e400"`}},
		"date":            {text: "x\n2026-01-31\n2026-02-01\n2026-02-30\n", want: []string{"line 4 of a.csv", `"2026-02-30" is not a date`}},
		"forced number":   {text: "x\na\nb\n1\n", src: Source{Types: map[string]string{"x": "number"}}, want: []string{"line 2 of a.csv", `"a" is not a number`}},
		"forced bool":     {text: "x\n0\n2\n", src: Source{Types: map[string]string{"x": "bool"}}, want: []string{"line 3 of a.csv", `"2" is not a bool`}},
		"forced date":     {text: "x\n2026-01-01\n2\n", src: Source{Types: map[string]string{"x": "date"}}, want: []string{"line 3 of a.csv", `"2" is not a date`}},
		"no such type":    {text: "x\n1\n", src: Source{Types: map[string]string{"x": "factor"}}, want: []string{`"factor"`, "number, text, bool, date"}},
		"no such column":  {text: "x\n1\n", src: Source{Types: map[string]string{"z": "text"}}, want: []string{`no column "z"`, `"x"`}},
		"decimal comma":   {text: "x;y\n1,5;2\n2,5;3\n", want: []string{`column "x"`, "line 2", `"1,5"`, `decimal: ","`}},
		"some commas":     {text: "x;y\n1;2\n2,5;3\n", want: []string{`column "x"`, "line 3", `decimal: ","`}},
		"no name":         {text: `"","x"` + "\n1,2\n", want: []string{"line 1", "column 1 has no name", "row.names = FALSE"}},
		"row names":       {text: "x y\n" + "a,b\n1,2,3\n", want: []string{"line 2", "2 fields found, 1 expected"}},
		"bare quote":      {text: "x,y\n1,a\"b\n", want: []string{"line 2", "quote"}},
		"open quote":      {text: "x,y\n1,a\n2,\"b\n3,c\n", want: []string{"line 3", "quote", "not closed"}},
		"NUL":             {text: "x,y\n1,a\n2,b\x00\n", want: []string{"line 3", "NUL"}},
		"UTF-16":          {text: "\xff\xfex\x00\n\x001\x00", want: []string{"UTF-16"}},
		"not UTF-8":       {text: "x,y\n1,a\n2,M\xfcller\n", want: []string{`column "y"`, "line 3", "UTF-8"}},
		"name not UTF-8":  {text: "x,M\xfcller\n1,2\n", want: []string{"line 1", "column 2", "UTF-8"}},
		"header twice":    {text: "1,1\n2,3\n", want: []string{`"1"`, "looks like data"}},
		"gzip cut":        {text: gzipped(t, strings.Repeat("x,y\n1,2\n", 50))[:30], want: []string{"a.csv", "too early"}},
		"gzip damaged":    {text: "\x1f\x8bnonsense", want: []string{"a.csv", "gzip"}},
		"Excel":           {text: "PK\x03\x04......", want: []string{"Excel"}},
		"too many":        {text: strings.Repeat("x,", maxColumns) + "x\n", want: []string{"line 1", "262145 columns"}},
		"only BOM":        {text: "\ufeff", want: []string{"empty"}},
		"blank":           {text: "\n\n\n", want: []string{"empty"}},
		"By is not there": {text: "x\n1\n", src: Source{By: []string{"region"}}, want: []string{`no column "region"`}},
	} {
		t.Run(name, func(t *testing.T) {
			c.src.Path = writeTemp(t, "a.csv", c.text)
			table, err := readTest(t, c.src)
			if err == nil {
				t.Fatalf("read %v without an error", table.Data)
			}
			t.Log(err)
			for _, w := range append(c.want, `dataset "data"`) {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not said in: %v", w, err)
				}
			}
		})
	}
}

// A column that is not asked for may hold anything.
func TestColumnsChoose(t *testing.T) {
	path := writeTemp(t, "a.csv", ",x,y,z\n1,2,NaN,a\n2,3,4,\xff\n")
	choose := func(s *arrow.Schema) ([]string, error) {
		if s.NumFields() != 4 {
			t.Errorf("offered %v", s)
		}
		return []string{"x"}, nil
	}
	table := mustRead(t, Source{Path: path, Columns: choose})
	if got := table.names(); len(got) != 1 || got[0] != "x" {
		t.Errorf("columns %q, want x alone", got)
	}
	if _, err := readTest(t, Source{Path: path, Columns: func(*arrow.Schema) ([]string, error) { return nil, errors.New("no formula") }}); err == nil || !strings.Contains(err.Error(), "no formula") {
		t.Errorf("got %v, want the chooser's error", err)
	}
}

// Integers, numbers and text turn up long after the first chunk is closed.
func TestWideningAcrossChunks(t *testing.T) {
	const rows = 2*chunkRows + 10
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for i := range rows {
		switch {
		case i < rows-5:
			fmt.Fprintf(&b, "%d,%d,,%d\n", i, i, i%7)
		default:
			fmt.Fprintf(&b, "%d,%d.5,%d,%d\n", i, i, i, i%7)
		}
	}
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", b.String())})
	for name, want := range map[string]string{"a": "int64", "b": "float64", "c": "int64", "d": "int64"} {
		if got := columnOf(t, table, name).DataType().Name(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	b2, c := cells(t, table, "b"), cells(t, table, "c")
	for i := range rows {
		wantB, wantC := fmt.Sprint(i), "."
		if i >= rows-5 {
			wantB, wantC = fmt.Sprintf("%d.5", i), fmt.Sprint(i)
		}
		if b2[i] != wantB || c[i] != wantC {
			t.Fatalf("row %d: b %s, c %s; want %s, %s", i, b2[i], c[i], wantB, wantC)
		}
	}
	if got, want := table.Locate(rows-1), fmt.Sprintf("row %d (line %d of a.csv)", rows, rows+1); got != want {
		t.Errorf("Locate: %s, want %s", got, want)
	}
}

// A column of codes that begins with a chunk of numbers is text from its first
// cell on, as it was written; with one code too few it is an error.
func TestTextAfterAChunk(t *testing.T) {
	var b strings.Builder
	b.WriteString("x\n")
	for i := range chunkRows + 5 {
		fmt.Fprintf(&b, "%07d\n", i)
	}
	path := writeTemp(t, "a.csv", b.String()+"code\n")
	if _, err := readTest(t, Source{Path: path}); err == nil || !strings.Contains(err.Error(), `"code" is not a number`) {
		t.Errorf("got %v", err)
	}
	b.WriteString(strings.Repeat("code\n", chunkRows+5))
	table := mustRead(t, Source{Path: writeTemp(t, "b.csv", b.String())})
	got := cells(t, table, "x")
	if len(got) != 2*chunkRows+10 || got[7] != "0000007" || got[chunkRows+4] != fmt.Sprintf("%07d", chunkRows+4) || got[chunkRows+5] != "code" {
		t.Errorf("%d cells, %q, %q, %q", len(got), got[7], got[chunkRows+4], got[chunkRows+5])
	}
}

// A record without an end is refused long before it fills the memory, and a
// file that is longer than any record may be is not.
func TestLongRecord(t *testing.T) {
	const most = 1 << 20
	open := writeTemp(t, "a.csv", "x\n1\n\""+strings.Repeat("0", 2*most))
	_, err := readTest(t, Source{Path: open, maxRecord: most})
	if !errors.Is(err, errLongRecord) || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v, want a long record at line 3", err)
	}
	mustRead(t, Source{Path: writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n", 2*most)), maxRecord: most})
}

// Lines are counted over all of the reader's blocks.
func TestLateNUL(t *testing.T) {
	_, err := readTest(t, Source{Path: writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n", 300_000)+"\x00\n")})
	if !errors.Is(err, errNUL) || !strings.Contains(err.Error(), "line 300002") {
		t.Errorf("got %v, want a NUL in line 300002", err)
	}
}

func TestMaxBytes(t *testing.T) {
	path := writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n", 100_000))
	_, err := readTest(t, Source{Path: path, MaxBytes: 100_000})
	var over *budgetError
	if !errors.As(err, &over) {
		t.Errorf("got %v, want a budgetError", err)
	}
	mustRead(t, Source{Path: path, MaxBytes: 4 << 20})
}

func TestCSVCancel(t *testing.T) {
	path := writeTemp(t, "a.csv", "x\n"+strings.Repeat("1\n", 10_000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, Source{Path: path}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestOneColumnBlankLines(t *testing.T) {
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", "x\n1\n\n\"2\"\n3\n")})
	if got := strings.Join(table.Warnings, "; "); !strings.Contains(got, "1 blank lines") {
		t.Errorf("warnings %q", got)
	}
	if got, want := table.Locate(1), "row 2 (line 4 of a.csv)"; got != want {
		t.Errorf("Locate(1) = %q, want %q", got, want)
	}
}

// A line that begins with # is the header where it names a column, or only numbers
// follow, as numpy.savetxt writes it.
func TestHeaderWithHash(t *testing.T) {
	for text, want := range map[string]string{
		"#id,x\n1,2\n": "#id x", "# id,x\n1,2\n3,4\n": "# id x", "# by hand\n# id;x\n1;2\n": "# id x",
		"# by hand\nid,x\n1,2\n": "id x",
	} {
		table := mustRead(t, Source{Path: writeTemp(t, "a.csv", text)})
		if got := strings.Join(table.names(), " "); got != want {
			t.Errorf("%q has the columns %s, want %s", text, got, want)
		}
	}
	table := mustRead(t, Source{Path: writeTemp(t, "a.csv", "# by hand\n\nx\n1\n2\n")})
	if got := strings.Join(table.Warnings, "; "); !strings.HasSuffix(got, "begin with #: 1, taken for comments") {
		t.Errorf("warnings %q", got)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.csv": "x,s\n3,c\n", "a.csv": "s,x\na,1\nb,2.5\n", "empty.csv": "x,s\n", "_SUCCESS": "", ".b.csv.crc": "?", ".c.csv": "hidden\n1\n", "_c.csv": "hidden\n1\n",
		"other/a.csv": "x\n1\n", "missing/a.csv": "x,s\n,\n", "missing/b.csv": "x,s\n,e\n",
		"clash/a.csv": "x,s\n1,a\n", "clash/b.csv": "x,s\nb,b\n",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, path := range []string{filepath.Join(dir, "[a-z]*.csv"), dir} {
		table := mustRead(t, Source{Path: path})
		if got := strings.Join(cells(t, table, "x"), " "); got != "1 2.5 3" {
			t.Errorf("%s: x is %s", path, got)
		}
		if got := strings.Join(cells(t, table, "s"), " "); got != "a b c" {
			t.Errorf("%s: s is %s", path, got)
		}
		if got, want := table.Locate(2), "row 1 (line 2 of b.csv)"; got != want {
			t.Errorf("Locate(2) = %q, want %q", got, want)
		}
		if got := strings.Join(table.Warnings, "; "); !strings.Contains(got, "empty.csv has no data rows") {
			t.Errorf("warnings %q", got)
		}
	}
	missing := mustRead(t, Source{Path: filepath.Join(dir, "missing")})
	if got := strings.Join(cells(t, missing, "s"), " "); got != ". e" {
		t.Errorf("s is %s", got)
	}
	for path, want := range map[string][]string{
		filepath.Join(dir, "*", "a.csv"): {`column "s"`, "has not"},
		filepath.Join(dir, "clash"):      {`column "x"`, "number in a.csv", "text in b.csv"},
		filepath.Join(dir, "*.parquet"):  {"no file matches"},
		filepath.Join(dir, "c.csv"):      {"no such file", "a.csv, b.csv, empty.csv"},
		filepath.Join(dir, "e", "c.csv"): {"no such file", "no folder"},
		filepath.Join(dir, "["):          {"syntax error in pattern"},
	} {
		_, err := readTest(t, Source{Path: path})
		if err == nil {
			t.Errorf("%s: no error", path)
			continue
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q is not said in: %v", path, w, err)
			}
		}
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"south.csv", "north.csv.gz", "v1.2.parquet"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	sources, err := Expand(context.Background(), Source{Name: "regions", Path: filepath.Join(dir, "*"), Each: true})
	must(t, err)
	var got []string
	for _, s := range sources {
		got = append(got, s.Key+"="+filepath.Base(s.Path))
		if s.Each || s.Name != "regions" {
			t.Errorf("source %+v", s)
		}
	}
	if want := "[north=north.csv.gz south=south.csv v1.2=v1.2.parquet]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	must(t, os.WriteFile(filepath.Join(dir, "south.parquet"), nil, 0o644))
	if _, err := Expand(context.Background(), Source{Path: filepath.Join(dir, "*"), Each: true}); err == nil || !strings.Contains(err.Error(), `"south"`) {
		t.Errorf("got %v, want a clash of names", err)
	}
	one, err := Expand(context.Background(), Source{Path: "anything"})
	if err != nil || len(one) != 1 || one[0].Path != "anything" {
		t.Errorf("got %v, %v", one, err)
	}
}
