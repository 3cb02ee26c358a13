package spool

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"time"

	"glmbatch/infer"
)

// frameRef locates one synced block in a chain's file.
type frameRef struct {
	header
	offset int64
}

// Chain holds what one chain has drawn: its file, or the same bytes in memory. It is not safe for concurrent use.
type Chain struct {
	fit    *Fit
	file   *os.File // nil while the fit is held in memory
	held   []byte   // the frames, where there is no file
	starts int      // entries of the start
	params int      // numbers of a draw
	end    int64    // of the last frame that counts
	frames []frameRef
	buf    []byte

	Begun
	state []byte // kernel state after the last synced draw
	cut   int64  // damaged bytes that opening cut off
}

// Begun describes the start of a chain.
type Begun struct {
	// Start is the position at which the chain started, in data units; nil
	// until Begin. StartNote says how it was drawn.
	Start     []float64
	StartNote string
	// SetupElapsed is the time that was spent before the first iteration.
	SetupElapsed time.Duration
}

// newChain is an empty chain of a fit, in memory.
func newChain(f *Fit, m Manifest) *Chain { return &Chain{fit: f, starts: m.start(), params: m.Params} }

// open opens or creates the file of an empty chain, and cuts it after the last frame that is whole.
func (c *Chain) open(path string) (err error) {
	if c.file, err = c.fit.disk.open(path); err != nil {
		return err
	}
	if err := c.recover(); err != nil {
		return errors.Join(err, c.file.Close())
	}
	return nil
}

// recover reads the frames up to the first torn one and truncates there.
func (c *Chain) recover() error {
	info, err := c.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	r := bufio.NewReaderSize(c.file, int(min(size, 1<<20)))
	for {
		h, err := c.readFrame(r, size-c.end)
		if errors.Is(err, errTorn) || err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if h.kind == blockFrame {
			c.frames = append(c.frames, frameRef{header: h, offset: c.end})
		}
		c.end += h.frameSize()
	}
	c.cut = size - c.end
	if c.cut == 0 {
		return nil
	}
	if err := c.fit.disk.truncate(c.file, c.end); err != nil {
		return err
	}
	return c.fit.disk.sync(c.file)
}

// readFrame checks one frame and keeps its state; draws pass through without
// being held. It returns io.EOF at a clean end and errTorn at a damaged one.
func (c *Chain) readFrame(r *bufio.Reader, room int64) (header, error) {
	if room == 0 {
		return header{}, io.EOF
	}
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return header{}, torn(err)
	}
	h, err := decodeHeader(head[:])
	if err != nil {
		return header{}, err
	}
	if (h.kind == startFrame) != (c.Start == nil) {
		return header{}, errTorn
	}
	want := c.params
	if h.kind == startFrame {
		want = c.starts
	}
	if err := h.checkShape(want, uint64(c.Draws()), room); err != nil {
		return header{}, err
	}
	sum := crc32.New(castagnoli)
	sum.Write(head[:])
	return h, c.readPayload(r, sum, h)
}

func (c *Chain) readPayload(r *bufio.Reader, sum hash.Hash32, h header) error {
	body := io.TeeReader(r, sum)
	draws := h.valuesSize() + int64(h.draws)*infoSize
	var start []byte
	if h.kind == startFrame {
		start = make([]byte, draws)
		if _, err := io.ReadFull(body, start); err != nil {
			return torn(err)
		}
	} else if _, err := io.CopyN(io.Discard, body, draws); err != nil {
		return torn(err)
	}
	tail := make([]byte, int(h.state)+int(h.note))
	if _, err := io.ReadFull(body, tail); err != nil {
		return torn(err)
	}
	var crc [crcSize]byte
	if _, err := io.ReadFull(r, crc[:]); err != nil {
		return torn(err)
	}
	if binary.LittleEndian.Uint32(crc[:]) != sum.Sum32() {
		return errTorn
	}
	c.state = tail[:h.state]
	if h.kind == startFrame {
		c.Start = make([]float64, h.params)
		decodeFloats(c.Start, start)
		c.StartNote = string(tail[h.state:])
		c.SetupElapsed = h.elapsed
	}
	return nil
}

func torn(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errTorn
	}
	return err
}

// Draws is the number of iterations that the file holds, warm-up counted.
func (c *Chain) Draws() int {
	if len(c.frames) == 0 {
		return 0
	}
	last := c.frames[len(c.frames)-1]
	return int(last.first) + int(last.draws)
}

// State is the kernel's state after the last draw that counts, or after the
// start; nil for a chain that has not begun.
func (c *Chain) State() []byte { return c.state }

// Elapsed is the time that iterations [from, to) took, by whole blocks shared
// out evenly over their draws.
func (c *Chain) Elapsed(from, to int) time.Duration {
	var sum time.Duration
	for _, f := range c.frames {
		lo, hi := max(from, int(f.first)), min(to, int(f.first)+int(f.draws))
		if lo < hi {
			sum += f.elapsed * time.Duration(hi-lo) / time.Duration(f.draws)
		}
	}
	return sum
}

// Begin records where the chain starts, before its first iteration. The first
// block's sync makes it durable too.
func (c *Chain) Begin(position []float64, note string, state []byte, elapsed time.Duration) error {
	if c.Start != nil {
		panic("spool: chain has begun already")
	}
	h := header{
		kind: startFrame, draws: 1, params: uint32(c.starts),
		state: uint32(len(state)), note: uint32(len(note)), elapsed: elapsed,
	}
	if err := c.write(h, position, make([]infer.Info, 1), state, note); err != nil {
		return err
	}
	c.Start = append([]float64(nil), position...)
	c.StartNote, c.SetupElapsed = note, elapsed
	return nil
}

// Append adds a block of draws and the kernel's state after it, and syncs.
func (c *Chain) Append(b *infer.Block, state []byte, elapsed time.Duration) error {
	if b.Params != c.params || b.First != c.Draws() || b.Draws == 0 {
		panic(fmt.Sprintf("spool: block of %d numbers at %d does not follow %d draws of %d numbers",
			b.Params, b.First, c.Draws(), c.params))
	}
	h := header{
		kind: blockFrame, first: uint64(b.First), draws: uint32(b.Draws), params: uint32(b.Params),
		state: uint32(len(state)), elapsed: elapsed,
	}
	offset := c.end
	if err := c.write(h, b.Values, b.Infos, state, ""); err != nil {
		return err
	}
	c.frames = append(c.frames, frameRef{header: h, offset: offset})
	return nil
}

// write puts one frame behind the last and syncs blocks; on an error the file is
// cut back, so that a later frame never follows a torn one.
func (c *Chain) write(h header, values []float64, infos []infer.Info, state []byte, note string) error {
	if holds, err := c.hold(h, values, infos, state, note); holds || err != nil {
		return err
	}
	c.buf = encode(c.buf[:0], h, values, infos, state, note)
	disk := c.fit.disk
	err := disk.writeAt(c.file, c.buf, c.end)
	if err == nil && h.kind == blockFrame {
		err = disk.sync(c.file)
	}
	if err != nil {
		return errors.Join(err, disk.truncate(c.file, c.end))
	}
	c.end += int64(len(c.buf))
	c.state = append([]byte(nil), state...)
	return nil
}

// hold puts a frame behind the last in memory, if the fit is held there, and writes the whole fit to its folder where
// that is too much to be lost, or to be held.
func (c *Chain) hold(h header, values []float64, infos []infer.Info, state []byte, note string,
) (holds bool, err error) {
	f := c.fit
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lock != nil {
		return false, nil
	}
	c.held = encode(slices.Grow(c.held, int(h.frameSize())), h, values, infos, state, note)
	f.spent += h.elapsed
	if f.spent >= f.disk.patience() || f.heldBytes() > HeldBytes {
		if err := f.keep(); err != nil {
			c.held = c.held[:c.end]
			return true, err
		}
	}
	c.end += h.frameSize()
	c.state = append([]byte(nil), state...)
	return true, nil
}

// keep writes what is held to a file, synced.
func (c *Chain) keep(path string) (err error) {
	disk := c.fit.disk
	if c.file, err = disk.open(path); err != nil {
		return err
	}
	if err = disk.writeAt(c.file, c.held, 0); err == nil {
		err = disk.sync(c.file)
	}
	return err
}

// read returns size bytes from one on.
func (c *Chain) read(at int64, size int) ([]byte, error) {
	if c.file == nil {
		return c.held[at:][:size], nil
	}
	if cap(c.buf) < size {
		c.buf = make([]byte, size)
	}
	return c.buf[:size], c.fit.disk.readAt(c.file, c.buf[:size], at)
}

// Columns reads draws [from, to) of parameters [lo, hi) into dst, by parameter:
// draw i of parameter p is written to dst[p-lo][i-from].
func (c *Chain) Columns(dst [][]float64, lo, hi, from, to int) error {
	for _, f := range c.frames {
		a, b := max(from, int(f.first)), min(to, int(f.first)+int(f.draws))
		if a >= b {
			continue
		}
		n := int(f.draws)
		buf, err := c.read(f.offset+headerSize+int64(lo)*int64(n)*8, (hi-lo)*n*8)
		if err != nil {
			return fmt.Errorf("read spooled draws: %w", err)
		}
		skip := a - int(f.first)
		for p := range hi - lo {
			seg := buf[(p*n+skip)*8:]
			decodeFloats(dst[p][a-from:b-from], seg)
		}
	}
	return nil
}

// Infos reads the statistics of iterations [from, to).
func (c *Chain) Infos(from, to int) ([]infer.Info, error) {
	out := make([]infer.Info, 0, to-from)
	for _, f := range c.frames {
		a, b := max(from, int(f.first)), min(to, int(f.first)+int(f.draws))
		if a >= b {
			continue
		}
		at := f.offset + headerSize + f.valuesSize() + int64(a-int(f.first))*infoSize
		buf, err := c.read(at, (b-a)*infoSize)
		if err != nil {
			return nil, fmt.Errorf("read spooled statistics: %w", err)
		}
		for i := range b - a {
			out = append(out, decodeInfo(buf[i*infoSize:]))
		}
	}
	return out, nil
}

// close closes the file, if there is one.
func (c *Chain) close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}
