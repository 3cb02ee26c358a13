package ingest

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// chunkRows is the length of the chunks that columns are built in: long enough
// to cost nothing per row, short enough that a growing column never copies more.
const chunkRows = 1 << 16

// csvColumn collects one column of a CSV file. Its type widens as cells
// arrive: missing, integer, number; or truth value, date, text. Cells that fit
// no common type end the storing (mixed) and are only counted; if the column
// turns out to be text, a second pass over the file stores it (see csvFile).
type csvColumn struct {
	name   string
	mem    memory.Allocator
	forced string // from Source.Types, or empty

	as     kind      // what is stored: kindNull until a cell says more
	mixed  bool      // nothing is stored any more
	spelt  spellings // of numbers
	mark   byte
	counts [kinds]int64
	first  [kinds]struct { // the first cell of each kind
		row  int64
		text string
	}
	beyond struct { // the first integer beyond exactIntegers
		row  int64
		text string
	}
	rows     int64 // cells seen
	badUTF8  int64 // 1-based row of the first text that is not UTF-8
	commas   int64 // text cells that look like numbers with a decimal comma
	builder  array.Builder
	inChunk  int
	finished []arrow.Array
}

// add takes the cell of the next row. text may alias a buffer: it is copied
// where it is kept.
func (c *csvColumn) add(g *grammar, text string) {
	var v cell
	if c.forced == typeText {
		if !g.isNull(trimBlanks(text)) {
			v.kind = kindText
		}
	} else {
		v = g.parse(text)
	}
	if c.counts[v.kind] == 0 {
		c.first[v.kind].row, c.first[v.kind].text = c.rows, cloneCell(text)
	}
	if v.kind == kindInt || v.kind == kindFloat {
		c.mark = g.decimal
		c.spelt.add(text, &v, c.mark, c.rows)
	}
	if math.Abs(v.f) >= exactIntegers && c.beyond.text == "" && g.beyond(v, text) {
		c.beyond.row, c.beyond.text = c.rows, cloneCell(trimBlanks(text))
	}
	c.counts[v.kind]++
	c.rows++
	if v.kind == kindText {
		c.lookAt(text)
	}
	if c.mixed {
		return
	}
	if !c.fits(v.kind) {
		c.mixed = true
		c.release()
		return
	}
	c.store(v, text)
}

func cloneCell(s string) string { return string([]byte(s)) }

// lookAt notes what errors and hints about text cells need.
func (c *csvColumn) lookAt(text string) {
	if c.badUTF8 == 0 && !utf8.ValidString(text) {
		c.badUTF8 = c.rows
	}
	if looksDecimalComma(text) {
		c.commas++
	}
}

// looksDecimalComma reports whether s is digits, one comma, digits, with a sign or none.
func looksDecimalComma(s string) bool {
	comma, digits := false, 0
	for i, b := range []byte(trimBlanks(s)) {
		switch {
		case b >= '0' && b <= '9':
			digits++
		case b == ',' && !comma && digits > 0:
			comma, digits = true, 0
		case (b == '-' || b == '+') && i == 0:
		default:
			return false
		}
	}
	return comma && digits > 0
}

// fits makes room for a cell of kind k, widening the stored type where that
// loses nothing, and reports whether the cell can be stored.
func (c *csvColumn) fits(k kind) bool {
	if k == kindNonFinite {
		k = kindFloat
	}
	switch {
	case k == kindNull || k == c.as:
	case c.as == kindNull:
		c.as = k
		c.start()
	case c.as == kindFloat && k == kindInt, c.as == kindText:
	case c.as == kindInt && k == kindFloat:
		c.widen()
	default:
		return false
	}
	return true
}

// start opens the builder of the stored type with the missing cells so far.
func (c *csvColumn) start() {
	c.builder = array.NewBuilder(c.mem, arrowType(c.as))
	for missing := c.rows - 1; missing > 0; missing-- {
		c.builder.AppendNull()
		c.advance()
	}
}

// advance counts a stored cell and closes the chunk when it is full.
func (c *csvColumn) advance() {
	if c.inChunk++; c.inChunk == chunkRows {
		c.finished = append(c.finished, c.builder.NewArray())
		c.builder.Reserve(chunkRows)
		c.inChunk = 0
	}
}

// widen turns the integers stored so far into float64.
func (c *csvColumn) widen() {
	for i, a := range c.finished {
		c.finished[i] = intsToFloats(c.mem, a.(*array.Int64))
		a.Release()
	}
	open := c.builder.NewArray().(*array.Int64)
	defer open.Release()
	c.builder.Release()
	b := array.NewFloat64Builder(c.mem)
	b.Reserve(open.Len())
	appendIntsAsFloats(b, open)
	c.builder, c.as = b, kindFloat
}

func (c *csvColumn) store(v cell, text string) {
	if c.as == kindNull {
		return // only missing cells so far: restart makes up for them
	}
	if v.kind == kindNull {
		c.builder.AppendNull()
	} else {
		switch b := c.builder.(type) {
		case *array.Int64Builder:
			b.Append(v.i)
		case *array.Float64Builder:
			b.Append(v.f)
		case *array.BooleanBuilder:
			b.Append(v.i != 0)
		case *array.Date32Builder:
			b.Append(arrow.Date32(v.i))
		case *array.StringBuilder:
			b.Append(text)
		}
	}
	c.advance()
}

// finish hands over the stored chunks as a column of kind k, which is what is
// stored or, if all cells are missing, kindNull.
func (c *csvColumn) finish(k kind) *column {
	if k == kindNull {
		c.release()
		return nullColumn(c.mem, c.name, c.rows)
	}
	if c.inChunk > 0 {
		c.finished = append(c.finished, c.builder.NewArray())
	}
	c.builder.Release()
	out := &column{name: c.name, typ: arrowType(k), chunks: c.finished}
	if k == kindInt || k == kindFloat {
		out.alike = c.spelt.found(out.chunks, c.mark)
	}
	c.finished, c.builder = nil, nil
	return out
}

// release gives back what is stored; the counts stay.
func (c *csvColumn) release() {
	for _, a := range c.finished {
		a.Release()
	}
	if c.builder != nil {
		c.builder.Release()
	}
	c.finished, c.builder, c.inChunk = nil, nil, 0
}

// resolve decides the column's kind from all of its cells, or says which cell
// stands against it.
func (c *csvColumn) resolve(separator rune) (kind, *ColumnError) {
	numbers := c.counts[kindInt] + c.counts[kindFloat] + c.counts[kindNonFinite]
	text, bools, dates := c.counts[kindText], c.counts[kindBool], c.counts[kindDate]
	filled := numbers + text + bools + dates
	switch {
	case c.badUTF8 > 0:
		return 0, c.fault(c.badUTF8-1, fmt.Errorf("the text is not valid UTF-8"),
			"convert the file to UTF-8, for instance with iconv")
	case filled == 0:
		return kindNull, nil
	case c.forced == typeText, c.forced == "" && text == filled && !(separator == ';' && c.commas == text):
		return kindText, nil
	case numbers == filled:
		if c.counts[kindNonFinite] > 0 {
			return 0, c.notFinite()
		}
		if c.counts[kindFloat] > 0 {
			return kindFloat, nil
		}
		return kindInt, nil
	case bools == filled:
		return kindBool, nil
	case dates == filled:
		return kindDate, nil
	case c.commas > 0 && c.commas+numbers == filled:
		row, cell := c.firstOf(kindText)
		return 0, c.fault(row, fmt.Errorf("%s is not a number with a decimal point", quoteCell(cell)),
			fmt.Sprintf("if the comma is a decimal mark, set decimal: \",\"; if it is text, set types: {%s: text}",
				c.name))
	case c.forced == typeNumber, c.forced == "" && 2*numbers > filled:
		row, cell := c.firstOf(kindText, kindBool, kindDate)
		return 0, c.fault(row, fmt.Errorf("%s is not a number, but %d of %d cells are", quoteCell(cell), numbers,
			filled), c.mixedHint(cell))
	case c.forced == typeDate, c.forced == "" && 2*dates > filled:
		row, cell := c.firstOf(kindText, kindBool, kindInt, kindFloat, kindNonFinite)
		return 0, c.fault(row, fmt.Errorf("%s is not a date, but %d of %d cells are", quoteCell(cell), dates, filled),
			c.mixedHint(cell))
	case c.forced == typeBool:
		row, cell := c.firstOf(kindText, kindDate, kindInt, kindFloat, kindNonFinite)
		return 0, c.fault(row, fmt.Errorf("%s is neither true nor false", quoteCell(cell)), c.mixedHint(cell))
	}
	return kindText, nil
}

// firstOf returns the earliest cell of the given kinds.
func (c *csvColumn) firstOf(ks ...kind) (row int64, text string) {
	row = math.MaxInt64
	for _, k := range ks {
		if f := c.first[k]; c.counts[k] > 0 && f.row < row {
			row, text = f.row, f.text
		}
	}
	return row, text
}

func (c *csvColumn) notFinite() *ColumnError {
	row, text := c.firstOf(kindNonFinite)
	return c.fault(row, fmt.Errorf("%s is not a finite number", quoteCell(text)), nonFiniteHint(text))
}

func (c *csvColumn) fault(row int64, err error, hint string) *ColumnError {
	return &ColumnError{Column: c.name, Row: row + 1, Err: words.Hint(err, hint)}
}

func (c *csvColumn) mixedHint(cell string) string {
	hint := fmt.Sprintf("if %s means missing, list it under null_values; ", quoteCell(trimBlanks(cell)))
	if c.forced == "" {
		return hint + fmt.Sprintf("if the column is text, set types: {%s: text}; else mend the file", c.name)
	}
	return hint + fmt.Sprintf("else mend the file, or change types: {%s: %s}", c.name, c.forced)
}

func nonFiniteHint(text string) string {
	return fmt.Sprintf("if %s means missing, list it under null_values; else mend the data",
		quoteCell(trimBlanks(text)))
}
