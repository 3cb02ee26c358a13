package state

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// A Saver has the methods of an infer.Kernel that write and read its state. Kernels embed it.
type Saver struct {
	owner   string
	version byte
	list    func(*Codec)
}

// NewSaver returns the saver of a chain whose parts list lists. Its states begin with the version; its errors begin
// with owner, the name of a package.
func NewSaver(owner string, version byte, list func(*Codec)) Saver {
	return Saver{owner, version, list}
}

// MarshalBinary returns the state of the chain.
func (s Saver) MarshalBinary() ([]byte, error) {
	c := &Codec{owner: s.owner, data: []byte{s.version}}
	s.list(c)
	return c.data, c.err
}

// UnmarshalBinary restores a state that MarshalBinary returned, on a chain fresh from an equal Setup. On an error the
// chain is as it was, unless one of several parts was restored before another was refused.
func (s Saver) UnmarshalBinary(data []byte) error {
	c := &Codec{owner: s.owner, size: len(data), data: data, reads: true}
	if v := c.Flags(0, math.MaxUint8); c.err == nil && v != s.version {
		c.fail("chain state has version %d, this sampler reads %d", v, s.version)
	}
	s.list(c)
	c.Demand(len(c.data) == 0, "%d bytes too many", len(c.data))
	if c.err == nil {
		c.restore()
	}
	return c.err
}

// A Codec writes or reads the state of a chain, which lists the parts of its state in the order of their bytes. Each
// method writes its argument, or reads as many bytes, and returns the value in the state. The chain changes after the
// whole state was read:
//
//   - Check compares values;
//   - Exchange swaps numbers that parts depend on with those of the chain, and swaps them back if a part is refused;
//   - Short, Sized and Rest restore parts with a codec of their own, such as random streams;
//   - then the chain gets its numbers, and functions of Then are called, in the order of the list.
//
// The first error stays. After it the codec reads zeros. It allocates as much as the chain asks for, whatever lengths
// the data have.
type Codec struct {
	owner string
	reads bool
	size  int    // of the state that is read
	data  []byte // what is written, or is not read yet
	err   error

	checks, parts      []func() error
	exchanges, settles []func()
}

// restore lets take effect what was read.
func (c *Codec) restore() {
	for _, check := range c.checks {
		if err := check(); err != nil {
			c.Demand(false, "%w", err)
			return
		}
	}
	for _, exchange := range c.exchanges {
		exchange()
	}
	for _, part := range c.parts {
		if c.err = part(); c.err != nil {
			for _, exchange := range c.exchanges {
				exchange()
			}
			return
		}
	}
	for _, settle := range c.settles {
		settle()
	}
}

// fail makes an error that of the codec, if it is the first.
func (c *Codec) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(c.owner+": "+format, args...)
	}
}

// Demand makes it an error that a state was read for which ok is false. The format describes the damage. It reports
// whether there was no error.
func (c *Codec) Demand(ok bool, format string, args ...any) bool {
	if c.reads && !ok {
		c.fail("chain state is damaged: "+format, args...)
	}
	return c.err == nil
}

// Check calls f once the whole state was read.
func (c *Codec) Check(f func() error) { c.checks = append(c.checks, f) }

// Exchange calls f after all checks, and again if a part is refused.
func (c *Codec) Exchange(f func()) { c.exchanges = append(c.exchanges, f) }

// Then calls f after all that was listed before has its new value.
func (c *Codec) Then(f func()) { c.settles = append(c.settles, f) }

// take returns the next n bytes, nil after an error.
func (c *Codec) take(n int) []byte {
	if len(c.data) < n {
		c.fail("chain state of %d bytes is cut short", c.size)
	}
	if c.err != nil {
		return nil
	}
	out := c.data[:n]
	c.data = c.data[n:]
	return out
}

// word writes or reads 64 bits.
func (c *Codec) word(v uint64) uint64 {
	if !c.reads {
		c.data = binary.LittleEndian.AppendUint64(c.data, v)
		return v
	}
	if raw := c.take(8); raw != nil {
		return binary.LittleEndian.Uint64(raw)
	}
	return 0
}

// Word is 64 bits.
func (c *Codec) Word(v *uint64) {
	word := c.word(*v)
	c.Then(func() { *v = word })
}

// Count is a number that is not negative, such as that of iterations.
func (c *Codec) Count(what string, v *int64) int64 {
	count := int64(c.word(uint64(*v)))
	if !c.Demand(count >= 0, "%s %d", what, count) {
		count = 0
	}
	c.Then(func() { *v = count })
	return count
}

// Same is a number that the state and the chain must have in common.
func (c *Codec) Same(what string, n int) {
	if got := c.word(uint64(n)); got != uint64(n) {
		c.fail("chain state has %d %s, this fit has %d", got, what, n)
	}
}

// Flags are eight bits, of which the state may have those that are allowed.
func (c *Codec) Flags(flags, allowed byte) byte {
	if one := c.Bytes([]byte{flags}); one != nil {
		flags = one[0]
	}
	c.Demand(flags&^allowed == 0, "flags %#x", flags)
	return flags
}

// Bytes are as many small numbers as v has, without a length; nil after an error.
func (c *Codec) Bytes(v []byte) []byte {
	if !c.reads {
		c.data = append(c.data, v...)
		return v
	}
	read := c.take(len(v))
	c.Then(func() { copy(v, read) })
	return read
}

// Float is one number.
func (c *Codec) Float(v float64) float64 { return math.Float64frombits(c.word(math.Float64bits(v))) }

// Floats are as many numbers as v has, after their length.
func (c *Codec) Floats(what string, v []float64) []float64 {
	c.Same(what, len(v))
	if !c.reads {
		for _, x := range v {
			c.Float(x)
		}
		return v
	}
	read := c.floats(len(v))
	c.Then(func() { copy(v, read) })
	return read
}

// floats reads n numbers.
func (c *Codec) floats(n int) []float64 {
	read, raw := make([]float64, n), c.take(8*n)
	for i := range len(raw) / 8 {
		read[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return read
}

// Finite is Floats of finite numbers.
func (c *Codec) Finite(what string, v []float64) []float64 {
	return c.finite(what, c.Floats(what, v))
}

// List is a list of at most most finite numbers, of which the chain may have more or fewer than the state.
func (c *Codec) List(what string, v []float64, most int) []float64 {
	if !c.reads {
		return c.Floats(what, v)
	}
	n := c.word(0)
	if !c.Demand(n <= uint64(min(most, len(c.data)/8)), "%d %s", n, what) {
		return nil
	}
	return c.finite(what, c.floats(int(n)))
}

// finite demands that numbers are finite.
func (c *Codec) finite(what string, v []float64) []float64 {
	if i := slices.IndexFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }); i >= 0 {
		c.Demand(false, "one of its %s is %v", what, v[i])
	}
	return v
}

// Part is a part of a state with a codec of its own.
type Part interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// Short is a part of at most 255 bytes, after its length in one byte.
func (c *Codec) Short(p Part) {
	c.part(p, func(size int) int {
		if size > math.MaxUint8 {
			c.fail("chain state has a part of %d bytes", size)
		}
		return int(c.Flags(byte(size), math.MaxUint8))
	})
}

// Sized is a part after its length.
func (c *Codec) Sized(p Part) {
	c.part(p, func(size int) int { return int(min(c.word(uint64(size)), math.MaxInt)) })
}

// Rest is a part without a length, the last one.
func (c *Codec) Rest(p Part) { c.part(p, func(int) int { return len(c.data) }) }

// part writes or reads a part, whose size measure writes or reads.
func (c *Codec) part(p Part, measure func(size int) int) {
	if c.reads {
		raw := c.take(measure(0))
		c.parts = append(c.parts, func() error { return p.UnmarshalBinary(raw) })
		return
	}
	raw, err := p.MarshalBinary()
	if err != nil {
		c.fail("chain state: %w", err)
	}
	measure(len(raw))
	c.data = append(c.data, raw...)
}
