package discrete

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// hashVersion leads every hash; it changes when the canonical form does.
const hashVersion = "glmbatch field 1"

// hash is the SHA-256 of what the model uses of the data: ids, edges with their
// weights, tables, and the columns of potentials, observations and truths, as 64
// hexadecimal digits.
func (f *maker) hash() string {
	sum := sha256.New()
	w := &digest{out: bufio.NewWriterSize(sum, 1<<16)}
	w.text(hashVersion)
	w.number(uint64(f.N), uint64(f.Rows), uint64(f.Columns), uint64(f.Edges))
	w.number(uint64(len(f.IDs)))
	for _, id := range f.IDs {
		w.text(id)
	}
	for _, e := range f.data.edges {
		w.number(uint64(e.i), uint64(e.j), uint64(e.table), math.Float64bits(e.weight))
	}
	for _, t := range f.data.terms {
		w.number(uint64(len(t.Members)), math.Float64bits(t.Weight))
		for _, i := range t.Members {
			w.number(uint64(i))
		}
	}
	w.number(uint64(len(f.data.tables)))
	for _, t := range f.data.tables {
		w.text(t.name)
		w.number(uint64(len(t.entries)))
		for _, e := range t.entries {
			w.text(e.a)
			w.text(e.b)
			w.number(math.Float64bits(e.value))
		}
	}
	fields := append([]string(f.spec.Fields), string(f.spec.Field))
	if len(f.spec.Fields) == 0 {
		fields = append(fields, f.data.madeFields(f.States)...)
	}
	for _, name := range fields {
		if c := f.data.column(name); c != nil {
			w.text(name)
			w.numbers(c.numbers)
		}
	}
	w.numbers(f.Observation)
	w.number(uint64(len(f.Truth)))
	for _, a := range f.Truth {
		w.number(uint64(a))
	}
	_ = w.out.Flush() // a hash takes everything
	return hex.EncodeToString(sum.Sum(nil))
}

// digest writes numbers and texts so that none runs into another.
type digest struct {
	out *bufio.Writer
	buf [8]byte
}

func (w *digest) number(v ...uint64) {
	for _, x := range v {
		binary.LittleEndian.PutUint64(w.buf[:], x)
		_, _ = w.out.Write(w.buf[:])
	}
}

func (w *digest) numbers(v []float64) {
	w.number(uint64(len(v)))
	for _, x := range v {
		if math.IsNaN(x) {
			x = math.NaN() // one of all its forms
		}
		w.number(math.Float64bits(x))
	}
}

func (w *digest) text(s string) {
	w.number(uint64(len(s)))
	_, _ = w.out.WriteString(s)
}
