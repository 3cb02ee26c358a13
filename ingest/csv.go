package ingest

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

const (
	sniffBytes = 1 << 18 // what separator detection looks at
	maxColumns = 1 << 18 // beyond this a header is taken for something else
)

// csvFile reads one CSV file: once, and a second time only for columns that
// began as numbers and turned out to be text.
type csvFile struct {
	src       *Source
	in        content
	path      string
	mem       memory.Allocator
	grammar   *grammar
	separator rune

	csvHead
	csvLines
	guard *guardReader
	full  func() error // called when there are chunkRows more rows; nil: nothing waits for them
	room  int          // of buffers: what separator detection looks at, or of a smaller file all of it
}

// csvLines counts the lines of a file.
type csvLines struct {
	lines lineMap
	rows  int64
	blank int64 // blank lines of a file with one column
}

// csvHead is the header of a file.
type csvHead struct {
	header    []string
	top       int64 // the line of the header
	commented int   // lines before it
}

// readCSV reads the columns of one CSV file that the source asks for.
func readCSV(ctx context.Context, src *Source, in content, path string, choose chooser,
	mem memory.Allocator) (_ *part, err error) {
	f := &csvFile{src: src, in: in, path: path, mem: mem, grammar: newGrammar(src.NullValues, src.Decimal)}
	var cols []*csvColumn
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.release()
			}
		}
	}()
	err = f.pass(ctx, func() ([]*csvColumn, error) {
		cols, err = f.choose(choose)
		return cols, err
	})
	if err != nil {
		return nil, err
	}
	if f.rows == 0 {
		return nil, f.fail(0, ErrNoRows, "")
	}
	kindOf := f.resolve(cols)
	p := &part{file: path}
	switch {
	case src.each != nil:
		err = f.readBatches(ctx, cols, kindOf)
	case src.Grouped:
		err = f.group(ctx, cols, kindOf, p)
	default:
		err = f.finish(ctx, cols, kindOf, p)
	}
	if err != nil {
		return nil, err
	}
	p.lines = f.lines
	f.remark(cols, p)
	f.warn(p)
	f.warnOfWords(cols, kindOf, p)
	return p, nil
}

// remark notes integers beyond 2^53 and numbers with two spellings with the columns of a part that has any.
func (f *csvFile) remark(cols []*csvColumn, p *part) {
	k := 0
	for _, c := range cols {
		if c == nil || len(p.cols) == 0 {
			continue
		}
		if isNumber(p.cols[k].typ) {
			p.cols[k].alike = c.spelt.words()
			if c.beyond.text != "" {
				p.cols[k].beyond = c.beyond.text + " in " + locate(f.path, f.lines, c.beyond.row)
			}
		}
		k++
	}
}

// finish hands over the columns.
func (f *csvFile) finish(ctx context.Context, cols []*csvColumn, kindOf []kind, p *part) error {
	if err := f.again(ctx, cols, kindOf); err != nil {
		return err
	}
	p.rows = f.rows
	for i, c := range cols {
		if c != nil {
			p.cols = append(p.cols, c.finish(kindOf[i]))
		}
	}
	return nil
}

// choose makes a collector for every column that is to be loaded; the others
// stay nil.
func (f *csvFile) choose(choose chooser) ([]*csvColumn, error) {
	fields := make([]arrow.Field, len(f.header))
	for i, name := range f.header {
		fields[i] = arrow.Field{Name: name, Type: arrow.Null, Nullable: true}
	}
	wanted, err := choose(f.path, arrow.NewSchema(fields, nil))
	if err != nil {
		return nil, err
	}
	cols := make([]*csvColumn, len(f.header))
	for i, name := range f.header {
		if !wanted[name] {
			continue
		}
		if name == "" {
			return nil, f.fail(f.top, fmt.Errorf("column %d has no name", i+1),
				"name it in the header; R's write.csv writes its row names so, except with row.names = FALSE")
		}
		cols[i] = &csvColumn{name: name, mem: f.mem, forced: f.src.Types[name], mixed: f.src.inPieces()}
		if f.src.Labels == nil || f.src.Labels(name) || slices.Contains(f.src.By, name) {
			cols[i].spelt = &spellings{}
		}
	}
	return cols, nil
}

// resolve decides the kinds of all columns. One that is at fault as a whole is null.
func (f *csvFile) resolve(cols []*csvColumn) []kind {
	kindOf := make([]kind, len(cols))
	for i, c := range cols {
		if c == nil {
			continue
		}
		k, fault := c.resolve(f.separator)
		if fault != nil {
			fault.At = locate(f.path, f.lines, fault.Row-1)
			c.bad = &badCells{whole: fault}
		}
		kindOf[i] = k
	}
	return kindOf
}

// again passes over the file a second time for the columns whose cells were
// not kept, or of which some are bad.
func (f *csvFile) again(ctx context.Context, cols []*csvColumn, kindOf []kind) error {
	second := make([]*csvColumn, len(cols))
	need := false
	for i, c := range cols {
		if c != nil && kindOf[i] != kindNull && (c.mixed || c.strays(kindOf[i])) {
			c.release()
			second[i], need = c.stored(kindOf[i]), true
		}
	}
	if !need {
		return nil
	}
	rows, header := f.rows, f.header
	err := f.pass(ctx, func() ([]*csvColumn, error) {
		if len(f.header) != len(header) {
			return nil, f.fail(0, errChanged, "")
		}
		return second, nil
	})
	for i, c := range second {
		if c != nil {
			cols[i] = c // for the caller to finish or release
		}
	}
	if err == nil && f.rows != rows {
		err = f.fail(0, errChanged, "")
	}
	return err
}

// ErrNoRows is the reason of errors about sources that have columns and nothing in them.
var ErrNoRows = errors.New("there are no data rows")

var errChanged = errors.New("the file changed while it was read")

// pass reads the whole file: the header, then columns returns the collectors that take part, then every row.
func (f *csvFile) pass(ctx context.Context, columns func() ([]*csvColumn, error)) error {
	if _, err := f.in.Seek(0, io.SeekStart); err != nil {
		return f.fail(0, reason(err), "")
	}
	defer func() { announce(f.in, recover()) }()
	f.room = sniffBytes
	if size := f.in.Size(); size < sniffBytes { // it takes a byte more to see the end
		f.room = max(int(size)+1, 4096)
	}
	text, err := f.decompress(f.in)
	if err != nil {
		return err
	}
	r, err := f.open(text)
	if err != nil {
		return err
	}
	cols, err := columns()
	if err != nil {
		return err
	}
	f.rows, f.lines, f.blank = 0, nil, 0
	return f.scan(ctx, r, cols)
}

// decompress looks into gzip data, whatever the file is called.
func (f *csvFile) decompress(r io.Reader) (*bufio.Reader, error) {
	plain := bufio.NewReaderSize(r, f.room)
	if magic, _ := plain.Peek(2); string(magic) != gzipMagic {
		return plain, nil
	}
	z, err := gzip.NewReader(plain)
	if err != nil {
		return nil, f.fail(0, fmt.Errorf("the gzip data cannot be read: %w", err), gzipHint)
	}
	most := f.src.maxText()
	f.room = sniffBytes
	return bufio.NewReaderSize(&textReader{r: z, most: most, left: most + 1}, sniffBytes), nil
}

const gzipHint = "the file is damaged or cut off: copy it again"

// open strips a byte order mark, settles the separator and reads the header.
func (f *csvFile) open(text *bufio.Reader) (*csv.Reader, error) {
	if bom, _ := text.Peek(3); string(bom) == "\ufeff" {
		_, _ = text.Discard(3) // just peeked
	}
	sample, err := text.Peek(f.room)
	if endsLinesInCR(sample) {
		text = bufio.NewReaderSize(carriageReturns{text}, f.room)
		sample, err = text.Peek(f.room)
	}
	if err != nil && err != io.EOF {
		return nil, f.readFault(nil, err)
	}
	size, lines := f.comments(sample)
	if f.separator = f.src.Separator; f.separator == 0 {
		f.separator = detectSeparator(sample[size:], err == io.EOF)
	}
	_, _ = text.Discard(size) // just peeked
	// Blank lines instead of the comments keep the numbers of the following lines.
	f.guard = &guardReader{r: io.MultiReader(strings.NewReader(strings.Repeat("\n", lines)), text), most: f.src.maxRecord}
	if f.guard.most == 0 {
		f.guard.most = defaultMaxRecord
	}
	r := csv.NewReader(bufio.NewReaderSize(f.guard, min(f.room, 1<<16)))
	r.Comma = f.separator
	r.ReuseRecord = true
	r.FieldsPerRecord = -1
	header, err := r.Read()
	switch {
	case err == io.EOF:
		return nil, f.fail(0, errors.New("the file is empty"), "")
	case err != nil:
		return nil, f.readFault(r, err)
	}
	f.guard.accepted = r.InputOffset()
	f.header = append([]string(nil), header...)
	top, _ := r.FieldPos(0)
	f.top = int64(top)
	return r, f.checkHeader()
}

func (f *csvFile) checkHeader() error {
	if len(f.header) > maxColumns {
		return f.fail(f.top, fmt.Errorf("the header has %d columns, more than %d", len(f.header), maxColumns), "")
	}
	seen := make(map[string]int, len(f.header))
	for i, name := range f.header {
		if !utf8.ValidString(name) {
			return f.fail(f.top, fmt.Errorf("the name of column %d, %s, is not valid UTF-8", i+1, quoteCell(name)),
				"convert the file to UTF-8, for instance with iconv")
		}
		if j, twice := seen[name]; twice && name != "" {
			return f.fail(f.top, fmt.Errorf("columns %d and %d are both named %q", j+1, i+1, name), f.headerHint())
		}
		seen[name] = i
	}
	return nil
}

// looksHeaderless reports whether all names of the header are numbers.
func (f *csvFile) looksHeaderless() bool { return f.allNumbers(f.header) }

func (f *csvFile) allNumbers(cells []string) bool {
	for _, name := range cells {
		if k := f.grammar.parse(name).kind; k != kindInt && k != kindFloat {
			return false
		}
	}
	return true
}

func (f *csvFile) headerHint() string {
	if f.looksHeaderless() {
		return "the first line looks like data: put a line with the names of the columns before it"
	}
	return "give every column its own name"
}

// scan adds every row to the columns that are not nil.
func (f *csvFile) scan(ctx context.Context, r *csv.Reader, cols []*csvColumn) error {
	line, one := f.top, len(f.header) == 1
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return f.readFault(r, err)
		}
		f.guard.accepted = r.InputOffset()
		first, _ := r.FieldPos(0)
		if len(rec) != len(f.header) {
			return f.ragged(int64(first), len(rec))
		}
		f.lines.add(f.rows, int64(first), f.mem)
		if one {
			f.blank += int64(first) - line - 1
			line = int64(first + strings.Count(rec[0], "\n"))
		}
		f.rows++
		for i, c := range cols {
			if c != nil {
				c.add(f.grammar, rec[i])
			}
		}
		if f.full != nil && f.rows%chunkRows == 0 {
			if err := f.full(); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (f *csvFile) ragged(line int64, found int) error {
	hint := "quote fields that hold the separator, or fix the line"
	switch {
	case f.rows == 0 && strings.HasPrefix(f.header[0], "#"):
		hint = fmt.Sprintf("line %d is taken for the header: a comment before it has a blank after its #", f.top)
	case f.rows == 0 && found == len(f.header)+1:
		hint = "R's write.table leaves the name of the row names' column out: write col.names = NA, or row.names = FALSE"
	}
	return f.fail(line, fmt.Errorf("%d fields found, %d expected", found, len(f.header)), hint)
}

// readFault turns what the CSV reader or the file below it say into an error
// that names the line.
func (f *csvFile) readFault(r *csv.Reader, err error) error {
	var pe *csv.ParseError
	var long *textError
	switch {
	case errors.As(err, &long):
		return f.fail(0, long, "decompress it, or write it as Parquet, so that only columns in use are read; or give "+
			"it more: --memory, or run: {memory: …}")
	case errors.Is(err, errNUL):
		return f.fail(f.guard.nulLine, errNUL,
			"text in UTF-16 has NUL bytes: convert it, for instance with iconv -f UTF-16 -t UTF-8")
	case errors.Is(err, errLongRecord):
		line := f.top + 1
		if f.rows > 0 {
			line = f.lines.line(f.rows)
		}
		return f.fail(line, errLongRecord, "a quote that is opened and never closed has this effect")
	case errors.As(err, &pe) && errors.Is(err, csv.ErrBareQuote):
		return f.fail(int64(pe.Line), errors.New(`a quote (") is inside a field that does not begin with one`),
			`write such a field between quotes and double the quotes inside: "5"" pipe"`)
	case errors.As(err, &pe) && errors.Is(err, csv.ErrQuote):
		return f.fail(int64(pe.StartLine),
			fmt.Errorf(`a quote (") opened here is not closed properly (noticed in line %d)`,
				pe.Line), `double the quotes inside a quoted field: "5"" pipe"`)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		return f.fail(0, fmt.Errorf("the compressed data end too early or are damaged: %w", err), gzipHint)
	}
	return f.fail(0, err, "")
}

func (f *csvFile) fail(line int64, err error, hint string) error {
	return &SourceError{Dataset: f.src.Name, File: f.path, Line: line, Err: words.Hint(err, hint)}
}

// warnOfWords warns of text columns with cells that a spec without null_values takes for missing ones.
func (f *csvFile) warnOfWords(cols []*csvColumn, kindOf []kind, p *part) {
	for i, c := range cols {
		if c != nil && c.words > 0 && kindOf[i] == kindText && f.src.Types[c.name] == "" {
			p.warnings = append(p.warnings, fmt.Sprintf("column %q is text, and %d of its cells are words such as %q that "+
				"null_values does not list: they are values; types: {%s: text} confirms it", c.name, c.words, c.word, c.name))
		}
	}
}

func (f *csvFile) warn(p *part) {
	if f.commented > 0 {
		p.warnings = append(p.warnings, fmt.Sprintf("%s: lines before the header that begin with #: %d, taken for comments",
			f.path, f.commented))
	}
	if f.blank > 0 {
		p.warnings = append(p.warnings, fmt.Sprintf("%s: %d blank lines were skipped; a missing value in a file of one "+
			"column must be written out, for instance as NA", f.path, f.blank))
	}
	if f.looksHeaderless() {
		p.warnings = append(p.warnings, fmt.Sprintf("%s: the first line, taken as the header, holds only numbers",
			f.path))
	}
}
