package report

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// A file of the engine begins with three headers of headerSize bytes, the last two in turn those of the newest
// checkpoint. Each of them, and each block behind them, begins with the checksum of the rest of it.
const (
	headerSize = 4096
	headers    = 3 * headerSize
)

// checked reports whether a header or block has its checksum.
func checked(b []byte) bool {
	sum := uint64(5381)
	for rest := b[8:]; len(rest) >= 8; rest = rest[8:] {
		sum ^= binary.LittleEndian.Uint64(rest) * 0xbf58476d1ce4e5b9
	}
	return sum == binary.LittleEndian.Uint64(b)
}

// A badBlock does not have its checksum.
type badBlock struct {
	number int64
	empty  bool // never written, if nothing is said to be in it: zeros, or beyond the end of the file
}

// badBlocks lists the blocks of a file that do not have their checksums, of all that the newest checkpoint knows.
func badBlocks(ctx context.Context, f *os.File) (blocks int, bad []badBlock, err error) {
	newest, err := newestHeader(f)
	if err != nil {
		return 0, nil, err
	}
	count, size, known := shapeOf(newest)
	if !known {
		return 0, nil, fmt.Errorf("it has %d blocks of %d bytes, which this program does not know", count, size)
	}
	block := make([]byte, size)
	for i := range int64(count) {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		_, err := f.ReadAt(block, headers+i*int64(size))
		if err != nil || !checked(block) {
			empty := errors.Is(err, io.EOF) || !slices.ContainsFunc(block, func(c byte) bool { return c != 0 })
			bad = append(bad, badBlock{i, empty})
		}
	}
	return int(count), bad, nil
}

// newestHeader is the header of the newest checkpoint.
func newestHeader(f *os.File) (newest []byte, err error) {
	head := make([]byte, headers)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("its headers cannot be read: %w", err)
	}
	for i := range 3 {
		h := head[i*headerSize : (i+1)*headerSize]
		if !checked(h) {
			return nil, fmt.Errorf("header %d is not what was written", i+1)
		}
		if i > 0 && (newest == nil || field(h, 1) > field(newest, 1)) {
			newest = h
		}
	}
	return newest, nil
}

// field is the number i of a header: 1 counts checkpoints, 3 says where the list of free blocks begins, 4 is the number
// of blocks and 5 their size.
func field(header []byte, i int) uint64 { return binary.LittleEndian.Uint64(header[8*i:]) }

// shapeOf is the number of blocks and their size by a header; known reports whether this program supports such
// files.
func shapeOf(header []byte) (count, size uint64, known bool) {
	count, size = field(header, 4), field(header, 5)
	return count, size, size >= headerSize && size <= 1<<18 && count <= math.MaxInt32
}

// A block of the engine's metadata has parts, each after its checksum and the position of the next part: a block in
// the lower 56 bits, and the number of its part there in the others.
const (
	partsOfBlock = 64
	placeBits    = 56
	noPlace      = math.MaxUint64
)

// freeBlocks are the blocks that the newest checkpoint lists as free, or nil if the list has another format. A log
// next to the file may have used some of them since. Cost: one block or two are read.
func freeBlocks(f *os.File) map[int64]bool {
	newest, err := newestHeader(f)
	if err != nil {
		return nil
	}
	count, size, known := shapeOf(newest)
	if !known || field(newest, 3) == noPlace {
		return nil
	}
	list := &partReader{f: f, blocks: count, block: make([]byte, size), at: field(newest, 3)}
	free := map[int64]bool{}
	n := list.next()
	for range min(n, count) {
		free[int64(list.next())] = true
	}
	if list.broken || n > count {
		return nil
	}
	return free
}

// partReader reads numbers through parts of blocks.
type partReader struct {
	f      *os.File
	blocks uint64 // of the file
	block  []byte
	at     uint64 // place of the next part
	rest   []byte // what is left of the present one
	broken bool   // a place or a block is not what it should be
}

// next is the next number, and 0 once the reader is broken.
func (r *partReader) next() uint64 {
	for len(r.rest) < 8 && !r.broken {
		block, part := r.at&(1<<placeBits-1), int(r.at>>placeBits)
		if block >= r.blocks || part >= partsOfBlock {
			r.broken = true
			break
		}
		if _, err := r.f.ReadAt(r.block, headers+int64(block)*int64(len(r.block))); err != nil || !checked(r.block) {
			r.broken = true
			break
		}
		size := (len(r.block) - 8) / partsOfBlock / 8 * 8
		r.rest = r.block[8+part*size : 8+(part+1)*size]
		r.at, r.rest = binary.LittleEndian.Uint64(r.rest), r.rest[8:]
	}
	if r.broken {
		return 0
	}
	n := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	return n
}
