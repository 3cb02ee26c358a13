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

	as    kind       // type that is stored: kindNull until a cell determines it
	mixed bool       // nothing is stored any more
	spelt *spellings // of numbers that may be labels; nil if they cannot be
	csvCells
	bad      *badCells  // of a column whose kind is known: cells of other kinds; nil if there are none
	of       *csvColumn // the column of the first pass, which counted all cells; nil if no cell is bad
	builder  array.Builder
	inChunk  int
	finished []arrow.Array
}

// csvCells counts the cells of a column.
type csvCells struct {
	rows    int64 // all of them
	counts  [kinds]int64
	first   [kinds]csvCell // the first cell of each kind
	beyond  csvCell        // the first integer beyond exactIntegers
	badUTF8 int64          // cells of text that is not UTF-8
	words   int64          // text cells that are missing by default, which the spec's list of spellings leaves out
	word    string         // the first of them
	commas  int64          // text cells that look like numbers with a decimal comma
}

// csvCell is a cell with its row.
type csvCell struct {
	row  int64
	text string
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
	if c.spelt != nil && (v.kind == kindInt || v.kind == kindFloat) {
		c.spelt.add(text, &v)
	}
	if math.Abs(v.f) >= exactIntegers && c.beyond.text == "" && g.beyond(v, text) {
		c.beyond.row, c.beyond.text = c.rows, cloneCell(trimBlanks(text))
	}
	c.counts[v.kind]++
	c.rows++
	if v.kind == kindText {
		c.lookAt(g, text)
	}
	if c.of != nil && c.of.stray(c.as, v.kind, text) {
		c.bad.add(c.mem, c.rows-1, c.of.reason(c.as, v.kind, text))
		v = cell{}
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

// lookAt notes what decides about text cells, and what errors about them need.
func (c *csvColumn) lookAt(g *grammar, text string) {
	if !utf8.ValidString(text) {
		c.badUTF8++
	}
	if g.unlisted != nil && g.unlisted[trimBlanks(text)] {
		if c.words++; c.words == 1 {
			c.word = cloneCell(trimBlanks(text))
		}
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
		out := nullColumn(c.mem, c.name, c.rows)
		out.bad = c.bad
		return out
	}
	if c.inChunk > 0 {
		c.finished = append(c.finished, c.builder.NewArray())
	}
	c.builder.Release()
	out := &column{name: c.name, typ: arrowType(k), chunks: c.finished, bad: c.bad}
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

// resolve decides the column's kind from all of its cells. Cells of other kinds are strays. The error is one of the
// whole column, which then has no kind.
func (c *csvColumn) resolve(separator rune) (kind, *ColumnError) {
	numbers, text, bools, dates := c.numbers(), c.counts[kindText], c.counts[kindBool], c.counts[kindDate]
	filled, number := c.filled(), kindFloat
	if c.counts[kindInt] > 0 && c.counts[kindFloat] == 0 {
		number = kindInt
	}
	most := func(want string, n int64) bool {
		return c.forced == want || c.forced == "" && (2*n > filled || n > 0 && n+c.words == filled)
	}
	switch {
	case filled == 0:
		return kindNull, nil
	case c.forced == typeText, c.forced == "" && text == filled && !(separator == ';' && c.commas == text):
		return kindText, nil
	case numbers == filled:
		return number, nil
	case bools == filled:
		return kindBool, nil
	case dates == filled:
		return kindDate, nil
	case c.commas > 0 && c.commas+numbers == filled:
		row, cell := c.firstOf(kindText)
		return kindNull, &ColumnError{Column: c.name, Row: row + 1, Err: words.Hint(
			fmt.Errorf("%s is not a number with a decimal point", quoteCell(cell)),
			fmt.Sprintf("if the comma is a decimal mark, set decimal: \",\" (init: --decimal ,); "+
				"if it is text, set types: {%s: text}", c.name))}
	case most(typeNumber, numbers):
		return number, nil
	case most(typeBool, bools):
		return kindBool, nil
	case most(typeDate, dates):
		return kindDate, nil
	}
	return kindText, nil
}

// numbers counts the cells that are numbers, finite or not.
func (c *csvColumn) numbers() int64 {
	return c.counts[kindInt] + c.counts[kindFloat] + c.counts[kindNonFinite]
}

// filled counts the cells that are not missing.
func (c *csvColumn) filled() int64 {
	return c.numbers() + c.counts[kindText] + c.counts[kindBool] + c.counts[kindDate]
}

// strays reports whether the column of kind k has a cell of another kind.
func (c *csvColumn) strays(k kind) bool {
	switch k {
	case kindInt, kindFloat:
		return c.filled() > c.counts[kindInt]+c.counts[kindFloat]
	case kindBool, kindDate:
		return c.filled() > c.counts[k]
	case kindText:
		return c.badUTF8 > 0
	}
	return false
}

// stray reports whether a cell, of kind found, is bad in the column of kind k.
func (c *csvColumn) stray(k, found kind, text string) bool {
	switch k {
	case kindInt, kindFloat:
		return found != kindNull && found != kindInt && found != kindFloat
	case kindText:
		return found == kindText && !utf8.ValidString(text)
	}
	return found != kindNull && found != k
}

// reason is the fault of a stray cell.
func (c *csvColumn) reason(k, found kind, text string) error {
	const among = "%s is not %s, but %d of %d cells are"
	switch {
	case k == kindText:
		return words.Hint(errUTF8, "convert the file to UTF-8, for instance with iconv")
	case found == kindNonFinite && (k == kindInt || k == kindFloat):
		return words.Hint(fmt.Errorf("%s is not a finite number", quoteCell(text)), nonFiniteHint(text))
	case k == kindBool:
		return words.Hint(fmt.Errorf(among, quoteCell(text), "true or false", c.counts[k], c.filled()), c.mixedHint(text))
	case k == kindDate:
		return words.Hint(fmt.Errorf(among, quoteCell(text), "a date", c.counts[k], c.filled()), c.mixedHint(text))
	}
	return words.Hint(fmt.Errorf(among, quoteCell(text), "a number", c.numbers(), c.filled()), c.mixedHint(text))
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

func (c *csvColumn) mixedHint(cell string) string {
	hint := fmt.Sprintf("if %s means missing, list it under null_values; ", quoteCell(trimBlanks(cell)))
	if c.forced == "" {
		return hint + fmt.Sprintf("if the column is text, set types: {%s: text}; else fix the file", c.name)
	}
	return hint + fmt.Sprintf("else fix the file, or change types: {%s: %s}", c.name, c.forced)
}

func nonFiniteHint(text string) string {
	return fmt.Sprintf("if %s means missing, list it under null_values; else fix the data",
		quoteCell(trimBlanks(text)))
}
