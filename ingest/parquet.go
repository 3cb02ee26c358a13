package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/words"
)

// parquetFile reads the columns of one Parquet file, several at a time, each
// in batches, so that memory follows what the pages decode to and not what
// the footer claims.
type parquetFile struct {
	src    *Source
	path   string // empty for the result of a query
	mem    memory.Allocator
	reader *pqarrow.FileReader
	in     content
	rows   int64
	size   int64 // bytes of the file

	nanIsNull bool // NaN is listed among the spellings of a missing cell
	// unreadable are the columns that were asked for and whose types cannot be read.
	unreadable []arrow.Field
}

// readParquet reads the columns that the source asks for. shown is the name
// used in messages, empty for a query.
func readParquet(ctx context.Context, src *Source, in content, shown string, choose chooser,
	mem memory.Allocator) (*part, error) {
	f := &parquetFile{src: src, path: shown, mem: mem, nanIsNull: newGrammar(src.NullValues, 0).nanIsNull()}
	if err := f.open(in); err != nil {
		return nil, err
	}
	if f.rows == 0 {
		return nil, f.fail(ErrNoRows, "")
	}
	p := &part{file: shown, rows: f.rows}
	fields, err := f.choose(choose, p)
	if err != nil {
		return nil, err
	}
	if err := in.Fetch(f.chunks(fields)); err != nil {
		return nil, f.fail(err, "")
	}
	switch {
	case src.each != nil:
		err = f.readBatches(ctx, fields)
	case src.Grouped:
		err = f.readGroups(ctx, fields, p)
	default:
		p.cols, err = f.readColumns(ctx, fields)
	}
	if err != nil {
		return nil, err
	}
	if src.each == nil {
		f.addUnreadable(p)
	}
	f.warnOfNumbers(p)
	return p, nil
}

func (f *parquetFile) fail(err error, hint string) error {
	return &SourceError{Dataset: f.src.Name, File: f.path, Err: words.Hint(err, hint)}
}

const damagedHint = "the file is damaged or uses a feature that this reader lacks: write it again, for instance with " +
	"DuckDB or pyarrow"

// open reads the footer and holds its claims against one another.
func (f *parquetFile) open(in content) error {
	if err := checkMagic(in); err != nil {
		return f.fail(err, "copy or export the file again")
	}
	f.in = in
	err := guarded(func() error {
		pf, err := file.NewParquetReader(in, file.WithReadProps(readerProperties(f.mem)))
		if err != nil {
			return err
		}
		f.size = pf.MetaData().GetSourceFileSize()
		meta := pf.MetaData()
		f.rows = meta.GetNumRows()
		if err := checkRows(meta); err != nil {
			return err
		}
		if err := skipPageIndex(pf); err != nil {
			return err
		}
		f.reader, err = pqarrow.NewFileReader(pf, f.arrowProperties(meta), f.mem)
		return err
	})
	if err != nil {
		return f.fail(fmt.Errorf("the Parquet footer cannot be read: %w", err), damagedHint)
	}
	return nil
}

// skipPageIndex declares that no page index will be used. Without it arrow-go
// looks through all columns for the index of each: 7129 columns cost 50
// million look-ups, and 100,000 columns minutes.
func skipPageIndex(pf *file.Reader) error {
	groups := make([]int32, pf.NumRowGroups())
	for i := range groups {
		groups[i] = int32(i)
	}
	if pf.MetaData().Schema.NumColumns() == 0 {
		return nil
	}
	return pf.GetPageIndexReader().WillNeed(groups, []int32{0}, metadata.PageIndexSelection{})
}

// readerProperties reads chunks through a buffer, not whole, and takes pages
// as large as any writer makes them (DuckDB closes a page at 100 MB, which
// arrow-go's own limits would refuse).
func readerProperties(mem memory.Allocator) *parquet.ReaderProperties {
	props := parquet.NewReaderProperties(mem)
	props.BufferedStreamEnabled = true
	props.BufferSize = 256 << 10
	props.MaxCompressedPageSize = maxPage
	props.MaxUncompressedPageSize = maxPage
	return props
}

const maxPage = 1 << 30

// arrowProperties keeps texts as indices into the dictionaries of their pages where equal rows are grouped.
func (f *parquetFile) arrowProperties(meta *metadata.FileMetaData) pqarrow.ArrowReadProperties {
	props := pqarrow.ArrowReadProperties{BatchSize: chunkRows}
	for i := range meta.Schema.NumColumns() {
		leaf := meta.Schema.Column(i)
		if f.src.Grouped && leaf.PhysicalType() == parquet.Types.ByteArray && len(leaf.ColumnPath()) == 1 {
			props.SetReadDict(i, true)
		}
	}
	return props
}

// chunks are where the values of fields lie in the file, as the footer claims.
func (f *parquetFile) chunks(fields []int) (ranges [][2]int64) {
	for _, i := range fields {
		for _, g := range f.reader.ParquetReader().MetaData().RowGroups {
			if leaf := f.reader.Manifest.Fields[i].ColIndex; leaf < len(g.Columns) && g.Columns[leaf].MetaData != nil {
				c := g.Columns[leaf].MetaData
				ranges = append(ranges, [2]int64{chunkStart(c.DataPageOffset, c.DictionaryPageOffset), c.TotalCompressedSize})
			}
		}
	}
	return ranges
}

// chunkStart is the first byte of a column in a row group.
func chunkStart(data int64, dictionary *int64) int64 {
	if dictionary != nil && *dictionary > 0 {
		return min(data, *dictionary)
	}
	return data
}

// checkLeaf checks a leaf column before it is decoded: what the footer claims of it, and its checksums.
func (f *parquetFile) checkLeaf(leaf int) error {
	if err := f.checkClaims(leaf); err != nil {
		return err
	}
	return f.checkPages(leaf)
}

// checkClaims compares what the footer claims of one leaf column with the file:
// its chunks lie inside, and have as many values as the row groups have rows.
// The name and the type, which the footer has twice, are the same.
func (f *parquetFile) checkClaims(leaf int) error {
	for i, g := range f.reader.ParquetReader().MetaData().RowGroups {
		c := g.Columns[leaf].MetaData
		if c == nil {
			return fmt.Errorf("row group %d has no description of it", i+1)
		}
		of := f.reader.ParquetReader().MetaData().Schema.Column(leaf)
		if int32(c.Type) != int32(of.PhysicalType()) || !slices.Equal(c.PathInSchema, of.ColumnPath()) {
			return fmt.Errorf("row group %d has it with another type or name: the footer is damaged", i+1)
		}
		if c.NumValues != g.GetNumRows() {
			return fmt.Errorf("row group %d has %d rows and %d values of it", i+1, g.GetNumRows(), c.NumValues)
		}
		start := chunkStart(c.DataPageOffset, c.DictionaryPageOffset)
		if start < 0 || c.TotalCompressedSize < 0 || start > f.size || c.TotalCompressedSize > f.size-start {
			return fmt.Errorf("row group %d puts it outside the file", i+1)
		}
	}
	return nil
}

// checkRows holds the number of rows against those of the row groups.
func checkRows(meta *metadata.FileMetaData) error {
	left := meta.GetNumRows()
	for _, g := range meta.RowGroups {
		if g.GetNumRows() < 0 || g.GetNumRows() > left {
			return errRowClaims
		}
		left -= g.GetNumRows()
	}
	if left != 0 {
		return errRowClaims
	}
	return nil
}

var errRowClaims = errors.New("the row groups do not have as many rows as the file claims")

// checkMagic distinguishes a file that was cut off from one that never was Parquet.
func checkMagic(in content) error {
	head, tail := make([]byte, 4), make([]byte, 4)
	if in.Size() < 12 {
		return errors.New("this is not a Parquet file: it is shorter than 12 bytes")
	}
	if _, err := in.ReadAt(head, 0); err != nil {
		return err
	}
	if _, err := in.ReadAt(tail, in.Size()-4); err != nil {
		return err
	}
	switch {
	case string(head) == encryptedMagic || string(tail) == encryptedMagic:
		return errors.New("encrypted Parquet files cannot be read")
	case string(head) != parquetMagic:
		return errors.New("this is not a Parquet file: it does not begin with PAR1")
	case string(tail) != parquetMagic:
		return errors.New("the Parquet file is cut off: it does not end with PAR1")
	}
	return nil
}

// choose returns the indices of the fields to load. p warns of fields that
// cannot be read; those that are asked for all the same become unreadable.
func (f *parquetFile) choose(choose chooser, p *part) ([]int, error) {
	all := f.reader.Manifest.Fields
	var offered []arrow.Field
	seen := make(map[string]bool, len(all))
	for i := range all {
		field := *all[i].Field
		if seen[field.Name] {
			return nil, f.fail(fmt.Errorf("two columns are named %q", field.Name), "give every column its own name")
		}
		seen[field.Name] = true
		if !supported(field.Type) && !f.isUUID(i) {
			field.Metadata = unreadableAs(f.typeName(i))
		}
		offered = append(offered, field)
	}
	wanted, err := choose(f.path, arrow.NewSchema(offered, nil))
	if err != nil {
		return nil, err
	}
	var fields []int
	var bits int64
	for i := range all {
		switch field := offered[i]; {
		case isUnreadable(field) && wanted[field.Name]:
			f.unreadable = append(f.unreadable, field)
		case isUnreadable(field):
			p.warnings = append(p.warnings, fmt.Sprintf("column %q is left out: columns of type %s cannot be used",
				field.Name, field.Type))
		case wanted[field.Name]:
			fields = append(fields, i)
			bits += decodedBits(field.Type)
		}
	}
	if most := f.src.maxBytes() + f.src.Beyond.Most; !f.src.inPieces() && bits > 0 && f.rows/8 > most/bits {
		return nil, f.fail(fmt.Errorf("%d rows of %d columns: %w", f.rows, len(fields),
			&budgetError{most, int64(float64(f.rows) / 8 * float64(bits))}), budgetHint)
	}
	return fields, nil
}

// decodedBits is the least that a value of a column takes in memory.
func decodedBits(dt arrow.DataType) int64 {
	switch dt.ID() {
	case arrow.BOOL:
		return 1
	case arrow.DATE32, arrow.DATE64, arrow.STRING, arrow.LARGE_STRING, arrow.BINARY, arrow.LARGE_BINARY:
		return 32
	}
	return 64
}

// readColumns reads the fields side by side. The error is that of the leftmost
// faulty column, or the faults of the data in all of them.
func (f *parquetFile) readColumns(ctx context.Context, fields []int) ([]*column, error) {
	cols := make([]*column, len(fields))
	errs := sideBySide(len(fields), func(i int) (err error) {
		cols[i], err = f.readColumn(ctx, fields[i])
		return err
	})
	if err := f.joined(fields, errs); err != nil {
		for _, c := range cols {
			if c != nil {
				c.release()
			}
		}
		return nil, err
	}
	return cols, nil
}

func (f *parquetFile) joined(fields []int, errs []error) error {
	var faults []*ColumnError
	for i, err := range errs {
		var fault *ColumnError
		var over *budgetError
		switch {
		case err == nil:
		case errors.As(err, &fault):
			faults = append(faults, fault)
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			return err
		case errors.As(err, &over):
			return f.fail(over, budgetHint)
		default:
			name := f.reader.Manifest.Fields[fields[i]].Field.Name
			return f.fail(fmt.Errorf("column %q cannot be read: %w", name, err), damagedHint)
		}
	}
	return joinColumnErrors(faults)
}

// readColumn reads one field to its end and checks that it has every row.
func (f *parquetFile) readColumn(ctx context.Context, field int) (_ *column, err error) {
	col := &column{name: f.reader.Manifest.Fields[field].Field.Name, allNull: true}
	defer func() {
		if p := recover(); p != nil {
			col.release()
			panic(p)
		}
		if err != nil {
			col.release()
		}
	}()
	if err := f.checkLeaf(f.reader.Manifest.Fields[field].ColIndex); err != nil {
		return nil, err
	}
	r, err := f.reader.GetColumn(ctx, field)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var rows int64
	for rows < f.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch, err := r.NextBatch(min(chunkRows, f.rows-rows))
		if err != nil {
			return nil, err
		}
		n := int64(batch.Len())
		err = func() error {
			defer batch.Release()
			return f.take(col, batch, rows)
		}()
		if err != nil {
			return nil, err
		}
		if rows += n; n == 0 {
			return nil, errTooFew(rows, f.rows)
		}
	}
	f.settle(col)
	return col, nil
}

func errTooFew(values, rows int64) error {
	return fmt.Errorf("it holds %d values where the footer claims %d rows", values, rows)
}

// take normalises a batch and appends it to the column.
func (f *parquetFile) take(col *column, batch *arrow.Chunked, start int64) error {
	for _, raw := range batch.Chunks() {
		a, err := f.checked(col, raw, start)
		if err != nil {
			return err
		}
		start += int64(a.Len())
		col.chunks = append(col.chunks, a)
		if a == raw {
			col.chunks[len(col.chunks)-1] = tight(f.mem, a)
			a.Release()
		}
	}
	return nil
}

// checked normalises an array of the column, whose first row is start. Bad cells become null.
func (f *parquetFile) checked(col *column, raw arrow.Array, start int64) (arrow.Array, error) {
	bad := func(i int, err error) { col.setBad(f.mem, start+int64(i), err) }
	a, err := normalise(f.mem, raw, bad)
	if err != nil {
		return nil, err
	}
	if i := beyondExact(raw); i >= 0 && col.beyond == "" {
		col.beyond = raw.ValueStr(i) + " in " + locate(f.path, nil, start+int64(i))
	}
	col.allNull = col.allNull && a.NullN() == a.Len() && col.bad == nil
	if x, ok := a.(*array.Float64); ok && !allFinite(x) {
		a = finite(f.mem, x, f.nanIsNull, bad)
		x.Release()
	}
	return a, nil
}

// settle gives all chunks one type: unsigned integers beyond int64 in one
// chunk make the whole column numbers.
func (f *parquetFile) settle(col *column) {
	col.typ = col.chunks[0].DataType()
	if slices.ContainsFunc(col.chunks, func(a arrow.Array) bool { return a.DataType().ID() != col.typ.ID() }) {
		col.toFloats(f.mem)
	}
}

// warnOfNumbers warns of text columns that mostly hold numbers: they stay text, as in the file, but they would
// become factors with many levels.
func (f *parquetFile) warnOfNumbers(p *part) {
	g := newGrammar(f.src.NullValues, f.src.Decimal)
	for _, c := range p.cols {
		if c.typ.ID() != arrow.STRING || f.src.Types[c.name] != "" {
			continue
		}
		n := countNumbers(c, g)
		if 2*n.numbers <= n.filled {
			continue
		}
		text := fmt.Sprintf("column %q is text, although %d of %d values are numbers", c.name, n.numbers, n.filled)
		if n.other >= 0 {
			text += fmt.Sprintf(" (not %s in %s)", quoteCell(n.text), locate(f.path, nil, p.row(n.other)))
		}
		p.warnings = append(p.warnings, fmt.Sprintf("%s; types: {%s: number} or {%s: text} settles it", text, c.name,
			c.name))
	}
}

// numbersInText counts the numbers of a text column and shows its first other value.
type numbersInText struct {
	numbers, filled int64
	other           int64 // row of the first value that is not a number, or −1
	text            string
}

// countNumbers looks no further than the first values if none of them is a number.
func countNumbers(c *column, g *grammar) numbersInText {
	const enough = 1000
	n := numbersInText{other: -1}
	row := int64(0)
	for _, a := range c.chunks {
		for i := range a.Len() {
			if s := a.(*array.String); s.IsValid(i) {
				n.filled++
				if k := g.parse(s.Value(i)).kind; k == kindInt || k == kindFloat {
					n.numbers++
				} else if n.other < 0 {
					n.other, n.text = row, s.Value(i)
				}
			}
			if row++; n.filled == enough && n.numbers == 0 {
				return n
			}
		}
	}
	return n
}
