package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// The first bytes by which files are known.
const (
	parquetMagic   = "PAR1"
	encryptedMagic = "PARE"
	gzipMagic      = "\x1f\x8b"
)

// chooser says which of a file's columns are to be loaded.
type chooser func(file string, schema *arrow.Schema) (map[string]bool, error)

// Read loads a source into memory: all files of its path one after the other,
// or the rows of its query.
//
// Files of one source must have the same columns with the same types, in any
// order; integers and numbers together are numbers, and a column without any
// value in one file takes its type from the others. The order of the columns
// is that of the first file.
//
// Errors are *ColumnError and *SourceError, alone or joined, or ctx.Err. The
// caller releases the table.
func Read(ctx context.Context, src Source) (*Table, error) {
	if err := src.check(); err != nil {
		return nil, err
	}
	if src.Triplets != nil {
		return readSparse(ctx, src)
	}
	base := src.mem
	if base == nil {
		base = memory.NewGoAllocator()
	}
	mem := &budget{Allocator: base, most: src.maxBytes(), claim: src.Claim}
	if src.Beyond.Memory != nil {
		mem.shelf = &shelf{heap: mem, beyond: src.Beyond, there: map[*byte]bool{}}
	}
	var parts []*part
	defer func() {
		for _, p := range parts {
			p.release()
		}
	}()
	if src.SQL != "" {
		p, err := readSQL(ctx, &src, src.choose, mem)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		return joinParts(&src, parts, mem)
	}
	files, err := src.files(ctx)
	if err != nil {
		return nil, err
	}
	choose := src.choose
	for _, f := range files {
		p, err := readFile(ctx, &src, f, choose, mem)
		var empty *SourceError
		if errors.As(err, &empty) && errors.Is(err, ErrNoRows) && len(files) > 1 {
			parts = append(parts, &part{file: f, warnings: []string{fmt.Sprintf("%s has no data rows", f)}})
			continue
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		choose = src.sameAs(p)
	}
	return joinParts(&src, parts, mem)
}

// joinParts makes the table, within the budget.
func joinParts(src *Source, parts []*part, mem *budget) (t *Table, err error) {
	gerr := guarded(func() error {
		t, err = newTable(src, parts, mem)
		return nil
	})
	if gerr != nil {
		return nil, &SourceError{Dataset: src.Name, File: src.Path, Err: hinted(gerr)}
	}
	return t, err
}

func (src *Source) maxBytes() int64 {
	if src.MaxBytes > 0 {
		return src.MaxBytes
	}
	return defaultMaxBytes
}

func (src *Source) maxText() int64 {
	if src.MaxText > 0 {
		return src.MaxText
	}
	return 4 * src.maxBytes()
}

// CheckMemory returns an error if so many bytes, besides columns, are more than may be read.
func (src *Source) CheckMemory(bytes int64) error {
	if most := src.maxBytes(); bytes > most {
		return &budgetError{most, bytes}
	}
	return nil
}

// check refuses sources that no file could satisfy.
func (src *Source) check() error {
	fail := func(hint, format string, args ...any) error {
		return &SourceError{Dataset: src.Name, Err: words.Hint(fmt.Errorf(format, args...), hint)}
	}
	switch {
	case src.Each:
		return fail("", "a source with each: file must be expanded before it is read")
	case src.Triplets != nil && len(src.By) > 0:
		return fail("make one data set of each group", "by: does not split triplets")
	case src.Triplets != nil && src.Grouped:
		return fail("leave rows: grouped out", "rows of triplets are not grouped")
	case (src.Path == "") == (src.SQL == ""):
		return fail("", "exactly one of path and sql must be given")
	case src.Decimal != 0 && src.Decimal != '.' && src.Decimal != ',':
		return fail(`write "." or ","`, "the decimal mark cannot be %q", string(src.Decimal))
	case src.Decimal == ',' && src.Separator == ',':
		return fail(`set separator: ";"`, "the comma cannot be both decimal mark and separator")
	case src.Separator != 0 && (strings.ContainsRune("\"\r\n", src.Separator) || src.Separator > 0x7e ||
		src.Separator < 0x09):
		return fail("", "%q cannot separate fields", string(src.Separator))
	}
	for _, name := range slices.Sorted(maps.Keys(src.Types)) {
		if !slices.Contains(ColumnTypes(), src.Types[name]) {
			return fail("write one of "+strings.Join(ColumnTypes(), ", "), "column %q cannot have type %q", name,
				src.Types[name])
		}
	}
	return nil
}

// choose asks Columns, adds the columns of By, and checks that they exist.
func (src *Source) choose(file string, schema *arrow.Schema) (map[string]bool, error) {
	names := make([]string, schema.NumFields())
	exists := make(map[string]bool, len(names))
	var wanted []string
	for i, f := range schema.Fields() {
		names[i], exists[f.Name] = f.Name, true
		if !isUnreadable(f) {
			wanted = append(wanted, f.Name)
		}
	}
	if src.Columns != nil {
		chosen, err := src.Columns(schema)
		if err != nil {
			return nil, &SourceError{Dataset: src.Name, File: file, Err: err}
		}
		wanted = chosen
	}
	set := make(map[string]bool, len(wanted))
	for _, name := range slices.Concat(wanted, src.By) {
		set[name] = true
	}
	for _, name := range slices.Concat(wanted, src.By, slices.Sorted(maps.Keys(src.Types))) {
		if !exists[name] {
			return nil, &SourceError{
				Dataset: src.Name, File: file,
				Err: words.Hint(fmt.Errorf("there is no column %q", name), "the columns are "+listNames(names)),
			}
		}
	}
	return set, nil
}

// sameAs chooses in later files exactly the columns of the first. One that a file lacks is at fault as a whole; of a
// stream, whose earlier rows were read, it is an error.
func (src *Source) sameAs(first *part) chooser {
	return func(file string, schema *arrow.Schema) (map[string]bool, error) {
		set := make(map[string]bool, len(first.cols))
		for _, c := range first.cols {
			switch {
			case schema.HasField(c.name):
			case src.each != nil:
				fault := lacking(c.name, first.file, file)
				fault.Dataset = src.Name
				return nil, fault
			}
			set[c.name] = true
		}
		if src.Columns != nil {
			return set, nil
		}
		for _, f := range schema.Fields() {
			if !set[f.Name] && !isUnreadable(f) {
				fault := lacking(f.Name, file, first.file)
				fault.Dataset, fault.At = src.Name, filepath.Base(file)
				return nil, fault
			}
		}
		return set, nil
	}
}

// lacking is the fault of a column that one file has and another has not.
func lacking(column, has, not string) *ColumnError {
	has, not = filepath.Base(has), filepath.Base(not)
	return &ColumnError{Column: column, At: not, Err: words.Hint(fmt.Errorf("%s has this column and %s has not", has, not),
		"files read together must have the same columns")}
}

// lacks adds a column that the part's file does not have, and the file first has.
func (p *part) lacks(name, first string, mem memory.Allocator) *column {
	c := nullColumn(mem, name, p.rows)
	c.setWhole(lacking(name, first, p.file))
	p.cols = append(p.cols, c)
	return c
}

// listNames shows the names of columns, cut if there are many.
func listNames(names []string) string {
	const most = 20
	rest := ""
	if len(names) > most {
		rest, names = fmt.Sprintf(" and %d more", len(names)-most), names[:most]
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, ", ") + rest
}

// readFile reads one file by what it holds.
func readFile(ctx context.Context, src *Source, path string, choose chooser,
	mem memory.Allocator) (p *part, err error) {
	in, err := src.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // read-only: nothing to lose
	defer func() {
		if fault := in.Err(); err != nil && fault != nil && ctx.Err() == nil {
			err = &SourceError{Dataset: src.Name, File: path, Err: fault}
		}
	}()
	isParquet, err := sniff(src, path, in)
	if err != nil {
		return nil, err
	}
	gerr := guarded(func() error {
		if isParquet {
			p, err = readParquet(ctx, src, in, path, choose, mem)
		} else {
			p, err = readCSV(ctx, src, in, path, choose, mem)
		}
		return nil
	})
	if gerr != nil {
		return nil, &SourceError{Dataset: src.Name, File: path, Err: hinted(gerr)}
	}
	if err != nil {
		return nil, err
	}
	force(src, p, mem)
	return p, nil
}

// foreign are files that people take for CSV.
var foreign = []struct{ magic, what, hint string }{
	{"PK\x03\x04", "a zip archive or an Excel workbook", "save it as CSV or Parquet"},
	{"\xd0\xcf\x11\xe0", "an old Excel workbook", "save it as CSV or Parquet"},
	{"\x28\xb5\x2f\xfd", "zstd data", "decompress it, or use gzip"},
	{"BZh", "bzip2 data", "decompress it, or use gzip"},
	{"\xfd7zXZ", "xz data", "decompress it, or use gzip"},
	{"ARROW1", "an Arrow or Feather file", "save it as Parquet"},
	{"FEA1", "a Feather file", "save it as Parquet"},
	{"SQLite format 3", "an SQLite database", "save the table as CSV or Parquet"},
	{"\xff\xfe", "text in UTF-16", "convert it to UTF-8, for instance with iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "text in UTF-16", "convert it to UTF-8, for instance with iconv -f UTF-16 -t UTF-8"},
}

// sniff looks at the first bytes of a file: Parquet or CSV, or what it is
// instead.
func sniff(src *Source, path string, in content) (isParquet bool, err error) {
	fail := func(err error, hint string) (bool, error) {
		return false, &SourceError{Dataset: src.Name, File: path, Err: words.Hint(err, hint)}
	}
	head := make([]byte, 16)
	n, err := in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return fail(reason(err), "")
	}
	start := string(head[:n])
	if beginsParquet(start) || strings.HasSuffix(path, ".parquet") {
		return true, nil
	}
	for _, k := range foreign {
		if strings.HasPrefix(start, k.magic) {
			return fail(fmt.Errorf("this is %s", k.what), k.hint)
		}
	}
	if len(start) >= 12 && start[8:12] == "DUCK" {
		return fail(errors.New("this is a DuckDB database"), "name it under database: and the query under sql:")
	}
	return false, nil
}

// beginsParquet distinguishes Parquet from a CSV file whose first column is named PAR1: in Parquet a header in the
// compact Thrift form follows, not text.
func beginsParquet(start string) bool {
	magic := strings.HasPrefix(start, parquetMagic) || strings.HasPrefix(start, encryptedMagic)
	return magic && (len(start) == 4 || start[4] < ' ' && !strings.ContainsAny(start[4:5], "\t\r\n"))
}
