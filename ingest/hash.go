package ingest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/words"
)

// hashVersion leads every hash; it changes when the canonical form does.
const hashVersion = "glmbatch data 1"

// A number that float64 cannot hold is written as this NaN, which no column
// holds, and then the integer.
const (
	beyondFloat  = 0x7ff8_0000_0000_0002
	canonicalNaN = 0x7ff8_0000_0000_0001
)

// Hash returns the SHA-256 of the named columns (nil: all) as 64 hexadecimal
// digits. It depends on the columns' names, order and values and on nothing
// else: not on file format, chunks, compression, or whether whole numbers are
// stored as integers, floats or decimals; −0 counts as 0.
//
// Canonical form: version, number of columns and rows; for each column its name, its kind, one bit a row for
// presence, then the values that are present. Numbers are their float64 bits, little-endian, with an escape for
// integers that float64 cannot hold; text has its length before it; dates are days and times microseconds since
//  1970. A column of triplets is the word sparse, then row (from 1) and value of what is not 0, in order of rows,
//     and a 0: the same numbers in a wide table are other data. After the columns come the word counts and the
//     table's Counts, if it has them. Cost: one pass, about 2 ns per byte.
//
// A column with a bad cell has no hash: the error is that of Check.
func (t *Table) Hash(columns []string) (string, error) {
	if columns == nil {
		columns = t.names()
	}
	w := &hashWriter{sum: sha256.New()}
	w.text(hashVersion)
	w.uint64(uint64(len(columns)))
	w.uint64(uint64(t.Data.NumRows()))
	for _, name := range columns {
		at := t.Data.Schema().FieldIndices(name)
		if len(at) == 0 {
			return "", &ColumnError{
				Dataset: t.Name, Column: name,
				Err: words.Hint(errors.New("the table has no such column"), "the columns are "+listNames(t.names())),
			}
		}
		if fault := t.bad(name, t.Data.NumRows()); fault != nil {
			return "", fault
		}
		w.text(name)
		w.column(t.Data.Column(at[0]).Data())
	}
	if t.counts != nil {
		w.text("counts")
		for _, n := range t.counts {
			w.number(n)
		}
	}
	w.flush()
	return hex.EncodeToString(w.sum.Sum(nil)), nil
}

// hashWriter gathers small writes for the hash.
type hashWriter struct {
	sum hash.Hash
	buf []byte
}

func (w *hashWriter) flush() {
	w.sum.Write(w.buf) // a hash never fails
	w.buf = w.buf[:0]
}

func (w *hashWriter) uint64(v uint64) {
	if len(w.buf) > 1<<15 {
		w.flush()
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, v)
}

func (w *hashWriter) text(s string) {
	w.uint64(uint64(len(s)))
	w.buf = append(w.buf, s...)
}

func (w *hashWriter) column(data *arrow.Chunked) {
	if data.NullN() == data.Len() {
		w.text("missing") // without values there is no kind
		return
	}
	if data.DataType().ID() == arrow.RUN_END_ENCODED {
		w.runs(data)
		return
	}
	w.text(describe(data.DataType()))
	w.presence(data)
	for _, a := range data.Chunks() {
		w.values(a)
	}
}

// presence writes one bit a row, 1 for a value, packed in 64-bit integers.
func (w *hashWriter) presence(data *arrow.Chunked) {
	var word uint64
	row := 0
	for _, a := range data.Chunks() {
		for i := range a.Len() {
			if a.IsValid(i) {
				word |= 1 << (row % 64)
			}
			if row++; row%64 == 0 {
				w.uint64(word)
				word = 0
			}
		}
	}
	w.uint64(word)
}

func (w *hashWriter) values(a arrow.Array) {
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		switch a := a.(type) {
		case *array.Int64:
			w.integer(a.Value(i))
		case *array.Float64:
			w.number(a.Value(i))
		case *array.Date32:
			w.uint64(uint64(int64(a.Value(i))))
		case *array.Timestamp:
			w.uint64(uint64(a.Value(i)))
		case *array.String:
			w.text(a.Value(i))
		case *array.Boolean:
			if a.Value(i) {
				w.uint64(1)
			} else {
				w.uint64(0)
			}
		}
	}
}

// runs writes what is not 0 of a column of triplets: how many, then rows and values.
func (w *hashWriter) runs(data *arrow.Chunked) {
	w.text("sparse")
	for _, chunk := range data.Chunks() {
		a := chunk.(*array.RunEndEncoded)
		ends, values := a.RunEndsArr().(*array.Int32), a.Values().(*array.Float64)
		for i, v := range values.Float64Values() {
			if v != 0 {
				w.uint64(uint64(ends.Value(i)))
				w.number(v)
			}
		}
		w.uint64(0) // no run ends there
	}
}

func (w *hashWriter) number(v float64) {
	if math.IsNaN(v) {
		w.uint64(canonicalNaN)
		return
	}
	w.uint64(positiveZero(v))
}

func (w *hashWriter) integer(v int64) {
	f := float64(v)
	// float64(MaxInt64) is 2^63, which does not convert back.
	if f != 1<<63 && int64(f) == v {
		w.number(f)
		return
	}
	w.uint64(beyondFloat)
	w.uint64(uint64(v))
}

// positiveZero returns the bits of v, those of 0 for −0.
func positiveZero(v float64) uint64 {
	if v == 0 {
		return 0
	}
	return math.Float64bits(v)
}
