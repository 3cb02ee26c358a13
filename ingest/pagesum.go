package ingest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// The types of values in the compact protocol of Thrift, in which the headers of pages are written.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftStruct = 12
)

const (
	headerBuffer  = 512      // most headers are shorter; longer reads pass it over
	maxPageHeader = 16 << 20 // statistics in it may hold long texts
	maxNesting    = 16
)

// The fields of a page's header that are looked at, by their numbers in parquet.thrift. Those of a struct follow it.
const (
	pageSizeField = 3 // of the page as it is in the file
	pageSumField  = 4

	dataPageField   = 5
	dataPageField2  = 8 // of the second version of pages
	valuesField     = 1
	rowsField2      = 3
	repetitionField = 6 // bytes of the repetition levels, which only nested columns have
)

// pageHeader holds the verified fields of a page.
type pageHeader struct {
	size       int64
	sum        uint32
	hasSum     bool
	values     int64 // of a page of data
	rows       int64 // of a page of data of the second version; -1 of others
	repetition int64
}

// damaged reports whether the header cannot be that of a page of a flat column, left bytes before its end.
func (h *pageHeader) damaged(left int64) bool {
	return h.size < 0 || h.size > left || h.values < 0 || h.rows >= 0 && h.rows != h.values || h.repetition != 0
}

var errPageHeader = errors.New("the header of a page is damaged")

// checkPages verifies the checksums of the pages of one leaf column, and that they have as many values as the footer
// claims: headers have no checksum. A column whose first page has no checksum is passed over.
// Cost: a pass over the column's bytes in the file, if it has checksums.
func (f *parquetFile) checkPages(leaf int) error {
	for i, g := range f.reader.ParquetReader().MetaData().RowGroups {
		c := g.Columns[leaf].MetaData
		start := chunkStart(c.DataPageOffset, c.DictionaryPageOffset)
		if err := checkPagesOf(io.NewSectionReader(f.in, start, c.TotalCompressedSize), c.NumValues); err != nil {
			return fmt.Errorf("row group %d: %w", i+1, err)
		}
	}
	return nil
}

// checkPagesOf verifies the pages of a column in one row group, which have values in all.
func checkPagesOf(chunk *io.SectionReader, values int64) error {
	h := &headerReader{r: bufio.NewReaderSize(chunk, headerBuffer)}
	for page, left := 1, chunk.Size(); left > 0; page++ {
		h.read = 0
		header, err := h.header()
		switch {
		case err != nil:
			return fmt.Errorf("page %d: %w", page, err)
		case !header.hasSum && page == 1:
			return nil
		case header.damaged(left - h.read):
			return fmt.Errorf("page %d: %w", page, errPageHeader)
		}
		values -= header.values
		sum := crc32.NewIEEE()
		if _, err := io.CopyN(sum, h.r, header.size); err != nil {
			return err
		}
		if header.hasSum && sum.Sum32() != header.sum {
			return fmt.Errorf("page %d does not have its checksum: its bytes have changed since they were written", page)
		}
		left -= h.read + header.size
	}
	if values != 0 {
		return errors.New("its pages do not have as many values as the footer claims")
	}
	return nil
}

// headerReader reads headers of pages, and counts their bytes.
type headerReader struct {
	r    *bufio.Reader
	read int64
}

func (h *headerReader) header() (out pageHeader, err error) {
	out.rows = -1
	err = h.fields(0, 0, func(of, id, value int64) {
		switch [2]int64{of, id} {
		case [2]int64{0, pageSizeField}:
			out.size = value
		case [2]int64{0, pageSumField}:
			out.sum, out.hasSum = uint32(value), true
		case [2]int64{dataPageField, valuesField}, [2]int64{dataPageField2, valuesField}:
			out.values = value
		case [2]int64{dataPageField2, rowsField2}:
			out.rows = value
		case [2]int64{dataPageField2, repetitionField}:
			out.repetition = value
		}
	})
	return out, err
}

// fields reads a struct, which is the field of of another one (0: it is the header), and calls visit with its integers
// and those of the structs in it.
func (h *headerReader) fields(nesting int, of int64, visit func(of, id, value int64)) error {
	if nesting > maxNesting {
		return errPageHeader
	}
	id := int64(0)
	for {
		b, err := h.ReadByte()
		if err != nil || b == 0 {
			return err
		}
		if delta := int64(b >> 4); delta > 0 {
			id += delta
		} else if id, err = binary.ReadVarint(h); err != nil {
			return err
		}
		switch typ := b & 0x0f; typ {
		case thriftTrue, thriftFalse:
		case thriftI16, thriftI32, thriftI64:
			value, err := binary.ReadVarint(h)
			if err != nil {
				return err
			}
			visit(of, id, value)
		case thriftStruct:
			inner := id
			if nesting > 0 {
				inner = -1 // of what is two structs deep nothing is looked at
			}
			if err := h.fields(nesting+1, inner, visit); err != nil {
				return err
			}
		default:
			if err := h.skip(typ, nesting); err != nil {
				return err
			}
		}
	}
}

// skip passes over a value that is no field's truth value.
func (h *headerReader) skip(typ byte, nesting int) error {
	switch typ {
	case thriftTrue, thriftFalse, thriftByte:
		return h.discard(1)
	case thriftI16, thriftI32, thriftI64:
		_, err := binary.ReadVarint(h)
		return err
	case thriftDouble:
		return h.discard(8)
	case thriftBinary:
		n, err := binary.ReadUvarint(h)
		if err != nil {
			return err
		}
		return h.discard(n)
	case thriftList, thriftSet:
		return h.skipList(nesting)
	case thriftStruct:
		return h.fields(nesting+1, -1, func(_, _, _ int64) {})
	}
	return errPageHeader // of maps there are none
}

func (h *headerReader) skipList(nesting int) error {
	b, err := h.ReadByte()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = binary.ReadUvarint(h); err != nil {
			return err
		}
	}
	if nesting > maxNesting {
		return errPageHeader
	}
	for ; n > 0 && err == nil; n-- {
		err = h.skip(b&0x0f, nesting+1)
	}
	return err
}

// ReadByte reads the next byte of the header.
func (h *headerReader) ReadByte() (byte, error) {
	if h.read++; h.read > maxPageHeader {
		return 0, errPageHeader
	}
	b, err := h.r.ReadByte()
	if err == io.EOF {
		err = errPageHeader
	}
	return b, err
}

func (h *headerReader) discard(n uint64) error {
	if n > maxPageHeader-uint64(h.read) {
		return errPageHeader
	}
	h.read += int64(n)
	_, err := h.r.Discard(int(n))
	if err == io.EOF {
		err = errPageHeader
	}
	return err
}
