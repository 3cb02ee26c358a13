package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"

	"glmbatch/internal/words"
)

// drawsName is the file of the parameters' draws of a finished fit whose chains hold rows, which cannot be expanded
// without the data: values as they come, little-endian, and then their CRC-32C.
const drawsName = "draws"

// WriteDraws keeps the draws of a fit's parameters, in pieces that are written one
// after the other. They are whole on disk when it returns without an error, and
// what an interrupted call left is overwritten by the next.
func (f *Fit) WriteDraws(pieces iter.Seq2[[]float64, error]) error {
	if err := f.Keep(); err != nil {
		return err
	}
	file, err := f.disk.open(filepath.Join(f.dir, drawsName))
	if err != nil {
		return err
	}
	w := &appender{disk: f.disk, file: file}
	err = f.disk.truncate(file, 0)
	if err == nil {
		err = w.add(pieces)
	}
	if err == nil {
		err = f.disk.sync(file)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return f.disk.syncFolder(f.dir)
}

// appender writes values to a file, by 128 kB, and then their checksum.
type appender struct {
	disk Disk
	file *os.File
	buf  []byte
	at   int64
	sum  uint32
}

func (a *appender) add(pieces iter.Seq2[[]float64, error]) error {
	for piece, err := range pieces {
		if err != nil {
			return err
		}
		for some := range slices.Chunk(piece, 1<<14) {
			a.buf = a.buf[:0]
			for _, v := range some {
				a.buf = binary.LittleEndian.AppendUint64(a.buf, math.Float64bits(v))
			}
			a.sum = crc32.Update(a.sum, castagnoli, a.buf)
			if err := a.write(a.buf); err != nil {
				return err
			}
		}
	}
	return a.write(binary.LittleEndian.AppendUint32(nil, a.sum))
}

func (a *appender) write(data []byte) error {
	at := a.at
	a.at += int64(len(data))
	return a.disk.writeAt(a.file, data, at)
}

// Draws describes the files that WriteDraws wrote.
type Draws struct {
	disk Disk
	file *os.File
	buf  []byte
}

// OpenDraws opens the draws of a finished fit, count values, and reads them once to
// see that they are whole.
func (f *Fit) OpenDraws(count int64) (*Draws, error) {
	path := filepath.Join(f.dir, drawsName)
	file, err := f.disk.open(path)
	if err != nil {
		return nil, err
	}
	d := &Draws{disk: f.disk, file: file}
	sum, stored, buf := uint32(0), make([]byte, crcSize), make([]byte, min(1<<20, 8*count))
	for at, size := int64(0), 8*count; at < size && err == nil; at += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), size-at)]
		err = f.disk.readAt(file, buf, at)
		sum = crc32.Update(sum, castagnoli, buf)
	}
	if err == nil {
		err = f.disk.readAt(file, stored, 8*count)
	}
	if torn(err) == errTorn || err == nil && binary.LittleEndian.Uint32(stored) != sum {
		err = words.Hint(fmt.Errorf("%s is damaged", path), "run the pipeline again, which rewrites it")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return d, nil
}

// Read reads values from one on into dst.
func (d *Draws) Read(dst []float64, first int64) error {
	if need := 8 * len(dst); cap(d.buf) < need {
		d.buf = make([]byte, need)
	}
	buf := d.buf[:8*len(dst)]
	if err := d.disk.readAt(d.file, buf, 8*first); err != nil {
		return fmt.Errorf("read kept draws: %w", err)
	}
	decodeFloats(dst, buf)
	return nil
}

// Close closes the file.
func (d *Draws) Close() error { return d.file.Close() }
