package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// Schema names and types the columns of a source.
type Schema = arrow.Schema

// Source says what one data set is read from. Exactly one of Path and SQL is set.
type Source struct {
	// Name is the data set's name in the spec, used in errors.
	Name string
	// Path is a file, a glob or a directory of part files; the formats are .parquet, .csv, .tsv and their .gz.
	// Files are concatenated in byte order of their paths. The content of a file determines its format, not its
	// name. A path that begins with s3:// names objects of an object store (package objects).
	Path string
	// Each makes Expand give one Source per file.
	Each bool
	// By names columns whose values split the table (Table.Split). Read loads them in addition to the columns that
	// Columns chooses.
	By []string

	// SQL is one SELECT statement, with $name for parameters. Its rows are
	// sorted by all columns, left to right, so that their order is defined.
	SQL string
	// Database is the DuckDB file that SQL reads, opened read-only. Empty means
	// an empty database in memory, from which SQL may read files.
	Database string
	// Dir is the folder from which relative file names inside SQL count. Empty
	// means the working directory.
	Dir string
	// Within are the only folders, with all below them, from which files are read,
	// links followed; nil means everywhere.
	Within []string
	// Params are the values of SQL's parameters, bound and never pasted in.
	Params map[string]any

	// Separator splits the fields of a CSV line. Zero means: found among comma,
	// semicolon, tab and bar.
	Separator rune
	// NullValues are the spellings of a missing cell, in addition to the blank one. Nil
	// means DefaultNullValues.
	NullValues []string
	// Decimal is the decimal mark, '.' or ','. Zero means '.'.
	Decimal rune
	// Types forces columns to one of ColumnTypes.
	Types map[string]string

	// Grouped keeps each distinct row of the columns that are loaded once, in the order in which they first appear, with
	// how many rows it stands for (Table.Counts). Memory follows the distinct rows alone. Without Triplets only.
	Grouped bool

	// Triplets are the non-zeros of further columns; nil for none.
	Triplets *Triplets

	// Columns chooses the columns to load, once the names are known; nil loads
	// all. The types in the schema are those of the file, or Null where they are
	// not known before the whole file is read (CSV).
	Columns func(*arrow.Schema) ([]string, error)
	// Labels reports whether the numbers of a column may be labels, as those of By are: two spellings of one in a CSV
	// file are noted. Nil means all columns.
	Labels func(name string) bool
	// CheckLater leaves bad cells to Table.Check, so that a cell costs only those that read it. Otherwise the first bad
	// cell of each column that is loaded is an error.
	CheckLater bool
	// Key names one of several tables made from one data set: the file's base
	// name without extensions, set by Expand.
	Key string
	// MaxBytes refuses a source whose columns would take more memory. Zero
	// means 16 GiB.
	MaxBytes int64
	// MaxText refuses gzip data that hold more bytes of text. Zero means four times MaxBytes.
	MaxText int64
	// Ceiling is the memory in bytes that the process of a query may take. Zero means no limit.
	Ceiling int64
	// Beyond is memory outside the heap for columns of Parquet files and queries.
	Beyond Beyond
	// Claim is asked for memory, some 64 MiB at a time, before columns take it; it may wait. Nil means that memory
	// is not limited.
	Claim func(bytes int64) error

	each      func(*part) error      // of a Stream, for each piece of the rows
	ended     func(*os.ProcessState) // tests look at the end of a query's process
	mem       memory.Allocator       // tests count allocations with it; nil means Go's heap
	maxRecord int64                  // tests lower it; zero means defaultMaxRecord
}

// inPieces reports whether the rows are never in memory together.
func (src *Source) inPieces() bool { return src.Grouped || src.each != nil }

// Beyond is memory outside the heap, such as a mapped file, for the numbers of columns. The zero value has no
// memory.
type Beyond struct {
	Memory memory.Allocator
	Heap   int64 // bytes that the numbers of a source take in the heap before they go beyond
	Most   int64 // bytes that may be read besides MaxBytes
}

// DefaultNullValues returns the spellings of a missing cell in a CSV file if
// the spec names none; a blank cell always is one.
func DefaultNullValues() []string {
	return []string{"NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", `\N`}
}

// NullValues returns the spellings of a missing cell that a spec lists: the default ones and those of the list, or, if
// the list has the empty text, those of the list alone. The empty text stands for the blank cell, which always is
// missing.
func NullValues(list []string) []string {
	if slices.Contains(list, "") {
		return list
	}
	return append(DefaultNullValues(), list...)
}

// ColumnTypes returns the types that Source.Types may name.
func ColumnTypes() []string { return []string{typeNumber, typeText, typeBool, typeDate} }

// The types that a spec may force on a column.
const (
	typeNumber = "number"
	typeText   = "text"
	typeBool   = "bool"
	typeDate   = "date"
)

const defaultMaxBytes = 16 << 30

// Expand returns src itself, or with Each one Source per file in byte order of
// the paths, its Key the file's base name without extensions. Two files of one
// key are an error, since their fits would share a name.
func Expand(ctx context.Context, src Source) ([]Source, error) {
	if !src.Each {
		return []Source{src}, nil
	}
	if src.SQL != "" {
		return nil, &SourceError{
			Dataset: src.Name,
			Err:     words.Hint(errors.New("each: file needs a path, not sql"), "use by: [column] to split a query"),
		}
	}
	files, err := src.files(ctx)
	if err != nil {
		return nil, err
	}
	owner := make(map[string]string, len(files))
	out := make([]Source, len(files))
	for i, f := range files {
		key := baseKey(f)
		if other, taken := owner[key]; taken {
			return nil, &SourceError{
				Dataset: src.Name, File: f,
				Err: words.Hint(fmt.Errorf("%s would have the same name, %q", other, key),
					"give the files different base names, or name them as two data sets"),
			}
		}
		owner[key] = f
		out[i] = src
		out[i].Path, out[i].Each, out[i].Key = f, false, key
	}
	return out, nil
}

// extensions are those that a key loses and a directory is searched for.
var extensions = []string{".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz"}

func hasExtension(name string) bool {
	return slices.ContainsFunc(extensions, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// baseKey is the base name without its known extensions, or without the last.
func baseKey(path string) string {
	base := filepath.Base(path)
	for _, ext := range []string{".csv.gz", ".tsv.gz"} {
		if s, ok := strings.CutSuffix(base, ext); ok && s != "" {
			return s
		}
	}
	if s := strings.TrimSuffix(base, filepath.Ext(base)); s != "" {
		return s
	}
	return base
}

// files lists what Path stands for, in byte order: the file itself, the data
// files of a directory (as Spark writes them), or the matches of a glob.
func (src *Source) files(ctx context.Context) ([]string, error) {
	if err := src.within(Stem(src.Path)); err != nil {
		return nil, err
	}
	files, err := src.listed(ctx)
	folder, inside := "", false // of the file before
	for _, f := range files {
		if dir := filepath.Dir(f); dir != folder {
			folder, inside = dir, src.within(dir) == nil
		}
		if info, err := os.Lstat(f); inside && err == nil && info.Mode()&os.ModeSymlink == 0 {
			continue // what is no link is where its folder is: of thousands of files that spares as many walks
		}
		if err := src.holds(src.Path, f); err != nil {
			return nil, err
		}
	}
	return files, err
}

// listed is files before it is known whether they may be read.
func (src *Source) listed(ctx context.Context) ([]string, error) {
	if words.IsObject(src.Path) {
		return src.objects(ctx)
	}
	if info, err := os.Stat(src.Path); err == nil {
		if !info.IsDir() {
			return []string{src.Path}, nil
		}
		return src.directory()
	} else if !strings.ContainsAny(src.Path, "*?[") {
		return nil, &SourceError{Dataset: src.Name, File: src.Path, Err: words.Hint(reason(err), nearbyHint(src.Path))}
	}
	files, err := filepath.Glob(src.Path)
	if err != nil {
		return nil, &SourceError{
			Dataset: src.Name, File: src.Path,
			Err: words.Hint(err, "a glob knows * ? and [a-z]; write \\[ for a bracket"),
		}
	}
	if len(files) == 0 {
		return nil, &SourceError{
			Dataset: src.Name, File: src.Path,
			Err: words.Hint(errors.New("no file matches"), "relative paths count from the spec's folder"),
		}
	}
	sort.Strings(files)
	return files, nil
}

// directory lists the data files of the directory Path; names that begin with
// _ or . are a writer's marks, as in Spark's output.
func (src *Source) directory() ([]string, error) {
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		return nil, &SourceError{Dataset: src.Name, File: src.Path, Err: reason(err)}
	}
	var files []string
	for _, e := range entries {
		name := e.Name()
		if hasExtension(name) && !e.IsDir() && name[0] != '_' && name[0] != '.' {
			files = append(files, filepath.Join(src.Path, name))
		}
	}
	if len(files) == 0 {
		return nil, &SourceError{
			Dataset: src.Name, File: src.Path,
			Err: words.Hint(errors.New("the folder holds no .parquet, .csv or .tsv file"),
				"name a file, or a glob such as folder/*.csv; folders inside the folder are not searched"),
		}
	}
	sort.Strings(files)
	return files, nil
}

// reason strips the operation and path from a file system error, since the
// SourceError around it names the file.
func reason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// nearbyHint lists a few data files of the folder where path was looked for.
func nearbyHint(path string) string {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Sprintf("there is no folder %s; relative paths count from the spec's folder", dir)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && hasExtension(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return nearby(dir, names)
}

// nearby says which data files a folder holds.
func nearby(dir string, names []string) string {
	const few = 5
	if len(names) == 0 {
		return fmt.Sprintf("the folder %s holds no .parquet, .csv or .tsv file", dir)
	}
	more := ""
	if len(names) > few {
		more, names = ", …", names[:few]
	}
	return fmt.Sprintf("the folder %s holds %s%s", dir, strings.Join(names, ", "), more)
}
