package state

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AppendFloats writes a length and the numbers.
func AppendFloats(out []byte, values []float64) []byte {
	out = binary.LittleEndian.AppendUint64(out, uint64(len(values)))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// Reader takes a state apart. Its first error stays; from then on it returns
// zeros. It allocates only what the caller asks for, never what the data claim.
type Reader struct {
	owner string
	size  int
	rest  []byte
	err   error
}

// NewReader reads data; owner, a package's name, leads the errors.
func NewReader(owner string, data []byte) *Reader {
	return &Reader{owner: owner, size: len(data), rest: data}
}

// Err is the first error.
func (r *Reader) Err() error { return r.err }

// Rest is the number of bytes that are not read yet.
func (r *Reader) Rest() int { return len(r.rest) }

// Bytes returns the next n bytes, which alias the data; nil after an error.
func (r *Reader) Bytes(n int) []byte {
	if r.err == nil && len(r.rest) < n {
		r.err = fmt.Errorf("%s: chain state of %d bytes is cut short", r.owner, r.size)
	}
	if r.err != nil {
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

// Byte returns the next byte.
func (r *Reader) Byte() byte {
	b := r.Bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// Word returns the next 64 bits.
func (r *Reader) Word() uint64 {
	b := r.Bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Floats reads a length, which must be want, and the numbers; what names them
// in an error. After an error it returns want zeros.
func (r *Reader) Floats(want int, what string) []float64 {
	n := r.Word()
	if r.err == nil && n != uint64(want) {
		r.err = fmt.Errorf("%s: chain state has %d %s, this fit has %d", r.owner, n, what, want)
	}
	raw := r.Bytes(8 * want)
	out := make([]float64, want)
	if r.err != nil {
		return out
	}
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return out
}

// Finite is Floats that takes finite numbers only.
func (r *Reader) Finite(want int, what string) []float64 {
	out := r.Floats(want, what)
	for _, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.err = fmt.Errorf("%s: chain state is damaged: one of its %s is %v", r.owner, what, v)
			break
		}
	}
	return out
}
